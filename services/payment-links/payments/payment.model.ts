// The payment: the resumable document of one charge of a customer. Moments are epoch ms; when it was
// made is in its id. Inserting it takes all that it needs to be alone: its link, where that is paid
// once, and its Idempotency-Key.

import { Schema } from "mongoose";
import type { PaymentStatus } from "../../../shared/contracts/payment-links.ts";
import { CURRENCIES, type Currency } from "../../../shared/money.ts";
import type { Card } from "../../../shared/partners/acquirer.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import type { Contradictable } from "../acquirers/late-answers.ts";
import type { LinkTerms } from "../links/link.model.ts";

/**
 * What has to be done next; what leads from one to the other is in lifecycle.ts.
 * - charge: the acquirer was perhaps asked, its word is not stored
 * - post: captured; the money is to be in the ledger
 * - closed: succeeded or failed, and nothing is asked any more
 */
export const PAYMENT_STEPS = ["charge", "post", "closed"] as const;
export type PaymentStep = (typeof PAYMENT_STEPS)[number];

export interface Customer {
  email: string;
  firstName: string;
  lastName: string;
  phone: string;
}

/** A payment that a subscription makes, without its customer. */
export interface Renewal {
  subscriptionId: string;
  invoiceId: string;
  /** From 1; each attempt at the invoice is a payment of its own. */
  attempt: number;
  methodId: string;
}

/**
 * PENDING is no event, so its states begin with its end. A second SUCCEEDED stands for the NOTIFICATION
 * that follows where the link asks for one.
 */
export interface Payment extends Resumable<PaymentStatus>, Contradictable {
  step: PaymentStep;
  /**
   * The acquirer's key of the charge (`keyOf` reads it). A renewal's key comes from its
   * subscription, occasion and attempt, so that a system restored to an earlier moment asks for the
   * same charge again, and the customer pays once. A one-time payment's key is its id, because
   * nothing else tells one payment of a customer from the next one. So a restored system does not
   * know of a charge if the restore has lost its payment; only the acquirer's own list shows it.
   */
  key?: string;

  linkId: string;
  /** Where the money goes. It never changes: an id is posted to one wallet. */
  collectionAccountId: string;
  currency: Currency;
  /** What is charged, in minor units: the link's at its creation, whatever was configured since. */
  totalMinor: number;
  feesMinor: number;
  /** What is credited: the total less the fees. */
  amountMinor: number;
  card: Card;
  /** The name of the acquirer that is asked. */
  acquirer: string;
  customer: Customer;
  /** What else the link asks for, as far as it was filled. */
  fields: Record<string, string>;

  /** Of the link, as they were. */
  name: string;
  itemDeliveryAddress: string;
  customData: Record<string, string>;
  orderId?: string;
  externalId?: string;
  /** Whom a NOTIFICATION names. */
  notifyPayee: boolean;
  agent?: LinkTerms["agent"];

  /** Of a renewal: the invoice that it pays, and the saved method that is charged. */
  renewal?: Renewal;

  /** Keyed fingerprint of the network address that it came from, of this link alone. */
  address: string;
  /** `<linkId>:<SHA-256 of the key>`, for as long as the key is kept. */
  idempotencyKey?: string;
  /** Keyed fingerprint of what was asked for under the key. */
  requestHash: string;
  /** Nobody waits for its outcome any more; from then on no request charges it. */
  deadline: number;
  /** The link, where it is paid once: held from the insert on, for good once it succeeded. */
  holds?: string;

  /** Sums of what is refunded, or about to be. */
  refundedMinor: number;
  refundedFeesMinor: number;
  /** The parts that make up these sums (refund-allocation.ts). */
  refunds?: { id: string; amountMinor: number; feesMinor: number }[];

  /** The acquirer's own code where it declined; it never leaves the service. */
  declined?: string;
  /** What the customer and the merchant may read; once FAILED. */
  failureReason?: string;
}

/** Only what filters and indexes name is typed here: documents are read and written as they are. */
export const paymentSchema = new Schema<Payment>(
  {
    _id: { type: String, required: true },
    step: { type: String, enum: PAYMENT_STEPS },
    status: String,
    businessId: String,
    linkId: String,
    key: String,
    currency: { type: String, enum: CURRENCIES },
    address: String,
    idempotencyKey: String,
    holds: String,
    declined: String,
    needsAttention: Boolean,
    nextAttemptAt: Number,
    relayAt: Number,
  },
  { versionKey: false, strict: false },
);

const whereSet = (field: keyof Payment) => ({
  partialFilterExpression: { [field]: { $exists: true } },
});
// A link that is paid once: by one payment.
paymentSchema.index({ holds: 1 }, { unique: true, ...whereSet("holds") });
// A key: one payment.
paymentSchema.index({ idempotencyKey: 1 }, { unique: true, ...whereSet("idempotencyKey") });
// One charge for each acquirer's key. Also finds the payment of an entry in an acquirer's list.
paymentSchema.index({ key: 1 }, { unique: true, ...whereSet("key") });
// The decline limit: what was declined of an address since a moment.
paymentSchema.index({ address: 1, _id: 1 }, whereSet("declined"));
// The sweeper: what is due, the longest first; and outboxes that nobody handed over.
paymentSchema.index({ nextAttemptAt: 1 }, whereSet("nextAttemptAt"));
paymentSchema.index({ relayAt: 1 }, whereSet("relayAt"));
// The lists, and how many payments of a link succeeded.
paymentSchema.index({ businessId: 1, _id: 1 });
paymentSchema.index({ businessId: 1, status: 1, _id: 1 });
paymentSchema.index({ linkId: 1, _id: 1 });
paymentSchema.index({ linkId: 1, status: 1, _id: 1 });
paymentSchema.index(
  { "renewal.subscriptionId": 1, _id: 1 },
  { partialFilterExpression: { "renewal.subscriptionId": { $exists: true } } },
);
paymentSchema.index(
  { businessId: 1, needsAttention: 1, _id: 1 },
  { partialFilterExpression: { needsAttention: true } },
);
// The admins' list of flagged payments of all businesses.
paymentSchema.index(
  { needsAttention: 1, _id: 1 },
  { partialFilterExpression: { needsAttention: true } },
);
