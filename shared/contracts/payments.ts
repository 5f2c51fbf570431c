// Contracts of payment-links: payments, refunds, and both as transactions.

import { object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  amount,
  boolean,
  email,
  id,
  integer,
  normalised,
  oneOf,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { attentionAction } from "./attention.ts";
import { action, created, currency, cursorPage, decimal, page, paging } from "./contract.ts";
import { collectionFilter, metadataFields, timeline, transaction } from "./transactions.ts";

export const PAYMENT_STATUSES = ["PENDING", "SUCCEEDED", "FAILED"] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const customerFields = {
  email: email(),
  firstName: text(),
  lastName: text(),
  phone: normalised(
    (given) => (/^\+?[\d ().-]{4,32}$/.test(given.trim()) ? given.trim() : null),
    "a phone number",
    { maxLength: 32 },
    { example: "+1 555 0100" },
  ),
};
export const customer = object(customerFields);

const refund = object({
  id: uuid(),
  paymentId: uuid(),
  status: oneOf(PAYMENT_STATUSES),
  amount: decimal,
  feesReturned: decimal,
  currency,
  reference: text(),
  reason: nullable(text()),
  needsAttention: boolean({
    note: "An admin has to decide: see `POST /v1/admin/transactions/:id/resolve`",
  }),
  createdAt: created,
});

export const card = object({ brand: text(), last4: text() });

const paymentFields = {
  id: uuid(),
  paymentLinkId: uuid(),
  subscriptionId: nullable(uuid({ note: "Of a renewal" })),
  invoiceId: nullable(uuid({ note: "Of a renewal" })),
  collectionAccountId: uuid(),
  status: oneOf(PAYMENT_STATUSES),
  amount: text({ note: "The charged amount; decimal string", example: "25.00" }),
  fees: decimal,
  net: text({ note: "The amount credited to the collection account", example: "24.00" }),
  refunded: decimal,
  currency,
  card: nullable(card),
  customer,
  metadata: object(metadataFields),
  orderId: nullable(text()),
  externalId: nullable(text()),
  reason: nullable(text()),
  needsAttention: boolean(),
  createdAt: created,
  updatedAt: timestamp(),
};
export const payment = object(paymentFields);
const listedPayment = object({
  ...paymentFields,
  metadata: optional(object(metadataFields, { note: "Left out if the list would be too long" })),
});

/** The time that a customer waits for the outcome of a payment; after that it is PENDING. */
export const OUTCOME_WITHIN_MS = 10_000;

export const payments = {
  "payment-links.payments": action({
    does: "Lists the payments of a business, oldest first",
    params: {
      businessId: id(),
      paymentLinkId: optional(uuid()),
      subscriptionId: optional(uuid()),
      status: optional(oneOf(PAYMENT_STATUSES)),
      ...paging,
    },
    result: page(listedPayment),
  }),

  "payment-links.payment": action({
    does: "Shows a payment",
    params: { businessId: id(), id: id() },
    result: payment,
    errors: ["PAYMENT_NOT_FOUND"],
  }),

  "payment-links.refund": action({
    does: "Refunds a payment, by default the rest of it; the same reference has the same result",
    params: { businessId: id(), id: id(), amount: optional(amount()), reference: text() },
    result: refund,
    meta: ["making"],
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
    does: "Lists the refunds of a payment, oldest first",
    params: { businessId: id(), id: id(), ...paging },
    result: page(refund),
    errors: ["PAYMENT_NOT_FOUND"],
  }),

  "payment-links.transactions": action({
    does: "Lists payments as transactions, newest first",
    params: collectionFilter,
    result: cursorPage(transaction),
  }),

  "payment-links.transaction": action({
    does: "Shows a payment as a transaction",
    params: { businessId: id(), id: id() },
    result: transaction,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payment-links.timeline": action({
    does: "The history of a payment",
    params: { businessId: id(), id: id() },
    result: timeline,
    errors: ["TRANSACTION_NOT_FOUND"],
  }),

  "payment-links.resolve": action({
    does: "Ends a payment or a refund that needs attention, as its acquirer would have",
    params: { id: id(), outcome: oneOf(["SUCCESS", "FAILED"]), note: text({ max: 512 }) },
    result: transaction,
    meta: ["actor", "making"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RESOLVABLE"],
    timeoutMs: OUTCOME_WITHIN_MS,
  }),

  "payment-links.attention": attentionAction("payments, refunds and subscriptions"),

  "payment-links.createCardToken": action({
    does: "Stores a card in the sandbox's vault and returns its token; only in the sandbox",
    params: {
      number: normalised(
        (given) => {
          const digits = given.replaceAll(/[ -]/g, "");
          return /^\d{12,19}$/.test(digits) ? digits : null;
        },
        "a card number of 12 to 19 digits",
        { example: "4242424242424242" },
      ),
      expMonth: integer({ min: 1, max: 12 }),
      expYear: integer({ min: 2_000, max: 2_100 }),
      cvc: normalised((given) => (/^\d{3,4}$/.test(given) ? given : null), "3 or 4 digits"),
    },
    result: object({ token: text(), brand: text(), last4: text() }),
    errors: ["NOT_FOUND"],
  }),
};
