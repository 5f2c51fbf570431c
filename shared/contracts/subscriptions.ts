// Contracts of payment-links: subscriptions, their usage, and their invoices.

import { list, object } from "./compound-fields.ts";
import {
  action,
  businessId,
  currency,
  cursored,
  cursorPage,
  money,
  page,
  paging,
} from "./contract.ts";
import { nullable, optional } from "./field.ts";
import {
  anyText,
  boolean,
  id,
  integer,
  normalised,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
import { CHARGE_TYPES, consumptionDetails, interval, seatDetails } from "./payment-link-data.ts";
import {
  branding,
  CHECKOUT_ERRORS,
  checkoutRequest,
  LINK_ERRORS,
  linkToken,
  outcome,
} from "./payment-links.ts";
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

/** A moment by the business's clock, which a test clock may have set. */
const moment = (note: string) => timestamp({ note: `${note}, by the clock of the business` });

const period = {
  periodStart: moment("When the period begins"),
  periodEnd: moment("When the period ends"),
};

// A node of the previous release leaves it out.
const heldSince = optional(
  nullable(
    timestamp({
      note: "Since when its invoices are held after a restore, until they are released; else null",
    }),
  ),
);

export const subscriptionFields = {
  id: uuid({ note: "The id of the subscription" }),
  status: oneOf(SUBSCRIPTION_STATUSES, { note: "The status of the subscription" }),
  paymentLinkId: uuid({ note: "The payment link that it was made with" }),
  collectionAccountId: uuid({ note: "The collection account that is credited" }),
  name: text({ note: "The name of the payment link", example: "Basic plan" }),
  type: oneOf(CHARGE_TYPES, { note: "How it is charged" }),
  interval,
  currency,
  productId: nullable(text({ note: "Your id of the product", example: "plan-basic" })),
  amount: nullable(money("The price of a period; null unless the type is subscription")),
  consumptionDetails: nullable(consumptionDetails),
  seatDetails: nullable(seatDetails),
  startDate: timestamp({ note: "Start of its first period; until then it is a trial" }),
  currentPeriod: nullable(
    object(period, {
      note: "The period that runs; null during the trial, and once it is cancelled",
    }),
  ),
  nextInvoiceAt: nullable(moment("When the next invoice is issued")),
  openInvoiceId: nullable(uuid({ note: "The invoice that is not paid yet" })),
  seats: nullable(
    integer({
      min: 0,
      max: MAX_SEATS,
      note: "The number of seats; null unless it is billed by seats",
      example: 3,
    }),
  ),
  customer,
  card,
  orderId: nullable(text({ note: "The orderId of the payment link", example: "1042" })),
  externalId: nullable(text({ note: "The externalId of the payment link", example: "plan-basic" })),
  cancelAt: nullable(timestamp({ note: "The end of the period with which it will be cancelled" })),
  cancelledAt: nullable(moment("When it was cancelled")),
  cancelReason: nullable(oneOf(["requested", "unpaid"], { note: "Why it was cancelled" })),
  heldSince,
  needsAttention: boolean({ note: "Whether an operator has to decide about it" }),
  createdAt: moment("When it was created"),
};
const subscription = object(subscriptionFields, {
  name: "Subscription",
  note: "A subscription",
});

const line = object(
  {
    description: text({ max: 1_024, note: "How the amount was computed", example: "Basic plan" }),
    quantity: number({ note: "How many", example: 1 }),
    unitAmount: text({
      note: "The price of one. A decimal string with two to six places",
      keywords: { pattern: "^-?[0-9]+\\.[0-9]{2,6}$" },
      example: "25.00",
    }),
    amount: text({
      note: "The price of all. A decimal string with two places; negative for a credit",
      keywords: { pattern: "^-?[0-9]+\\.[0-9]{2}$" },
      example: "25.00",
    }),
  },
  { name: "InvoiceLine", note: "A line of an invoice" },
);

const invoiced = {
  ...period,
  total: text({
    note: "The sum of the lines, without the fee that the customer pays on top. A decimal string",
    keywords: { pattern: "^-?[0-9]+\\.[0-9]{2}$" },
    example: "25.00",
  }),
  currency,
  status: oneOf(INVOICE_STATUSES, { note: "The status of the invoice" }),
  lines: list(line, { max: 2_000, note: "What is charged" }),
};

const attempt = object(
  {
    paymentId: uuid({ note: "The attempt, which is a payment" }),
    status: oneOf(["PENDING", "SUCCEEDED", "FAILED"], {
      note: "PENDING: the outcome is not known yet",
    }),
    at: moment("When it happened"),
    reason: nullable(text({ note: "Why it failed", example: "Your card was declined." })),
  },
  { name: "InvoiceAttempt", note: "An attempt to charge an invoice" },
);

const invoiceFields = {
  id: uuid({ note: "The id of the invoice" }),
  number: integer({ min: 1, note: "Counts the invoices of the business", example: 7 }),
  subscriptionId: uuid({ note: "The subscription that is billed" }),
  ...invoiced,
  charged: money(
    "The sum that payrail charges: the total, and the fee if the customer pays it. If an operator accepts another sum that the acquirer captured, that sum",
    "26.06",
  ),
  attempts: list(attempt, { max: MAX_ATTEMPTS, note: "The attempts to charge it, oldest first" }),
  nextAttemptAt: nullable(timestamp({ note: "When the card is charged again" })),
  issuedAt: moment("When it was issued"),
  paidAt: nullable(moment("When it was paid")),
};
const invoice = object(invoiceFields, { name: "Invoice", note: "An invoice of a subscription" });
const listedInvoice = object(
  {
    ...invoiceFields,
    lines: optional(
      list(line, { max: 2_000, note: "What is charged; left out if a list would be too long" }),
    ),
  },
  { name: "ListedInvoice", note: "An invoice, as lists show it" },
);

const usage = object(
  {
    id: uuid({ note: "The id of the usage" }),
    subscriptionId: uuid({ note: "The subscription that was used" }),
    reference: text({ note: "The reference of the request", example: "job-8812" }),
    units: number({ note: "How many units were used", example: 3 }),
    at: moment("When it happened"),
    ...period,
    late: boolean({
      note: "Whether it counts in a later period, because its own is already invoiced",
    }),
  },
  { name: "Usage", note: "Recorded usage" },
);

const key = { businessId, id: id({ note: "The id of the subscription" }) };
const ERRORS = ["SUBSCRIPTION_NOT_FOUND"] as const;

const MANAGE_TOKEN = "hQ3sXv0cJm7TtY2bLr9KpWf5ZgA1NdE8uRoIiHxMk64";
const setupOutcome = object(
  {
    subscriptionId: uuid({ note: "The id of the subscription" }),
    status: oneOf(SUBSCRIPTION_STATUSES, { note: "The status of the subscription" }),
    // A node of the previous release leaves it out.
    manageUrl: optional(
      text({
        max: 2_048,
        note: "The page where its customer sees and cancels the subscription: a secret of this customer. Left out after another card is saved",
        example: `https://pay.example.com/subscription/0198c0de-7a56-7000-8000-41b7c9e05d28/${MANAGE_TOKEN}`,
      }),
    ),
  },
  { name: "CheckoutSetup", note: "The subscription of the saved card" },
);

const subscriber = object(
  {
    id: subscriptionFields.id,
    businessName: text({ note: "The business that is paid", example: "Acme" }),
    name: subscriptionFields.name,
    status: subscriptionFields.status,
    type: subscriptionFields.type,
    interval,
    currency,
    card,
    nextPaymentAt: nullable(
      moment("When the card is charged for the next period; null while it waits for an unpaid one"),
    ),
    nextAmount: nullable(money("The sum that is charged then; null if usage decides it")),
    endsAt: nullable(moment("When a cancellation would end it; null if it is cancelled")),
    cancelAt: subscriptionFields.cancelAt,
    cancelledAt: subscriptionFields.cancelledAt,
    branding,
  },
  { name: "Subscriber", note: "A subscription, as its customer sees it" },
);
/** The link on the receipt, which opens one subscription. */
const subscriberKey = {
  id: id({ note: "The id of the subscription" }),
  token: anyText({ note: "The secret of its customer", example: MANAGE_TOKEN }),
};

/**
 * As long as the key of the page, which has 128 random bits. Many have the token of an open link,
 * so a key that can be guessed, such as an order number, would show them each other's payments.
 */
const secretKey = normalised(
  (given) => (/^[\x21-\x7e]{32,255}$/.test(given) ? given : null),
  "32 to 255 visible ASCII characters",
  { minLength: 32, maxLength: 255 },
  {
    keywords: { pattern: "^[\\x21-\\x7e]+$" },
    note: "The Idempotency-Key of the request, which cannot be guessed",
    example: "5b0c7a1e9f3d4c2886aee0d1b7f49c35",
  },
);

export const subscriptions = {
  "payment-links.setup": action({
    does: "Saves a customer's card and starts the subscription. The card is not charged. With a link for another card, the card of the subscription is replaced",
    params: {
      ...checkoutRequest,
      customer: optional(
        object(customerFields, {
          name: "Customer",
          note: "The person who pays; left out only with a link for another card",
        }),
      ),
    },
    result: setupOutcome,
    meta: ["deadline"],
    errors: [...CHECKOUT_ERRORS],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.attempt": action({
    does: "Tells what a request to pay or to set up has made, by its Idempotency-Key. For a client that has lost the answer and the body",
    params: {
      token: linkToken,
      key: secretKey,
    },
    result: object(
      { payment: optional(outcome), setup: optional(setupOutcome) },
      { name: "CheckoutAttempt", note: "The payment, or the set-up, that the request has made" },
    ),
    errors: [...LINK_ERRORS, "ATTEMPT_NOT_FOUND"],
  }),

  "payment-links.subscriber": action({
    does: "Shows a subscription to its customer",
    params: subscriberKey,
    result: subscriber,
    errors: [...ERRORS],
  }),

  "payment-links.cancelAsSubscriber": action({
    does: "Cancels a subscription with its period, for its customer. A repeated call changes nothing",
    params: subscriberKey,
    result: subscriber,
    errors: [...ERRORS],
  }),

  "payment-links.subscriptions": action({
    does: "Lists the subscriptions of a business",
    params: {
      businessId,
      paymentLinkId: optional(uuid({ note: "Only subscriptions of this payment link" })),
      status: optional(oneOf(SUBSCRIPTION_STATUSES, { note: "Only subscriptions in this status" })),
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
    does: "Lists the invoices of a subscription",
    params: { ...key, ...paging },
    result: page(listedInvoice),
    errors: [...ERRORS],
  }),

  "payment-links.invoice": action({
    does: "Shows an invoice of a subscription",
    params: { ...key, invoiceId: id({ note: "The id of the invoice" }) },
    result: invoice,
    errors: [...ERRORS, "INVOICE_NOT_FOUND"],
  }),

  "payment-links.previewInvoice": action({
    does: "Shows the next invoice of a subscription, computed from the current data",
    params: key,
    result: object(
      { ...invoiced, heldSince },
      { name: "InvoicePreview", note: "The next invoice, as it would be now" },
    ),
    errors: [...ERRORS, "NO_NEXT_INVOICE"],
  }),

  "payment-links.recordUsage": action({
    does: "Records usage of a subscription that is billed by usage. The same reference counts once",
    params: {
      ...key,
      units: number({
        min: 0.000_001,
        max: MAX_UNITS,
        decimals: 6,
        note: "How many units were used",
        example: 3,
      }),
      reference: text({
        note: "Your id of the usage. The same reference counts once",
        example: "job-8812",
      }),
      at: optional(timestamp({ note: "When it was used; now if left out" })),
    },
    result: usage,
    meta: ["creation"],
    errors: [...ERRORS, "CONFLICT", "NOT_BILLED_BY_USAGE", "USAGE_NOT_TAKEN", "CHARGE_BOUND"],
  }),

  "payment-links.usage": action({
    does: "Lists the usage of a subscription, newest first",
    params: { ...key, ...cursored },
    result: cursorPage(usage),
    errors: [...ERRORS],
  }),

  "payment-links.setSeats": action({
    does: "Sets the number of seats of a subscription that is billed by seats",
    params: {
      ...key,
      seats: integer({ min: 0, max: MAX_SEATS, note: "The new number of seats", example: 3 }),
      at: optional(
        timestamp({
          note: "When the seats were changed first, for a change that is repeated while billing is held after a restore",
        }),
      ),
    },
    result: subscription,
    meta: ["creation"],
    errors: [
      ...ERRORS,
      "NOT_BILLED_BY_SEATS",
      "SUBSCRIPTION_CANCELLED",
      "CHARGE_BOUND",
      "TOO_MANY_CHANGES",
    ],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.releaseBilling": action({
    does: "Releases the subscriptions that are held after a restore, of one business or of all. Their due invoices are issued and charged, one by one",
    params: {
      businessId: optional(uuid({ note: "The business; all businesses if left out" })),
    },
    result: object(
      {
        released: integer({ min: 0, note: "The subscriptions that were released", example: 12 }),
        held: integer({ min: 0, note: "The subscriptions that are still held, of all businesses" }),
      },
      { name: "ReleasedBilling", note: "What was released" },
    ),
    meta: ["creation"],
    timeoutMs: 60_000,
  }),

  "payment-links.cancelSubscription": action({
    does: "Cancels a subscription, now or with the end of its period",
    params: {
      ...key,
      at: oneOf(["now", "period_end"], {
        note: "Whether it ends immediately, or with the period that is paid",
      }),
      askedAt: optional(
        timestamp({
          note: "When it was cancelled first, for a cancellation that is repeated while billing is held after a restore",
        }),
      ),
    },
    result: subscription,
    meta: ["creation"],
    errors: [...ERRORS, "SUBSCRIPTION_CANCELLED"],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.createMethodLink": action({
    does: "Makes a link with which the customer saves another card. It works once, and an earlier one ends",
    params: key,
    result: object(
      {
        id: uuid({ note: "The id of the subscription" }),
        url: text({
          max: 2_048,
          note: "The URL to send to the customer",
          example:
            "https://pay.example.com/pay/basic-plan/o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04",
        }),
        expiredAt: timestamp({ note: "When it expires, 24 hours after it was made" }),
      },
      { name: "PaymentMethodLink", note: "A link with which the customer saves another card" },
    ),
    meta: ["creation"],
    errors: [...ERRORS, "SUBSCRIPTION_CANCELLED"],
  }),

  "payment-links.setTestClock": action({
    does: "Sets the clock of a business's billing. The clock stands still from then on. It exists only in the sandbox",
    params: {
      businessId,
      now: timestamp({
        note: "The new moment, not before the clock's, at most ten years after it",
        example: "2035-01-05T09:30:00.000Z",
      }),
    },
    result: object(
      {
        id: uuid({ note: "The id of the business" }),
        now: timestamp({ note: "The moment at which the clock stands" }),
      },
      { name: "TestClock", note: "The clock of a business in the sandbox" },
    ),
    meta: ["creation"],
    errors: ["NOT_FOUND"],
  }),

  "payment-links.testClockRun": action({
    does: "Says whether everything up to the moment of a test clock is billed. It waits a second for that",
    params: { businessId },
    result: object({
      isOver: boolean({ note: "Whether everything is billed" }),
      passed: integer({ min: 0, note: "The subscriptions that have moved on: the number grows" }),
    }),
  }),
};
