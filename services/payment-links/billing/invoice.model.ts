// The invoice: what a subscription has to pay for one occasion, kept as it was issued. The subscription
// drives it (collect.ts); as a resumable document it is the outbox of its own events.

import { Schema } from "mongoose";
import type { InvoiceStatus } from "../../../shared/contracts/subscriptions.ts";
import type { Currency } from "../../../shared/money.ts";
import { type Resumable, resumableIndexes } from "../../../shared/resumable/document.ts";

export interface InvoiceLine {
  /** How the amount was computed. */
  description: string;
  quantity: number;
  /** Major units with two to six decimals. */
  unitAmount: string;
  /** Negative for a credit. */
  amountMinor: number;
}

/** An attempt that was declined, or the one that was not. */
export interface Attempt {
  paymentId: string;
  /** The saved method that is charged. */
  methodId: string;
  /** Business's clock. */
  at: number;
  status: "PENDING" | "SUCCEEDED" | "FAILED";
  /** What the customer and the merchant may read; once FAILED. */
  reason?: string;
}

/** It is `open` until it is told of; each failed attempt is a state, and so is `void`, which is not told. */
export interface Invoice extends Resumable<InvoiceStatus> {
  step: "open" | "closed";

  subscriptionId: string;
  linkId: string;
  collectionAccountId: string;
  /** Why it is there; unique within the subscription (subscription.model.ts). */
  occasion: string;
  /** Counts the business's invoices, from 1. */
  number: number;
  currency: Currency;
  /** Business's clock, all three. */
  issuedAt: number;
  periodStart: number;
  periodEnd: number;
  lines: InvoiceLine[];
  /** Their sum, 0 or more; in minor units as all that follow. */
  totalMinor: number;
  /** What a card is charged, its fee, and what is left of it to be credited. */
  chargeMinor: number;
  feesMinor: number;
  amountMinor: number;

  attempts: Attempt[];
  /** When the card is tried again; business's clock. */
  nextTryAt?: number;
  /** Business's clock. */
  paidAt?: number;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const invoiceSchema = new Schema<Invoice>(
  {
    _id: { type: String, required: true },
    subscriptionId: String,
    occasion: String,
    businessId: String,
    number: Number,
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);
// An occasion is billed once.
invoiceSchema.index({ subscriptionId: 1, occasion: 1 }, { unique: true });
// A number is given once.
invoiceSchema.index({ businessId: 1, number: 1 }, { unique: true });
// The invoices of a subscription, oldest first.
invoiceSchema.index({ subscriptionId: 1, _id: 1 });
resumableIndexes(invoiceSchema);

/** How many invoices a business has been given numbers for. */
export interface InvoiceCount {
  /** The business. */
  _id: string;
  last: number;
}

export const invoiceCountSchema = new Schema<InvoiceCount>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);
