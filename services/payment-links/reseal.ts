// The sealed fields of payment-links, for the rotation of their keys.

import type { mongo } from "mongoose";
import type { SealedCollection } from "../../shared/reseal.ts";
import { type PaymentLink, placeOf } from "./links/link.model.ts";
import { methodPlaceOf, type SavedMethod } from "./payments/saved-method.model.ts";

/** The tokens of links, also of expired links, because they are shown again. */
export function sealedTokens(db: mongo.Db): SealedCollection<PaymentLink> {
  return {
    name: "link tokens",
    collection: db.collection<PaymentLink>("payment_links"),
    path: "token",
    notUnder: (keyId) => ({ "token.keyId": { $ne: keyId } }),
    readBoxes: ({ _id, token }) => [{ place: placeOf(_id), sealed: token }],
    replace: (_id, { box }, token) => ({
      updateOne: { filter: { _id, "token.box": box }, update: { $set: { token } } },
    }),
  };
}

/** The vault's tokens of saved payment methods, the replaced methods included. */
export function sealedMethods(db: mongo.Db): SealedCollection<SavedMethod> {
  return {
    name: "payment methods",
    collection: db.collection<SavedMethod>("payment_methods"),
    path: "token",
    notUnder: (keyId) => ({ "token.keyId": { $ne: keyId } }),
    readBoxes: ({ _id, token }) => [{ place: methodPlaceOf(_id), sealed: token }],
    replace: (_id, { box }, token) => ({
      updateOne: { filter: { _id, "token.box": box }, update: { $set: { token } } },
    }),
  };
}
