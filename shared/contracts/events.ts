// The catalogue of webhook events: the statuses and the payload of each type. EVENT_TYPES, the
// check of `eventTypes`, the OpenAPI document and the table of docs/webhooks.md are made from it,
// and the compiler checks every producer against it. A new event is an entry in both tables here,
// a producer, and its check in verification/kinds.

import type { Infer } from "../field.ts";
import type { Currency } from "../money.ts";
import type { webhookPayload } from "./payouts.ts";
import { STATUSES } from "./transactions.ts";

/** The statuses of each type of event. */
export const EVENT_STATUSES = {
  WITHDRAWAL: STATUSES,
  COLLECTION: ["SUCCEEDED", "FAILED"],
  NOTIFICATION: ["SUCCEEDED"],
  REFUND: ["SUCCEEDED", "FAILED"],
  SUBSCRIPTION: ["created", "past_due", "cancelled"],
  INVOICE: ["paid", "failed"],
  ENDPOINT: ["disabled"],
  TEST: ["TEST"],
} as const satisfies Record<keyof Payloads, readonly string[]>;

export type EventType = keyof typeof EVENT_STATUSES;

/** All types of events, in the order of the table. */
export const EVENT_TYPES = Object.keys(EVENT_STATUSES) as EventType[];

/** The body of an event of a type; of any type by default. */
export type EventBody<T extends EventType = EventType> = {
  [K in T]: {
    eventType: K;
    status: (typeof EVENT_STATUSES)[K][number];
    payload: Payloads[K];
  };
}[T];

interface Payloads {
  WITHDRAWAL: Infer<{ body: typeof webhookPayload }>["body"]["payload"];
  COLLECTION: Collection;
  NOTIFICATION: Notification;
  REFUND: Refund;
  SUBSCRIPTION: Subscription;
  INVOICE: Invoice;
  ENDPOINT: Endpoint;
  TEST: Record<string, never>;
}

/** The fields of every event of a payment link. */
interface OfLink {
  transactionId: string;
  paymentLinkId: string;
  /** Major units. */
  amount: number;
  currency: Currency;
  /** Epoch ms of the change, by the real clock. */
  timestamp: number;
  /** A text for people; empty without a reason. */
  reason: string;
}

interface Collection extends OfLink {
  paymentId: string;
  collectionAccountId: string;
  /** Decimal text in major units, as is `net`, the credited amount. */
  fees: string;
  net: string;
  customer: { email: string; firstName: string; lastName: string; phone: string };
  metadata: {
    itemDeliveryAddress: string;
    customData: Record<string, string>;
    fields: Record<string, string>;
  };
  orderId: string | null;
  externalId: string | null;
}

interface Notification extends OfLink {
  paymentId: string;
  /** The business as `payee`, and the link's agent with the texts that the link has of it. */
  recipients: { type?: string; email?: string; name?: string }[];
}

interface Refund extends OfLink {
  refundId: string;
  paymentId: string;
  /** Decimal text in major units. */
  feesReturned: string;
  reference: string;
}

/** ISO texts are times of the business's clock, which a test clock may have set. */
interface Subscription extends OfLink {
  subscriptionId: string;
  collectionAccountId: string;
  type: string;
  startDate: string;
  cancelledAt: string | null;
  orderId: string | null;
  externalId: string | null;
}

interface Invoice extends OfLink {
  invoiceId: string;
  paymentId: string | null;
  subscriptionId: string;
  number: number;
  periodStart: string;
  periodEnd: string;
  /** Decimal text in major units. */
  charged: string;
  nextAttemptAt: string | null;
}

/** The fields of an event about an endpoint that payrail has switched off. */
interface Endpoint {
  endpointId: string;
  url: string;
  reason: string;
  /** Epoch ms. */
  timestamp: number;
}
