// Contracts of payment-links: payments, refunds, and both as transactions.

import { LONGEST_PHONE, readDigits, readPhone } from "../as-written.js";
import { attentionAction, byKind, byState } from "./attention.ts";
import { object } from "./compound-fields.ts";
import {
  action,
  businessId,
  changed,
  created,
  currency,
  cursorPage,
  money,
  page,
  paging,
} from "./contract.ts";
import { nullable, optional } from "./field.ts";
import {
  amount,
  anyText,
  anything,
  boolean,
  email,
  id,
  integer,
  normalised,
  oneOf,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { whereAreAction, whereIsAction } from "./find.ts";
import { partnersAction } from "./partners.ts";
import { statisticsAction } from "./statistics.ts";
import { collectionFilter, paymentMetadata, timeline, transaction } from "./transactions.ts";

export const PAYMENT_STATUSES = ["PENDING", "SUCCEEDED", "FAILED"] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const customerFields = {
  email: email({ note: "Email address of the customer" }),
  firstName: text({ note: "First name of the customer", example: "Ada" }),
  lastName: text({ note: "Last name of the customer", example: "Lovelace" }),
  phone: normalised(
    readPhone,
    `a phone number such as +1 555 0100, of at least 4 digits and at most ${LONGEST_PHONE} characters`,
    { maxLength: LONGEST_PHONE },
    {
      note: "Phone number of the customer. Other forms are read too, such as +1/555/0100 x5, and kept in this one",
      example: "+1 555 0100",
      keywords: { pattern: "^[+]?([ ().-]*[0-9]){4,}[ ().-]*( ext[.] [0-9]{1,8})?$" },
    },
  ),
};
export const customer = object(customerFields, { name: "Customer", note: "The person who pays" });

const STATUS = "PENDING: the outcome is not known yet";
const refund = object(
  {
    id: uuid({ note: "The id of the refund" }),
    paymentId: uuid({ note: "The payment that is refunded" }),
    status: oneOf(PAYMENT_STATUSES, { note: STATUS }),
    amount: money("The amount that the customer gets back"),
    feesReturned: money("The part of the fee that you get back", "0.73"),
    currency,
    reference: text({ note: "The reference of the request", example: "return-17" }),
    reason: nullable(
      text({ note: "Why the refund failed", example: "The card does not take refunds." }),
    ),
    needsAttention: boolean({
      note: "Whether an operator has to decide about it",
    }),
    createdAt: created,
  },
  { name: "Refund", note: "A refund of a payment" },
);

export const card = object(
  {
    brand: text({ note: "The brand of the card", example: "visa" }),
    last4: text({ note: "The last four digits of the card number", example: "4242" }),
  },
  { name: "Card", note: "The card that pays" },
);

const paymentFields = {
  id: uuid({ note: "The id of the payment" }),
  paymentLinkId: uuid({ note: "The payment link that was paid" }),
  subscriptionId: nullable(uuid({ note: "The subscription that was renewed" })),
  invoiceId: nullable(uuid({ note: "The invoice that was paid" })),
  collectionAccountId: uuid({ note: "The collection account that is credited" }),
  status: oneOf(PAYMENT_STATUSES, { note: STATUS }),
  amount: money("The amount that was charged", "26.06"),
  fees: money("The fee", "1.06"),
  net: money("The amount that the collection account is credited with"),
  refunded: money("The amount that was refunded so far", "0.00"),
  currency,
  card: nullable(card),
  customer,
  metadata: paymentMetadata,
  orderId: nullable(text({ note: "The orderId of the payment link", example: "1042" })),
  externalId: nullable(
    text({ note: "The externalId of the payment link", example: "spring-2026" }),
  ),
  reason: nullable(text({ note: "Why the payment failed", example: "Your card was declined." })),
  needsAttention: boolean({ note: "Whether an operator has to decide about it" }),
  createdAt: created,
  updatedAt: changed,
};
export const payment = object(paymentFields, { name: "Payment", note: "A payment of a customer" });
const listedPayment = object(
  {
    ...paymentFields,
    metadata: optional(paymentMetadata),
  },
  { name: "ListedPayment", note: "A payment, as lists show it" },
);

/** The time that a customer waits for the outcome of a payment; after that it is PENDING. */
export const OUTCOME_WITHIN_MS = 10_000;

const paymentId = id({ note: "The id of the payment" });

export const payments = {
  "payment-links.payments": action({
    does: "Lists the payments of a business",
    params: {
      businessId,
      paymentLinkId: optional(uuid({ note: "Only payments of this payment link" })),
      subscriptionId: optional(uuid({ note: "Only payments of this subscription" })),
      status: optional(oneOf(PAYMENT_STATUSES, { note: "Only payments in this status" })),
      from: optional(timestamp({ note: "Only payments created then or later" })),
      to: optional(timestamp({ note: "Only payments created before" })),
      ...paging,
    },
    result: page(listedPayment),
  }),

  "payment-links.payment": action({
    does: "Shows a payment",
    params: { businessId, id: paymentId },
    result: payment,
    errors: ["PAYMENT_NOT_FOUND"],
  }),

  "payment-links.refund": action({
    does: "Refunds a payment, in full or in part. The same reference has the same result",
    params: {
      businessId,
      id: paymentId,
      amount: optional(
        amount({ note: "The amount to refund; the rest of the payment if left out", example: 25 }),
      ),
      reference: text({
        note: "Your id of the refund. The same reference refunds once",
        example: "return-17",
      }),
    },
    result: refund,
    meta: ["creation"],
    errors: [
      "PAYMENT_NOT_FOUND",
      "CONFLICT",
      "INSUFFICIENT_FUNDS",
      "NOT_REFUNDABLE",
      "WALLET_DISABLED",
      "BALANCE_BOUND",
    ],
    timeoutMs: OUTCOME_WITHIN_MS,
  }),

  "payment-links.refunds": action({
    does: "Lists the refunds of a payment",
    params: { businessId, id: paymentId, ...paging },
    result: page(refund),
    errors: ["PAYMENT_NOT_FOUND"],
  }),

  "payment-links.transactions": action({
    does: "Lists payments or refunds as transactions, newest first",
    params: collectionFilter,
    result: cursorPage(transaction),
    errors: ["TOO_BROAD"],
  }),

  "payment-links.transaction": action({
    does: "Shows a payment or a refund as a transaction",
    params: { businessId, id: paymentId },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payment-links.timeline": action({
    does: "The history of a payment",
    params: { businessId, id: paymentId },
    result: timeline,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payment-links.resolve": action({
    does: "Ends a payment or a refund that needs attention, as its acquirer would have",
    params: {
      id: paymentId,
      outcome: oneOf(["SUCCESS", "FAILED"], { note: "How it has ended" }),
      note: text({ max: 512, note: "How you know", example: "Asked the bank" }),
    },
    result: transaction,
    meta: ["actor", "creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RESOLVABLE"],
    timeoutMs: OUTCOME_WITHIN_MS,
  }),

  "payment-links.retry": action({
    does: "Makes the next step of a payment or a refund due now. Its acquirer is asked immediately, by the same key, and nothing else changes",
    params: { id: paymentId },
    result: transaction,
    meta: ["creation"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RETRYABLE"],
  }),

  "payment-links.statistics": statisticsAction("payments and refunds"),

  "payment-links.whereIs": whereIsAction(
    "a payment link, a payment, a refund, a subscription or an invoice",
  ),

  "payment-links.whereAre": whereAreAction(
    "payments and refunds",
    "the payment's orderId or the refund's reference",
  ),

  "payment-links.attention": attentionAction("payments, refunds and subscriptions", {
    ...byKind,
    ...byState,
  }),

  "payment-links.partners": partnersAction("acquirers"),

  "payment-links.acquirerNotified": action({
    does: "Takes a webhook of an acquirer, whose module checks its signature. It decides nothing: the acquirer is asked immediately about the payments and refunds that the webhook is about",
    params: {
      acquirer: anyText({ note: "The acquirer's name", example: "stripe" }),
      headers: anything<Record<string, string>>(),
      body: anything<string>(),
    },
    result: object({}),
    errors: ["NOT_FOUND"],
  }),

  "payment-links.createCardToken": action({
    does: "Stores a card and returns its token. It exists only in the sandbox: elsewhere the vault of the card processor does it",
    params: {
      number: normalised(
        (given) => {
          const digits = readDigits(given) ?? "";
          return /^\d{12,19}$/.test(digits) ? digits : null;
        },
        "a card number of 12 to 19 digits",
        {},
        { note: "The card number, of 12 to 19 digits", example: "4242424242424242" },
      ),
      expMonth: integer({
        min: 1,
        max: 12,
        note: "The month in which the card expires",
        example: 12,
      }),
      expYear: integer({
        min: 2_000,
        max: 2_100,
        note: "The year in which the card expires",
        example: 2049,
      }),
      cvc: normalised(
        (given) => {
          const digits = readDigits(given) ?? "";
          return /^\d{3,4}$/.test(digits) ? digits : null;
        },
        "3 or 4 digits",
        {},
        { note: "The security code", example: "123", keywords: { pattern: "^[0-9]{3,4}$" } },
      ),
    },
    result: object(
      {
        token: text({
          note: "The token, for paymentMethod.token",
          example: "card_9rT2mXq7Lk0vYb4nHs8dWc1eFj6uZpGiAoRtKxNyQ3E",
        }),
        brand: text({ note: "The brand of the card", example: "visa" }),
        last4: text({ note: "The last four digits of the card number", example: "4242" }),
      },
      { name: "CardToken", note: "A stored card" },
    ),
    errors: ["NOT_FOUND"],
  }),
};
