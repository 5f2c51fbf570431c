// The catalogue of webhook events: the statuses and the payload of each type. EVENT_TYPES, the
// check of `eventTypes`, the OpenAPI document and the table of docs/integrate/webhooks.md are made
// from it, and the compiler checks every producer against it. A new event is an entry in both
// tables here, a producer, and its check in tools/verify/kinds.

import { list, object } from "./compound-fields.ts";
import { currency, money } from "./contract.ts";
import { type Field, type Fields, type Infer, nullable, optional } from "./field.ts";
import { email, integer, number, oneOf, text, timestamp, uuid } from "./fields.ts";
import { CHARGE_TYPES } from "./payment-link-data.ts";
import { customer } from "./payments.ts";
import { webhookPayload } from "./payouts.ts";
import { paymentMetadata, STATUSES } from "./transactions.ts";

/** The statuses of each type of event. */
export const EVENT_STATUSES = {
  WITHDRAWAL: STATUSES,
  COLLECTION: ["SUCCEEDED", "FAILED"],
  NOTIFICATION: ["SUCCEEDED"],
  REFUND: ["SUCCEEDED", "FAILED"],
  SUBSCRIPTION: ["created", "past_due", "cancelled"],
  INVOICE: ["paid", "failed"],
  FUNDING: ["SUCCEEDED"],
  ADJUSTMENT: ["SUCCEEDED"],
  TRANSFER: ["SUCCEEDED"],
  BALANCE: ["LOW"],
  ENDPOINT: ["disabled"],
  TEST: ["TEST"],
  LEDGER: ["HEAD"],
} as const satisfies Record<string, readonly string[]>;

export type EventType = keyof typeof EVENT_STATUSES;

/** All types of events, in the order of the table. */
export const EVENT_TYPES = Object.keys(EVENT_STATUSES) as EventType[];

/** The types that an endpoint gets if it names none; the others go only to those that name them. */
export const DEFAULT_EVENT_TYPES = EVENT_TYPES.filter((type) => type !== "LEDGER");

const epochMs = integer({
  min: 0,
  note: "When it happened, in milliseconds since 1970, by the real clock",
  example: 1_763_757_600_000,
});
const majorUnits = number({ note: "The amount in major units, such as dollars", example: 25 });
const reason = text({
  min: 0,
  note: "Why it happened, for people; empty without a reason",
  example: "",
});

/** The fields of every event of a payment link. */
const ofLink = {
  transactionId: uuid({ note: "Events with the same id are delivered in order" }),
  paymentLinkId: uuid({ note: "The payment link that it belongs to" }),
  amount: majorUnits,
  currency,
  timestamp: epochMs,
  reason,
};
const orderId = nullable(text({ note: "The orderId of the payment link", example: "1042" }));
const externalId = nullable(
  text({ note: "The externalId of the payment link", example: "spring-2026" }),
);
const paymentId = uuid({ note: "The payment" });
const collectionAccountId = uuid({ note: "The collection account that holds the money" });

const collection = {
  ...ofLink,
  paymentId,
  collectionAccountId,
  fees: money("The fee", "1.06"),
  net: money("The amount that the collection account is credited with"),
  customer,
  metadata: paymentMetadata,
  orderId,
  externalId,
};

const recipient = object(
  {
    type: optional(
      text({ note: "The role of the recipient; the business is `payee`", example: "payee" }),
    ),
    email: optional(email({ note: "Where the message should go" })),
    name: optional(text({ note: "The name of the recipient", example: "Acme" })),
  },
  { name: "NotificationRecipient", note: "A person whom you should tell" },
);

const notification = {
  ...ofLink,
  paymentId,
  recipients: list(recipient, { max: 10, note: "The people whom you should tell" }),
};

const refund = {
  ...ofLink,
  refundId: uuid({ note: "The refund" }),
  paymentId,
  feesReturned: money("The part of the fee that you get back", "0.73"),
  reference: text({ note: "The reference of the request for the refund", example: "return-17" }),
};

/** Texts in ISO 8601 are times of the business's clock, which a test clock may have set. */
const subscription = {
  ...ofLink,
  subscriptionId: uuid({ note: "The subscription" }),
  collectionAccountId,
  type: oneOf(CHARGE_TYPES, { note: "How the subscription is charged" }),
  startDate: timestamp({ note: "When its first period begins" }),
  cancelledAt: nullable(timestamp({ note: "When it was cancelled" })),
  orderId,
  externalId,
};

const invoice = {
  ...ofLink,
  invoiceId: uuid({ note: "The invoice" }),
  paymentId: nullable(uuid({ note: "The attempt to charge it, which is a payment" })),
  subscriptionId: uuid({ note: "The subscription" }),
  number: integer({ min: 1, note: "Counts the invoices of the business", example: 7 }),
  periodStart: timestamp({ note: "When the period of the invoice begins" }),
  periodEnd: timestamp({ note: "When the period of the invoice ends" }),
  charged: money("What the card was charged", "26.06"),
  nextAttemptAt: nullable(timestamp({ note: "When the card is charged again" })),
};

/** The fields of every event of a wallet. */
const ofWallet = {
  transactionId: uuid({ note: "Events with the same id are delivered in order" }),
  walletId: uuid({ note: "The wallet" }),
  entityId: uuid({ note: "Its owner: an end user, or the business itself" }),
  currency,
  balance: money("The balance of the wallet right after it", "74.50"),
  timestamp: epochMs,
  reason,
};

const movement = {
  ...ofWallet,
  amount: majorUnits,
  reference: text({ note: "The reference of the request", example: "wire-311" }),
};

const transfer = {
  ...movement,
  walletId: uuid({ note: "The wallet that was debited" }),
  toWalletId: uuid({ note: "The wallet that was credited" }),
};

const balance = {
  ...ofWallet,
  lowBalanceAt: money("The balance below which you are told", "100.00"),
};

const endpoint = {
  endpointId: uuid({ note: "The endpoint that was switched off" }),
  url: text({ max: 2_048, note: "Its address", example: "https://example.com/webhooks" }),
  reason,
  timestamp: epochMs,
};

const ledger = {
  head: text({
    max: 100_000,
    note: "A signed head of the ledger for your business, a JWS in its compact form",
    example: "eyJhbGciOiJFUzI1NiIsInR5cCI6InBheXJhaWwtaGVhZCtqd3QifQ.eyJpYXQiOjE3NjN9.c2lnbg",
  }),
  timestamp: epochMs,
};

/** @param name of its schema, without "Event" */
function event<T extends EventType, F extends Fields>(
  type: T,
  name: string,
  payload: F,
  note: string,
) {
  return object(
    {
      eventType: oneOf([type], { note: "The type of the event" }),
      status: oneOf<(typeof EVENT_STATUSES)[T][number]>(EVENT_STATUSES[type], {
        note: "What has happened",
      }),
      payload: object(payload, { name: `${name}Payload`, note: "What the event is about" }),
    },
    { name: `${name}Event`, note },
  );
}

/** The body of each type of event. */
export const EVENT_BODIES = {
  WITHDRAWAL: webhookPayload,
  COLLECTION: event(
    "COLLECTION",
    "Collection",
    collection,
    "A payment through a payment link has ended",
  ),
  NOTIFICATION: event(
    "NOTIFICATION",
    "Notification",
    notification,
    "A payment has succeeded, and its link asks that people are told",
  ),
  REFUND: event("REFUND", "Refund", refund, "A refund of a payment has ended"),
  SUBSCRIPTION: event(
    "SUBSCRIPTION",
    "Subscription",
    subscription,
    "A subscription was created or cancelled, or a charge of it has failed",
  ),
  INVOICE: event(
    "INVOICE",
    "Invoice",
    invoice,
    "An invoice of a subscription was paid, or an attempt to charge it has failed",
  ),
  FUNDING: event("FUNDING", "Funding", movement, "A wallet was credited from outside"),
  ADJUSTMENT: event(
    "ADJUSTMENT",
    "Adjustment",
    movement,
    "An operator has corrected the balance of a wallet",
  ),
  TRANSFER: event(
    "TRANSFER",
    "WalletTransfer",
    transfer,
    "Money was moved from one wallet to another",
  ),
  BALANCE: event(
    "BALANCE",
    "Balance",
    balance,
    "The balance of a wallet has fallen below its lowBalanceAt",
  ),
  ENDPOINT: event(
    "ENDPOINT",
    "Endpoint",
    endpoint,
    "Another endpoint of yours was switched off, because it did not take its events",
  ),
  TEST: event("TEST", "Test", {}, "You have asked for a test of the endpoint"),
  LEDGER: event(
    "LEDGER",
    "Ledger",
    ledger,
    "The head of the ledger of this hour, for endpoints that name the type LEDGER",
  ),
} satisfies Record<EventType, Field>;

/** The body of an event of a type; of any type by default. */
export type EventBody<T extends EventType = EventType> = {
  [K in T]: Infer<typeof EVENT_BODIES>[K];
}[T];
