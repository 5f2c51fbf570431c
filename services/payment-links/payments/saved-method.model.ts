// Saved payment methods: the only collection that keeps tokens of the vault, sealed. A payment names the
// method that it charges, so that a repeated request charges the same one.

import { Schema } from "mongoose";
import type { Card } from "../../../shared/partners/acquirer.ts";
import type { Sealed } from "../../../shared/seal.ts";

export interface SavedMethod {
  _id: string;
  subscriptionId: string;
  businessId: string;
  /** The name of the acquirer with the vault. */
  acquirer: string;
  token: Sealed;
  card: Card;
}

/** The place that the sealed token of a method is bound to. */
export function methodPlaceOf(methodId: string): string {
  return `payment-method:${methodId}`;
}

/** Only fields of filters and indexes are typed here: documents are read and written as they are. */
export const methodSchema = new Schema<SavedMethod>(
  { _id: { type: String, required: true }, subscriptionId: String },
  { versionKey: false, strict: false },
);
// Deletes the methods of a closed subscription.
methodSchema.index({ subscriptionId: 1 });
