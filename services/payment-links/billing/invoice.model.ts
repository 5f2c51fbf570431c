// The invoice: the amount that a subscription owes for one occasion, kept as it was issued. The
// subscription drives it (collect.ts). It is a resumable document because it holds the outbox of
// its events.

import { Schema } from "mongoose";
import type { InvoiceStatus } from "../../../shared/contracts/subscriptions.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import { resumableSchema } from "../../../shared/resumable/schema.ts";

export interface InvoiceLine {
  /** How the amount is computed. */
  description: string;
  quantity: number;
  /** Major units with two to six decimals. */
  unitAmount: string;
  /** Negative for a credit. */
  amountMinor: number;
}

export interface CollectionAttempt {
  paymentId: string;
  /** The saved method that is charged. */
  methodId: string;
  /** Business's clock. */
  at: number;
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /** The reason of the decline, which the customer and the merchant may read; once FAILED. */
  reason?: string;
}

/** It is `open` at first; each failed attempt is a state. The state `void` has no event. */
export interface Invoice extends Resumable<InvoiceStatus> {
  step: "open" | "closed";

  subscriptionId: string;
  linkId: string;
  collectionAccountId: string;
  /** The reason for which it is issued; unique within the subscription (occasion.ts). */
  occasion: string;
  /** The place among the business's invoices, from 1. */
  number: number;
  currency: Currency;
  /** Business's clock, all three. */
  issuedAt: number;
  periodStart: number;
  periodEnd: number;
  lines: InvoiceLine[];
  /** The sum of the lines, 0 or more; in minor units as the next three. */
  totalMinor: number;
  /** The charge of the card, its fee, and the rest that is credited (charge-amounts.ts). */
  chargeMinor: number;
  /**
   * The charge that its attempts asked for; set only if an admin accepted another, captured sum
   * (other-sum.ts), which is then `chargeMinor`.
   */
  askedMinor?: number;
  feesMinor: number;
  amountMinor: number;

  attempts: CollectionAttempt[];
  /** When the card is tried again; business's clock. */
  nextTryAt?: number;
  /** Business's clock. */
  paidAt?: number;
}

export const invoiceSchema = resumableSchema<Invoice>({
  subscriptionId: String,
  occasion: String,
  number: Number,
});
// An occasion is billed once.
invoiceSchema.index({ subscriptionId: 1, occasion: 1 }, { unique: true });
// A number is given once.
invoiceSchema.index({ businessId: 1, number: 1 }, { unique: true });
// The invoices of a subscription.
invoiceSchema.index({ subscriptionId: 1, _id: 1 });

/** The last number that a business's invoices were given. */
export interface InvoiceCount {
  /** The business. */
  _id: string;
  last: number;
}

export const invoiceCountSchema = new Schema<InvoiceCount>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);
