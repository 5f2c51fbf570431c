// Contracts of payment-links: subscriptions, their usage, and their invoices.

import { list, object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import { boolean, id, integer, number, oneOf, text, timestamp, uuid } from "../fields.ts";
import { action, created, currency, cursored, cursorPage, page, paging } from "./contract.ts";
import { CHARGE_TYPES, consumptionDetails, interval, seatDetails } from "./payment-link-data.ts";
import { CHECKOUT_ERRORS, checkoutRequest } from "./payment-links.ts";
import { card, customer, customerFields, OUTCOME_WITHIN_MS } from "./payments.ts";

export const SUBSCRIPTION_STATUSES = ["trialing", "active", "past_due", "cancelled"] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const INVOICE_STATUSES = ["open", "paid", "failed", "void"] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** The greatest number of units in one usage record. */
export const MAX_UNITS = 1_000_000_000_000;
export const MAX_SEATS = 1_000_000;
/**
 * The greatest number of attempts at an invoice: five, and one more with each payment method that
 * is saved meanwhile.
 */
export const MAX_ATTEMPTS = 50;

const moment = timestamp({ note: "By the business's clock" });

const period = { periodStart: moment, periodEnd: moment };

export const subscriptionFields = {
  id: uuid(),
  status: oneOf(SUBSCRIPTION_STATUSES),
  paymentLinkId: uuid(),
  collectionAccountId: uuid(),
  name: text(),
  type: oneOf(CHARGE_TYPES),
  interval,
  currency,
  productId: nullable(text()),
  amount: nullable(
    text({ note: "Of a period; null unless it is of the type subscription", example: "25.00" }),
  ),
  consumptionDetails: nullable(consumptionDetails),
  seatDetails: nullable(seatDetails),
  startDate: timestamp({ note: "Start of its first period; until then it is a trial" }),
  currentPeriod: nullable(object(period, { note: "Null during the trial, and once cancelled" })),
  nextInvoiceAt: nullable(moment),
  openInvoiceId: nullable(uuid({ note: "The unpaid invoice" })),
  seats: nullable(integer({ min: 0, max: MAX_SEATS, note: "Null unless it is billed by seats" })),
  customer,
  card,
  orderId: nullable(text()),
  externalId: nullable(text()),
  cancelAt: nullable(timestamp({ note: "The end of the period with which it will be cancelled" })),
  cancelledAt: nullable(moment),
  cancelReason: nullable(oneOf(["requested", "unpaid"])),
  needsAttention: boolean(),
  createdAt: moment,
};
const subscription = object(subscriptionFields);

const line = object({
  description: text({ max: 1_024, note: "How the amount was computed" }),
  quantity: number(),
  unitAmount: text({ note: "Decimal string with two to six places", example: "0.0025" }),
  amount: text({ note: "Decimal string; negative for a credit", example: "-4.50" }),
});

const invoiced = {
  ...period,
  total: text({ note: "The sum of the lines, without the fee that the customer pays on top" }),
  currency,
  status: oneOf(INVOICE_STATUSES),
  lines: list(line, { max: 2_000 }),
};

const attempt = object({
  paymentId: uuid(),
  status: oneOf(["PENDING", "SUCCEEDED", "FAILED"]),
  at: moment,
  reason: nullable(text({ note: "The reason of the failure" })),
});

const invoiceFields = {
  id: uuid(),
  number: integer({ min: 1, note: "Counts the invoices of the business" }),
  subscriptionId: uuid(),
  ...invoiced,
  charged: text({
    note: "The amount charged to the card: the total, and the fee if the customer pays it",
  }),
  attempts: list(attempt, { max: MAX_ATTEMPTS }),
  nextAttemptAt: nullable(timestamp({ note: "When the card is tried again" })),
  issuedAt: moment,
  paidAt: nullable(moment),
};
const invoice = object(invoiceFields);
const listedInvoice = object({
  ...invoiceFields,
  lines: optional(list(line, { max: 2_000, note: "Left out if the list would be too long" })),
});

const usage = object({
  id: uuid(),
  subscriptionId: uuid(),
  reference: text(),
  units: number(),
  at: moment,
  ...period,
  late: boolean({
    note: "Its own period is already invoiced, so it counts in the period that is shown",
  }),
});

const key = { businessId: id(), id: id() };
const ERRORS = ["SUBSCRIPTION_NOT_FOUND"] as const;

export const subscriptions = {
  "payment-links.setup": action({
    does: "Saves a customer's payment method without charging it, and creates the subscription; with the token of a payment-method link, changes the method of one",
    params: {
      ...checkoutRequest,
      customer: optional(
        object(customerFields, { note: "Needed, but for the token of a payment-method link" }),
      ),
    },
    result: object({ subscriptionId: uuid(), status: oneOf(SUBSCRIPTION_STATUSES) }),
    meta: ["deadline"],
    errors: [...CHECKOUT_ERRORS],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.subscriptions": action({
    does: "Lists the subscriptions of a business, oldest first",
    params: {
      businessId: id(),
      paymentLinkId: optional(uuid()),
      status: optional(oneOf(SUBSCRIPTION_STATUSES)),
      ...paging,
    },
    result: page(subscription),
  }),

  "payment-links.subscription": action({
    does: "Shows a subscription",
    params: key,
    result: subscription,
    errors: [...ERRORS],
  }),

  "payment-links.invoices": action({
    does: "Lists the invoices of a subscription, oldest first",
    params: { ...key, ...paging },
    result: page(listedInvoice),
    errors: [...ERRORS],
  }),

  "payment-links.invoice": action({
    does: "Shows an invoice of a subscription",
    params: { ...key, invoiceId: id() },
    result: invoice,
    errors: [...ERRORS, "INVOICE_NOT_FOUND"],
  }),

  "payment-links.previewInvoice": action({
    does: "Shows the next invoice of a subscription, computed from the current data",
    params: key,
    result: object(invoiced),
    errors: [...ERRORS, "NO_NEXT_INVOICE"],
  }),

  "payment-links.recordUsage": action({
    does: "Records usage of a subscription that is billed by it; the same reference counts once",
    params: {
      ...key,
      units: number({ min: 0.000_001, max: MAX_UNITS, decimals: 6, note: "How many" }),
      reference: text({ note: "The caller's; it counts once for each subscription" }),
      at: optional(timestamp({ note: "When it was used; now by default" })),
    },
    result: usage,
    meta: ["making"],
    errors: [...ERRORS, "CONFLICT", "NOT_BILLED_BY_USAGE", "USAGE_NOT_TAKEN", "CHARGE_BOUND"],
  }),

  "payment-links.usage": action({
    does: "Lists the usage of a subscription, newest first",
    params: { ...key, ...cursored },
    result: cursorPage(usage),
    errors: [...ERRORS],
  }),

  "payment-links.setSeats": action({
    does: "Sets the number of seats of a subscription that is billed by them",
    params: { ...key, seats: integer({ min: 0, max: MAX_SEATS }) },
    result: subscription,
    meta: ["making"],
    errors: [
      ...ERRORS,
      "NOT_BILLED_BY_SEATS",
      "SUBSCRIPTION_CANCELLED",
      "CHARGE_BOUND",
      "TOO_MANY_CHANGES",
    ],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.cancelSubscription": action({
    does: "Cancels a subscription, now or with the end of its period",
    params: { ...key, at: oneOf(["now", "period_end"]) },
    result: subscription,
    meta: ["making"],
    errors: [...ERRORS, "SUBSCRIPTION_CANCELLED"],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.createMethodLink": action({
    does: "Makes a link with which the customer saves another payment method, once; an earlier one ends",
    params: key,
    result: object({
      id: uuid({ note: "The subscription's" }),
      url: text({ max: 2_048 }),
      expiredAt: timestamp({ note: "24 hours after it was made" }),
    }),
    meta: ["making"],
    errors: [...ERRORS, "SUBSCRIPTION_CANCELLED"],
  }),

  "payment-links.setTestClock": action({
    does: "Sets the clock of a business's billing, which stands still from then on, and bills up to that moment before it answers; only in the sandbox",
    params: {
      businessId: id(),
      now: timestamp({ note: "Not before the clock's moment, at most ten years after it" }),
    },
    result: object({ id: uuid(), now: created }),
    meta: ["making"],
    errors: ["NOT_FOUND"],
    timeoutMs: 0,
  }),
};
