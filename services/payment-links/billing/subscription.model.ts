// The subscription: the resumable document that bills a customer. It drives its invoices one after
// the other, and its periods are billed in order. Times marked "business's clock" go by the test
// clock of the business if it has one (test-clock.ts); all other times are real. All are epoch ms.

import type { Card } from "../../../partners/types.ts";
import type { SubscriptionStatus } from "../../../shared/contracts/subscriptions.ts";
import { IN_ANY_CASE } from "../../../shared/email.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import { resumableSchema } from "../../../shared/resumable/schema.ts";
import { whereSet } from "../../../shared/storage/indexes.ts";
import type { CopiedTerms } from "../links/link.model.ts";
import { type Customer, OF_CUSTOMER } from "../payments/payment.model.ts";
import type { Plan } from "./plan.ts";

/**
 * The work that is next; subscription-lifecycle.ts shows the order of the steps.
 * - wait: nothing until `dueAt`; then a boundary is passed, or seats are charged
 * - issue: the next invoice is decided (`issuing`), and is to be stored and tried once
 * - collect: the outcome of an attempt at the open invoice is unknown, or another one is under way
 * - retry: the attempt was declined; the next one is due at `dueAt`
 * - closed: cancelled; only its saved methods are still to be deleted
 */
export type SubscriptionStep = "wait" | "issue" | "collect" | "retry" | "closed";

/** A change of seats; its amount is fixed when it is made. */
export interface SeatChange {
  /** `<number>-<from>-<to>`, unique within the subscription (seat-changes.ts). */
  id: string;
  /** Business's clock. Never before the cut-off (due-dates.ts). */
  at: number;
  from: number;
  to: number;
  /** In minor units, negative for a credit; 0 in the trial and for `next_cycle`. */
  amountMinor: number;
  /** Its amount is charged immediately, and not with the next period. */
  isImmediate: boolean;
}

/**
 * The invoice that is being issued: once this is stored, no request changes the invoice any more.
 */
export interface Issuing {
  /** `period:<number>`, `seats:<change>` or `end` (occasion.ts); unique within the subscription. */
  occasion: string;
  /** The time up to which events count; business's clock. */
  at: number;
}

export interface Collecting {
  invoiceId: string;
  occasion: string;
  /** From 1; each attempt is a payment of its own. */
  attempt: number;
  paymentId: string;
  /** The number of attempts that were retries of the schedule (dunning.ts). */
  retries: number;
  /** When the first attempt was declined, business's clock; the schedule counts from it. */
  failedAt?: number;
}

/** A link with which the customer saves another method. */
export interface MethodLink {
  /** SHA-256 of its token. */
  tokenHash: string;
  expiresAt: number;
  /** The method that was saved with the link, and the request that saved it. */
  methodId?: string;
  idempotencyKey?: string;
  requestHash?: string;
}

export interface Subscription extends Resumable<SubscriptionStatus>, CopiedTerms {
  step: SubscriptionStep;

  linkId: string;
  collectionAccountId: string;
  plan: Plan;
  /** The beginning of its first period, from which all others are counted; business's clock. */
  anchorAt: number;
  /** When the method was saved; business's clock. */
  setUpAt: number;

  customer: Customer;
  /** The saved method that is charged. */
  methodId: string;
  card: Card;
  methodLink?: MethodLink;

  /** SHA-256 of the token of its customer (subscriber.ts); none of an earlier release. */
  subscriberHash?: string;

  /** The filled values of the link's own fields. */
  fields: Record<string, string>;

  /** `setup:<linkId>:<SHA-256 of the key>`, until the key expires. */
  idempotencyKey?: string;
  requestHash: string;
  /** Keyed fingerprint of the network address of the customer at this link. */
  address: string;
  /**
   * The link, if it can be used once. At an open link the customer, as in a payment, for some
   * minutes if the request says `once`.
   */
  holds?: string;

  /** The number of the boundary that is passed next: 0 is `anchorAt`, k the end of period k - 1. */
  boundary: number;
  /** When the driver acts next; business's clock. None: never, or once it is released (hold.ts). */
  dueAt?: number;

  seats: number;
  /** The number of changes of seats so far, which names the next one; none before the first. */
  seatChanges?: number;
  /** The changes that are not on an invoice yet, in order. */
  changes: SeatChange[];
  /** The least number of entries in its usage log; none without usage (usage-log.ts). */
  usageEntries?: number;
  /** The credit that earlier invoices could not give back, in minor units; 0 or more. */
  creditMinor: number;

  /** Since when it is held after a restore, epoch ms (hold.ts). */
  heldSince?: number;

  issuing?: Issuing;
  collecting?: Collecting;

  /** The requests that last changed its seats or cancelled it, each by the id that it made. */
  requests?: string[];

  /** The boundary at which it will be cancelled. */
  endsAtBoundary?: number;
  cancelledAt?: number;
  /** It was cancelled because the last attempt at an invoice was declined. */
  isUnpaid?: true;
}

export const subscriptionSchema = resumableSchema<Subscription>({
  step: String,
  linkId: String,
  idempotencyKey: String,
  holds: String,
  dueAt: Number,
});

// One subscription uses a link that can be used once.
subscriptionSchema.index({ holds: 1 }, { unique: true, ...whereSet("holds") });
// One subscription has a key.
subscriptionSchema.index({ idempotencyKey: 1 }, { unique: true, ...whereSet("idempotencyKey") });
// The checkout of a payment-method link.
subscriptionSchema.index(
  { "methodLink.tokenHash": 1 },
  { unique: true, ...whereSet("methodLink.tokenHash") },
);
// A test clock: the due subscriptions of its business, the earliest first.
subscriptionSchema.index({ businessId: 1, dueAt: 1 }, whereSet("dueAt"));
// The lists.
subscriptionSchema.index({ businessId: 1, _id: 1 });
subscriptionSchema.index({ businessId: 1, status: 1, _id: 1 });
subscriptionSchema.index({ businessId: 1, linkId: 1, _id: 1 });
// The export and the erasure of a customer.
subscriptionSchema.index(OF_CUSTOMER, IN_ANY_CASE);
