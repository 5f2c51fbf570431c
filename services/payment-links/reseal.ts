// The sealed fields of payment-links, for the rotation of their keys.

import type { mongo } from "mongoose";
import { type KeyedRequest, sealedContents } from "../../shared/rpc/idempotency.ts";
import type { SealedCollection } from "../../shared/security/reseal.ts";
import { type PaymentLink, tokenPlace } from "./links/link.model.ts";
import { methodPlace, type SavedMethod } from "./payments/saved-method.model.ts";

type Sealing = Pick<PaymentLink | SavedMethod, "_id" | "token">;

/** The tokens of links, also of expired links, because they are shown again. */
export function sealedTokens(db: mongo.Db): SealedCollection<Sealing> {
  return inToken("link tokens", db.collection("payment_links"), tokenPlace);
}

/** The vault's tokens of saved payment methods, the replaced methods included. */
export function sealedMethods(db: mongo.Db): SealedCollection<Sealing> {
  return inToken("payment methods", db.collection("payment_methods"), methodPlace);
}

/** The answers of requests with an Idempotency-Key. */
export function sealedLinkAnswers(db: mongo.Db): SealedCollection<KeyedRequest> {
  return sealedContents("link answers", db.collection("link_idempotency_keys"));
}

function inToken(
  name: string,
  collection: mongo.Collection<Sealing>,
  placeFor: (id: string) => string,
): SealedCollection<Sealing> {
  return {
    name,
    collection,
    path: "token",
    notUnder: (keyId) => ({ "token.keyId": { $ne: keyId } }),
    readBoxes: ({ _id, token }) => [{ place: placeFor(_id), sealed: token }],
    replace: (_id, { box }, token) => ({
      updateOne: { filter: { _id, "token.box": box }, update: { $set: { token } } },
    }),
  };
}
