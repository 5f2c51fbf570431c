// Saved payment methods: the only place where a vault's token is stored, sealed. A payment names
// the method that it charges, so that a repeated charge uses the same card.

import { Schema } from "mongoose";
import type { Card } from "../../../partners/types.ts";
import type { Sealed } from "../../../shared/security/seal.ts";

export interface SavedMethod {
  _id: string;
  subscriptionId: string;
  businessId: string;
  /** The name of the acquirer with the vault that has the card. */
  acquirer: string;
  token: Sealed;
  card: Card;
}

/** The place to which a method's sealed token is bound. */
export function methodPlace(methodId: string): string {
  return `payment-method:${methodId}`;
}

/** Only the fields of filters and indexes are typed here: documents are stored as they are. */
export const methodSchema = new Schema<SavedMethod>(
  { _id: { type: String, required: true }, subscriptionId: String },
  { versionKey: false, strict: false },
);
// Finds the methods of a closed subscription, to delete them.
methodSchema.index({ subscriptionId: 1 });
