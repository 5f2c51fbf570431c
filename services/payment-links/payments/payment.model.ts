// The payment: the resumable document of one charge of a customer. Moments are epoch ms; the id
// holds the creation time. The insert takes the claims that allow only one payment: on its link, if
// that is paid once, and on its Idempotency-Key.

import type { Card } from "../../../partners/types.ts";
import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { PaymentStatus } from "../../../shared/contracts/payments.ts";
import { IN_ANY_CASE } from "../../../shared/email.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import { resumableSchema, WAITING_INDEX } from "../../../shared/resumable/schema.ts";
import { whereSet } from "../../../shared/storage/indexes.ts";
import type { Contradictable } from "../acquirers/acquirer.ts";
import type { CopiedTerms, LinkTerms, Payee } from "../links/link.model.ts";

/**
 * The next thing to do; lifecycle.ts has the transitions between the steps.
 * - charge: the acquirer may have been asked, its answer is not stored
 * - post: captured; the posting to the ledger is next
 * - closed: succeeded or failed
 */
export type PaymentStep = "charge" | "post" | "closed";

export interface Customer {
  email: string;
  firstName: string;
  lastName: string;
  phone: string;
}

/** The renewal that a payment makes for a subscription, without its customer. */
export interface Renewal {
  subscriptionId: string;
  invoiceId: string;
  /** From 1; each attempt at the invoice is a payment of its own. */
  attempt: number;
  methodId: string;
}

/** A payment keeps at most this many refunds that have moved money. */
export const MOST_REFUNDS = 200;

/**
 * PENDING is no event, so the states begin with the end. A second SUCCEEDED stands for the
 * NOTIFICATION that follows if the link asks for one.
 */
export interface Payment extends Resumable<PaymentStatus>, Contradictable, CopiedTerms {
  step: PaymentStep;
  /**
   * The acquirer's key of the charge (`acquirerKey` reads it). A renewal's key comes from its
   * subscription, occasion and attempt, so that a system restored to an earlier moment asks for the
   * same charge again, and the customer pays once. A one-time payment's key is its id, because
   * nothing else distinguishes two payments of one customer. So a restored system does not
   * know of a charge if the restore has lost its payment; only the acquirer's own list shows it.
   */
  key?: string;

  linkId: string;
  /** The account that gets the money. It never changes, because an id is posted to one wallet. */
  collectionAccountId: string;
  currency: Currency;
  /** The charged sum in minor units, as the link or the invoice had it. */
  totalMinor: number;
  /**
   * The sum of the link or the invoice, if an admin has replaced it by the sum that the acquirer
   * has captured (other-sum.ts).
   */
  askedMinor?: number;
  fee: FeeSnapshot;
  feesMinor: number;
  /** The credited sum: the total less the fees. */
  amountMinor: number;
  card: Card;
  /** The name of the acquirer that charges. */
  acquirer: string;
  customer: Customer;
  /** The filled values of the link's own fields. */
  fields: Record<string, string>;

  /** The recipients of a NOTIFICATION. */
  notifyPayee: boolean;
  /** The business; a payment of a link that does not have it has none. */
  payee?: Payee;
  agent?: LinkTerms["agent"];

  /** Set for a renewal: the invoice that it pays, and the saved method that is charged. */
  renewal?: Renewal;

  /** Keyed fingerprint of the customer's network address at this link. */
  address: string;
  /** `<linkId>:<SHA-256 of the key>`, while the key stands for this payment. */
  idempotencyKey?: string;
  /** Keyed fingerprint of the request that came with the key. */
  requestHash: string;
  /** From then on no caller waits for the outcome, and no request charges; epoch ms. */
  deadline: number;
  /**
   * Until then the customer may confirm the charge with the card's issuer (3-D Secure), and the
   * acquirer is asked for the outcome; epoch ms. After it a void ends the charge.
   */
  confirmUntil?: number;
  /**
   * The link, if it is paid once: held from the insert on, and for good after a success. At an open
   * link `<linkId>:<fingerprint of the customer's e-mail address>` if the request says `once`: held
   * while PENDING, and for some minutes after a success.
   */
  holds?: string;

  /** Sums of the refunds, those under way included. */
  refundedMinor: number;
  refundedFeesMinor: number;
  /** The parts that make up these sums (refund-allocation.ts). */
  refunds?: { id: string; amountMinor: number; feesMinor: number }[];

  /** The acquirer's own code of a decline; it never leaves the service. */
  declined?: string;
  /** The reason that the customer and the merchant may read; set once FAILED. */
  failureReason?: string;
}

export const paymentSchema = resumableSchema<Payment>({
  step: String,
  linkId: String,
  key: String,
  currency: String,
  address: String,
  idempotencyKey: String,
  holds: String,
  declined: String,
  acquirer: String,
  totalMinor: Number,
  orderId: String,
});

// A link that is paid once has one payment, and a customer has one at a time.
paymentSchema.index({ holds: 1 }, { unique: true, ...whereSet("holds") });
// An Idempotency-Key has one payment.
paymentSchema.index({ idempotencyKey: 1 }, { unique: true, ...whereSet("idempotencyKey") });
// One charge for each acquirer's key. Also finds the payment of an entry in an acquirer's list.
paymentSchema.index({ key: 1 }, { unique: true, ...whereSet("key") });
// The decline limit: the declines of an address since a moment.
paymentSchema.index({ address: 1, _id: 1 }, whereSet("declined"));
/** The lists of a business, and its statistics. */
export const OF_BUSINESS = { businessId: 1, _id: 1 } as const;
paymentSchema.index(OF_BUSINESS);
/** The list of a business's transactions by status, and by amount, if few have it. */
export const BY_STATUS = { businessId: 1, status: 1, _id: 1 } as const;
export const BY_AMOUNT = { businessId: 1, totalMinor: 1, _id: 1 } as const;
/** The payments with an order number, of one business and of all. */
export const BY_ORDER = { orderId: 1, businessId: 1, _id: -1 } as const;
paymentSchema.index(BY_STATUS);
paymentSchema.index(BY_AMOUNT);
paymentSchema.index(BY_ORDER, whereSet("orderId"));
// The other lists, and the count of a link's payments that succeeded.
paymentSchema.index({ linkId: 1, _id: 1 });
paymentSchema.index({ linkId: 1, status: 1, _id: 1 });
paymentSchema.index({ "renewal.subscriptionId": 1, _id: 1 }, whereSet("renewal.subscriptionId"));
/** The export and the erasure of a customer; in the collation of emails (shared/email.ts). */
export const OF_CUSTOMER = { businessId: 1, "customer.email": 1, _id: -1 } as const;
paymentSchema.index(OF_CUSTOMER, IN_ANY_CASE);
/** The list of a business's flagged payments. */
export const FLAGGED_OF_BUSINESS = { businessId: 1, needsAttention: 1, _id: 1 } as const;
paymentSchema.index(FLAGGED_OF_BUSINESS, { partialFilterExpression: { needsAttention: true } });
// The payments about which an acquirer has given no answer.
paymentSchema.index(WAITING_INDEX.acquirer, whereSet("unknownSince"));
