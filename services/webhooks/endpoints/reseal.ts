// The sealed fields of webhooks, for the rotation of encryption keys.

import type { mongo } from "mongoose";
import { type KeyedRequest, sealedContents } from "../../../shared/rpc/idempotency.ts";
import type { SealedCollection } from "../../../shared/security/reseal.ts";
import type { Endpoint } from "./endpoint.model.ts";
import { secretPlace } from "./endpoint-secrets.ts";

/** The signing secrets of endpoints, including the previous ones. */
export function sealedSecrets(db: mongo.Db): SealedCollection<Endpoint> {
  return {
    name: "webhook secrets",
    collection: db.collection<Endpoint>("webhook_endpoints"),
    path: "secrets.sealed",
    notUnder: (keyId) => ({ secrets: { $elemMatch: { "sealed.keyId": { $ne: keyId } } } }),
    readBoxes: ({ _id, secrets }) =>
      secrets.map(({ sealed }) => ({ place: secretPlace(_id), sealed })),
    // Found by its box, not by its index in the list, because a rotation of the secret moves it.
    replace: (_id, { box }, sealed) => ({
      updateOne: {
        filter: { _id, "secrets.sealed.box": box },
        update: { $set: { "secrets.$[secret].sealed": sealed } },
        arrayFilters: [{ "secret.sealed.box": box }],
      },
    }),
  };
}

/** The answers of requests with an Idempotency-Key. */
export function sealedWebhookAnswers(db: mongo.Db): SealedCollection<KeyedRequest> {
  return sealedContents("webhook answers", db.collection("webhook_idempotency_keys"));
}
