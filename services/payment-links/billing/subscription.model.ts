// The subscription: the resumable document that bills a customer. All that billing does is driven from
// here, one thing after the other: it has one invoice under way at a time, and its periods are billed in
// order. Moments with "business's clock" are that: in the sandbox a business may have a test clock
// (test-clock.ts). All others are real. All are epoch ms.

import { Schema } from "mongoose";
import type { SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import type { Card } from "../../../shared/partners/acquirer.ts";
import { type Resumable, resumableIndexes } from "../../../shared/resumable/document.ts";
import type { Customer } from "../payments/payment.model.ts";
import type { Plan } from "./plan.ts";

/**
 * What has to be done next; what leads from one to the other is in subscription-lifecycle.ts.
 * - wait: nothing until `dueAt`; then a boundary is passed, or seats are charged
 * - issue: what is billed is decided (`issuing`); its invoice is to be there
 * - collect: an attempt at the open invoice is under way
 * - retry: the attempt was declined; the next one is due at `dueAt`
 * - closed: cancelled, and nothing is asked any more but that its saved methods are forgotten
 */
export const SUBSCRIPTION_STEPS = ["wait", "issue", "collect", "retry", "closed"] as const;
export type SubscriptionStep = (typeof SUBSCRIPTION_STEPS)[number];

/** A change of seats; what it is worth is fixed when it is made. */
export interface SeatChange {
  id: string;
  /** Business's clock. Never before the last boundary that was decided. */
  at: number;
  from: number;
  to: number;
  /** In minor units, negative for a credit; 0 in the trial and for `next_cycle`. */
  amountMinor: number;
  /** What it is worth is charged at once, and not with the next period. */
  isImmediate: boolean;
}

/** What is being billed: once it is stored, nothing that could change it is taken any more. */
export interface Issuing {
  /** Unique within the subscription: `period:<number>` or `seats:<change>`, or `end`. */
  occasion: string;
  /** The moment, business's clock, up to which what happened counts. */
  at: number;
}

export interface Collecting {
  invoiceId: string;
  /** What is billed with it (Issuing). */
  occasion: string;
  /** From 1; each is a payment of its own. */
  attempt: number;
  paymentId: string;
  /** How many of the attempts were retries of the schedule (dunning.ts). */
  retries: number;
  /** When the first attempt was declined, business's clock; the schedule counts from it. */
  failedAt?: number;
}

/** A link with which the customer saves another method. */
export interface MethodLink {
  /** SHA-256 of its token. */
  tokenHash: string;
  expiresAt: number;
  /** The method that was saved with it, and the request that did. */
  methodId?: string;
  idempotencyKey?: string;
  requestHash?: string;
}

export interface Subscription extends Resumable<SubscriptionStatus> {
  step: SubscriptionStep;

  linkId: string;
  collectionAccountId: string;
  plan: Plan;
  /** Where its first period begins, and what all others are counted from; business's clock. */
  anchorAt: number;
  /** When the method was saved; business's clock. */
  setUpAt: number;

  customer: Customer;
  /** The saved method that is charged. */
  methodId: string;
  card: Card;
  methodLink?: MethodLink;

  /** Of the link, as they were. */
  name: string;
  itemDeliveryAddress: string;
  customData: Record<string, string>;
  fields: Record<string, string>;
  orderId?: string;
  externalId?: string;

  /** `setup:<linkId>:<SHA-256 of the key>`, for as long as the key is kept. */
  idempotencyKey?: string;
  requestHash: string;
  /** Keyed fingerprint of the network address that it was set up from, of its link alone. */
  address: string;
  /** The link, where it is used once. */
  holds?: string;

  /** Number of the boundary that is passed next: 0 is `anchorAt`, k the end of period k - 1. */
  boundary: number;
  /** When something is to be done next; business's clock. None: never, or not before it is known more. */
  dueAt?: number;

  /** As they are now. */
  seats: number;
  /** Those that are not on an invoice yet, in order. */
  changes: SeatChange[];
  /** So many entries its usage log has at least; none where nothing was used (usage-log.ts). */
  usageEntries?: number;
  /** What earlier invoices could not give back, in minor units; 0 or more. */
  creditMinor: number;

  issuing?: Issuing;
  collecting?: Collecting;

  /** The boundary with which it will be cancelled. */
  endsAtBoundary?: number;
  cancelledAt?: number;
  /** It was cancelled because the last attempt at an invoice was declined. */
  isUnpaid?: true;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const subscriptionSchema = new Schema<Subscription>(
  {
    _id: { type: String, required: true },
    step: { type: String, enum: SUBSCRIPTION_STEPS },
    status: String,
    businessId: String,
    linkId: String,
    idempotencyKey: String,
    holds: String,
    dueAt: Number,
    needsAttention: Boolean,
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);

const whereSet = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });
// A link that is used once: by one subscription.
subscriptionSchema.index({ holds: 1 }, { unique: true, ...whereSet("holds") });
// A key: one subscription.
subscriptionSchema.index({ idempotencyKey: 1 }, { unique: true, ...whereSet("idempotencyKey") });
// The checkout of a payment-method link.
subscriptionSchema.index(
  { "methodLink.tokenHash": 1 },
  { unique: true, ...whereSet("methodLink.tokenHash") },
);
resumableIndexes(subscriptionSchema);
// A test clock: what of its business is due, the earliest first.
subscriptionSchema.index({ businessId: 1, dueAt: 1 }, whereSet("dueAt"));
// The lists.
subscriptionSchema.index({ businessId: 1, _id: 1 });
subscriptionSchema.index({ businessId: 1, status: 1, _id: 1 });
subscriptionSchema.index({ businessId: 1, linkId: 1, _id: 1 });
