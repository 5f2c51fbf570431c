// The refund: the resumable document of money that goes back to a customer. Moments are epoch ms;
// the id holds the creation time.

import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { PaymentStatus } from "../../../shared/contracts/payments.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import { resumableSchema, WAITING_INDEX } from "../../../shared/resumable/schema.ts";
import { whereSet } from "../../../shared/storage/indexes.ts";
import type { Contradictable } from "../acquirers/acquirer.ts";

/**
 * The next thing to do; lifecycle.ts has the transitions between the steps.
 * - allocate: its part of the payment is not known to be reserved
 * - post: reserved; the collection account may be debited
 * - ask: debited and visible; the acquirer may have been asked
 * - reverse: the acquirer refused; the money is on its way back to the account
 * - closed: ended
 * - declined: never debited, never visible, nothing reserved
 */
export type RefundStep = "allocate" | "post" | "ask" | "reverse" | "closed" | "declined";

/** Why it was declined: the ledger's reasons, or `exceeds`, if the payment had too little left. */
export type RefundDecline = "exceeds" | "funds" | "disabled" | "bound" | "other";

/** A refund is PENDING until it ends; PENDING is no event. */
export interface Refund extends Resumable<PaymentStatus>, Contradictable {
  step: RefundStep;
  /**
   * The acquirer's key of the refund (`acquirerKey` reads it). It comes from the payment's key and
   * the reference, so that the acquirer pays back once, even if a restored system asks for it
   * again.
   */
  key?: string;
  /** The acquirer's key of the charge; the payment's id if it is unset. */
  chargeKey?: string;
  /** The account is debited, and the merchant sees the refund. */
  visible: boolean;

  paymentId: string;
  /** The name of the acquirer that charged the payment. */
  acquirer: string;
  linkId: string;
  /** The account that pays. It never changes, because an id is posted to one wallet. */
  collectionAccountId: string;
  currency: Currency;
  /** The caller's reference; it counts once for each payment. */
  reference: string;
  /** The requested sum in minor units; null for the rest of the payment. */
  askedMinor: number | null;
  /** The refunded sum, and the part of it that is the fee's; 0 until they are reserved. */
  amountMinor: number;
  feesMinor: number;
  /** The payment's. */
  fee: FeeSnapshot;

  declined?: RefundDecline;
  /** The acquirer's own code of a refusal; it never leaves the service. */
  refused?: string;
  /**
   * Set by an admin's decision that nothing was paid back. The acquirer is not asked any more, and
   * the refund is reversed from this moment on (epoch ms), when no question can be under way.
   */
  reverseAt?: number;
}

export const refundSchema = resumableSchema<Refund>({
  step: String,
  visible: Boolean,
  paymentId: String,
  currency: String,
  reference: String,
  key: String,
  acquirer: String,
});
// A reference counts once for each payment.
refundSchema.index({ paymentId: 1, reference: 1 }, { unique: true });
// Each key of the acquirer belongs to one refund. Also finds the refund of an entry in its list.
refundSchema.index({ key: 1 }, { unique: true, ...whereSet("key") });
// The refunds of a payment.
refundSchema.index({ paymentId: 1, _id: 1 }, { partialFilterExpression: { visible: true } });
/** A business's list and its statistics; its lists by status, and by amount, if few have it. */
export const OF_BUSINESS = { businessId: 1, _id: 1 } as const;
export const BY_STATUS = { businessId: 1, status: 1, _id: 1 } as const;
export const BY_AMOUNT = { businessId: 1, visible: 1, amountMinor: 1, _id: 1 } as const;
/** The refunds with a reference, of one business and of all. */
export const BY_REFERENCE = { reference: 1, businessId: 1, _id: -1 } as const;
for (const index of [OF_BUSINESS, BY_STATUS, BY_AMOUNT, BY_REFERENCE]) {
  refundSchema.index(index, { partialFilterExpression: { visible: true } });
}
/** The list of a business's flagged refunds. */
export const FLAGGED_OF_BUSINESS = { businessId: 1, needsAttention: 1, _id: 1 } as const;
refundSchema.index(FLAGGED_OF_BUSINESS, { partialFilterExpression: { needsAttention: true } });
// The refunds about which an acquirer has given no answer.
refundSchema.index(WAITING_INDEX.acquirer, whereSet("unknownSince"));
