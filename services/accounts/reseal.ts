// The sealed collections of accounts, for the rotation of encryption keys.

import type { mongo } from "mongoose";
import { type KeyedRequest, sealedContents } from "../../shared/rpc/idempotency.ts";
import type { SealedCollection } from "../../shared/security/reseal.ts";
import { type LinkedAccount, sealedPlace } from "./linked-account.model.ts";

/** The data of linked accounts, unlinked ones too: payouts to them may be under way. */
export function sealedAccounts(db: mongo.Db): SealedCollection<LinkedAccount> {
  return {
    name: "linked accounts",
    collection: db.collection<LinkedAccount>("linked_accounts"),
    path: "sealed",
    notUnder: (keyId) => ({ "sealed.keyId": { $ne: keyId } }),
    readBoxes: ({ _id, sealed }) => [{ place: sealedPlace(_id), sealed }],
    replace: (_id, { box }, sealed) => ({
      updateOne: { filter: { _id, "sealed.box": box }, update: { $set: { sealed } } },
    }),
  };
}

/** The answers of requests with an Idempotency-Key. */
export function sealedAccountAnswers(db: mongo.Db): SealedCollection<KeyedRequest> {
  return sealedContents("account answers", db.collection("account_idempotency_keys"));
}
