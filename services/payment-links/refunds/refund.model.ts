// The refund: the resumable document of money that goes back to a customer. Moments are epoch ms; when
// it was made is in its id.

import { Schema } from "mongoose";
import type { PaymentStatus } from "../../../shared/contracts/payment-links.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import type { Contradictable } from "../acquirers/late-answers.ts";

/**
 * What has to be done next; what leads from one to the other is in lifecycle.ts.
 * - allocate: its part of the payment is not known to be reserved
 * - post: reserved; the collection account was perhaps debited
 * - ask: debited and visible; the acquirer was perhaps asked
 * - reverse: the acquirer refused; the money is on its way back to the account
 * - closed: ended
 * - declined: never debited, never visible, nothing reserved
 */
export const REFUND_STEPS = ["allocate", "post", "ask", "reverse", "closed", "declined"] as const;
export type RefundStep = (typeof REFUND_STEPS)[number];

/** Why it was declined: the ledger's reasons, or more than what was left of the payment. */
export type RefundDecline = "exceeds" | "funds" | "disabled" | "bound" | "other";

/** It is PENDING until it ends; PENDING is no event. */
export interface Refund extends Resumable<PaymentStatus>, Contradictable {
  step: RefundStep;
  /**
   * The acquirer's key of the refund (`keyOf` reads it). It comes from the payment's key and the
   * reference, so that a restored system that is asked for it again has it paid back once.
   */
  key?: string;
  /** The acquirer's key of the charge; the payment's id where it is not there. */
  chargeKey?: string;
  /** The account is debited: others may see it. */
  visible: boolean;

  paymentId: string;
  /** The name of the acquirer that charged it. */
  acquirer: string;
  linkId: string;
  /** Where the money comes from. It never changes: an id is posted to one wallet. */
  collectionAccountId: string;
  currency: Currency;
  /** The caller's; it counts once for each payment. */
  reference: string;
  /** What was asked for, in minor units; null for all that is left. */
  askedMinor: number | null;
  /** What goes back to the customer, and the part of it that is the fee's; 0 until it is reserved. */
  amountMinor: number;
  feesMinor: number;

  declined?: RefundDecline;
  /** The acquirer's own code where it refused; it never leaves the service. */
  refused?: string;
  /**
   * An admin has said that nothing was paid back. The acquirer is not asked any more, and from this
   * moment on (epoch ms), when no question can be under way, the refund is reversed.
   */
  reverseAt?: number;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const refundSchema = new Schema<Refund>(
  {
    _id: { type: String, required: true },
    step: { type: String, enum: REFUND_STEPS },
    visible: Boolean,
    status: String,
    businessId: String,
    paymentId: String,
    currency: { type: String, enum: CURRENCIES },
    reference: String,
    key: String,
    needsAttention: Boolean,
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);
// A reference counts once for each payment.
refundSchema.index({ paymentId: 1, reference: 1 }, { unique: true });
// A key is asked of the acquirer for one refund; lists of the acquirer are compared by it.
refundSchema.index(
  { key: 1 },
  { unique: true, partialFilterExpression: { key: { $exists: true } } },
);
// The refunds of a payment, oldest first.
refundSchema.index({ paymentId: 1, _id: 1 }, { partialFilterExpression: { visible: true } });
// The admins' list of flagged refunds of all businesses.
refundSchema.index(
  { needsAttention: 1, _id: 1 },
  { partialFilterExpression: { needsAttention: true } },
);
// The sweeper: what is due, the longest first; and outboxes that nobody handed over.
for (const field of ["nextAttemptAt", "relayAt"] as const) {
  refundSchema.index({ [field]: 1 }, { partialFilterExpression: { [field]: { $exists: true } } });
}
