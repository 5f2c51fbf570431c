// Payment links: the merchant's request and the prices that follow from it. A link never changes,
// except that it can be disabled, and that personal data in its terms can be erased. Its payments
// say whether it is paid.

import { Schema } from "mongoose";
import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { LinkRequest } from "../../../shared/contracts/payment-link-data.ts";
import type { Sealed } from "../../../shared/security/seal.ts";

/** The fields that get a default if the request leaves them out. */
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

/** The request with its defaults. The link has its expiry; webhooks has its webhook's secret. */
export type LinkTerms = Omit<LinkRequest, Defaulted | "expiredAt" | "advancedConfig"> &
  Required<Pick<LinkRequest, Defaulted>> & {
    advancedConfig?: { websiteUrl: string; webhookPath: string };
  };

/** The terms that a payment or a subscription copies from its link. */
export interface CopiedTerms {
  name: string;
  itemDeliveryAddress: string;
  customData: Record<string, string>;
  orderId?: string;
  externalId?: string;
}

/** Copies the terms of a link, or those that a subscription has copied already. */
export function copyTerms(of: Omit<CopiedTerms, "customData"> & Partial<CopiedTerms>): CopiedTerms {
  const { name, itemDeliveryAddress, customData = {}, orderId, externalId } = of;
  return {
    name,
    itemDeliveryAddress,
    customData,
    ...(orderId !== undefined && { orderId }),
    ...(externalId !== undefined && { externalId }),
  };
}

/** The side that is paid: the business. */
export interface Payee {
  email: string;
  name: string;
}

export interface PaymentLink {
  _id: string;
  businessId: string;
  /** The entity that asked for it. */
  createdBy: string;
  terms: LinkTerms;
  /** SHA-256 of the token, in base64url: the secret of its URL, encrypted, as it is shown again. */
  tokenHash: string;
  token: Sealed;
  collectionAccountId: string;
  /** The business, if the link asks to notify it; absent from links of earlier releases. */
  payee?: Payee;
  /** The customer is charged the fee that the page showed. */
  fee: FeeSnapshot;
  /** The charge, its fee, and the rest that is credited; in minor units. */
  totalMinor: number;
  feesMinor: number;
  amountMinor: number;
  expiresAt: Date;
  disabledAt: Date | null;
  createdAt: Date;
}

/** The place that a link's sealed token is bound to. */
export function tokenPlace(linkId: string): string {
  return `payment-link:${linkId}`;
}

/** It has only the fields of filters and indexes; documents are read and written as they are. */
export const linkSchema = new Schema<PaymentLink>(
  {
    _id: { type: String, required: true },
    businessId: { type: String, required: true },
    createdBy: String,
    tokenHash: { type: String, required: true },
    disabledAt: { type: Date, default: null },
  },
  { versionKey: false, strict: false },
);
// By its token: the checkout.
linkSchema.index({ tokenHash: 1 }, { unique: true });
// The links of a business.
linkSchema.index({ businessId: 1, _id: 1 });
// The links that an end user created, for its export and its erasure.
linkSchema.index({ createdBy: 1, _id: 1 });
