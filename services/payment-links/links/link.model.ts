// Payment links: what was asked for, and what follows from it for whoever pays. A link never changes,
// but for being disabled; whether it is paid is not here, but in its payments.

import { Schema } from "mongoose";
import type { LinkRequest } from "../../../shared/contracts/payment-link-data.ts";
import type { Fee } from "../../../shared/fees.ts";
import type { Sealed } from "../../../shared/seal.ts";

/** Where the request leaves it out, there is a default. */
type Defaulted =
  | "name"
  | "customUrlPath"
  | "checkoutType"
  | "isOpenLink"
  | "customerPays"
  | "dataCollections"
  | "customFields"
  | "acceptedPaymentOptions"
  | "notifyPayee";

/** The request with its defaults; when it expires is beside it, a webhook's secret with webhooks. */
export type LinkTerms = Omit<LinkRequest, Defaulted | "expiredAt" | "advancedConfig"> &
  Required<Pick<LinkRequest, Defaulted>> & {
    advancedConfig?: { websiteUrl: string; webhookPath: string };
  };

export interface PaymentLink {
  _id: string;
  businessId: string;
  /** The entity that asked for it. */
  createdBy: string;
  terms: LinkTerms;
  /** SHA-256 of the token, in base64url: the secret of its URL, encrypted, as it is shown again. */
  tokenHash: string;
  token: Sealed;
  /** Where the money goes. */
  collectionAccountId: string;
  /** As configured at creation: what the customer was shown is what is charged. */
  fee: Fee;
  /** What is charged, its fee, and what is left of it to be credited; in minor units. */
  totalMinor: number;
  feesMinor: number;
  amountMinor: number;
  expiresAt: Date;
  disabledAt: Date | null;
  createdAt: Date;
}

/** What a link's sealed token is bound to. */
export function placeOf(linkId: string): string {
  return `payment-link:${linkId}`;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const linkSchema = new Schema<PaymentLink>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    tokenHash: { type: String, required: true },
    disabledAt: { type: Date, default: null },
  },
  { versionKey: false, strict: false },
);
// By its token: the checkout.
linkSchema.index({ tokenHash: 1 }, { unique: true });
// The links of a business, oldest first.
linkSchema.index({ businessId: 1, _id: 1 });
