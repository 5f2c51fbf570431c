// Saved payment methods: the one place where a vault's token is kept, sealed. A payment names the method
// that it charges, so that asking again charges the same one.

import { Schema } from "mongoose";
import type { Card } from "../../../shared/partners/acquirer.ts";
import type { Sealed } from "../../../shared/seal.ts";

export interface SavedMethod {
  _id: string;
  subscriptionId: string;
  businessId: string;
  /** The name of the acquirer whose vault has it. */
  acquirer: string;
  token: Sealed;
  card: Card;
}

/** What a method's sealed token is bound to. */
export function methodPlaceOf(methodId: string): string {
  return `payment-method:${methodId}`;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const methodSchema = new Schema<SavedMethod>(
  { _id: { type: String, required: true }, subscriptionId: String },
  { versionKey: false, strict: false },
);
// Those of a subscription that is closed.
methodSchema.index({ subscriptionId: 1 });
