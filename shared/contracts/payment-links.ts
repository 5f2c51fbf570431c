// Contracts of payment-links: links, their checkout, payments, refunds.

import { list, object, textMap } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  amount,
  anything,
  boolean,
  email,
  id,
  integer,
  normalised,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { attentionOf } from "./attention.ts";
import { action, created, currency, cursorPage, decimal, page, paging } from "./contract.ts";
import { linkListed, linkShown, recurringCharge } from "./payment-link-data.ts";
import { timeline, transaction, transactionFilter } from "./transactions.ts";

export const LINK_STATUSES = ["ACTIVE", "USED", "EXPIRED", "DISABLED"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export const PAYMENT_STATUSES = ["PENDING", "SUCCEEDED", "FAILED"] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The application token of a link (docs/rest-api.md, Payment links). */
const application = {
  id: uuid({ note: "The payment link's id" }),
  token: text({ note: "The secret in its URL" }),
  tokenType: oneOf(["PAYMENT_LINK"]),
  expiredAt: created,
  valid: boolean({ note: "False once used, expired or disabled" }),
};

/** The greatest number of payments of one link that are counted. */
export const MAX_PAYMENTS_COUNTED = 10_000;

const url = text({ max: 2_048, note: "Checkout URL to share with customers" });
const lost = "Null where the key that it was encrypted with is not there any more";
/** The state of a link. */
export const linkState = {
  id: uuid(),
  status: oneOf(LINK_STATUSES),
  url: nullable(text({ max: 2_048, note: lost })),
  application: object({ ...application, token: nullable(text({ note: lost })) }),
  payments: integer({
    min: 0,
    max: MAX_PAYMENTS_COUNTED,
    note: `How many succeeded; not counted further than ${MAX_PAYMENTS_COUNTED}`,
  }),
  createdAt: created,
};
const link = object({ ...linkState, ...linkShown });
const listedLink = object({ ...linkState, ...linkListed });

const publicItem = object({
  name: text(),
  description: text({ max: 512 }),
  qty: optional(number()),
  price: optional(decimal),
  imageUrl: optional(text({ max: 2_048 })),
});

const view = object({
  name: text(),
  businessName: text(),
  status: oneOf(LINK_STATUSES),
  checkoutType: text(),
  currency,
  amount: decimal,
  fees: decimal,
  total: decimal,
  items: list(publicItem, { max: 200 }),
  fields: list(object({ name: text(), required: boolean() }), {
    max: 44,
    note: "The fields for the customer to fill; the first four are `customer`'s",
  }),
  purpose: oneOf(["pay", "subscribe", "change_method"], {
    note: "The customer's action here; all except `pay` is `setup`",
  }),
  recurring: nullable(recurringCharge),
  feesOnTop: boolean({ note: "Whether the customer pays the fee of the card on top of prices" }),
  dueNow: text({
    note: "Charged at once: the total of a payment, or the amount due when a payment method is saved",
    example: "0.00",
  }),
  firstChargeAt: nullable(
    timestamp({ note: "Of a subscription to come: when it is first charged, at the soonest" }),
  ),
  branding: object({
    logo: nullable(text({ max: 2_048 })),
    primaryColor: nullable(text()),
    backgroundColor: nullable(text()),
  }),
  redirectTo: nullable(text({ max: 2_048 })),
  vault: nullable(
    object(
      {
        fieldUrl: text({
          max: 2_048,
          note: "The page loads it in a frame, to take the card there",
        }),
      },
      { note: "The acquirer's card vault; null for the sandbox's own and if no card is taken" },
    ),
  ),
});

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

/** The customer's request to pay, or to save a payment method. */
export const checkoutRequest = {
  token: id({ note: "The link's token" }),
  idempotencyKey: optional(
    normalised(
      (given) => (/^[\x21-\x7e]{1,255}$/.test(given) ? given : null),
      "1 to 255 visible ASCII characters",
      { maxLength: 255 },
      {
        note: "The same key and body are one payment, or one subscription, for 24 hours, and as long as the payment is PENDING",
      },
    ),
  ),
  address: text({ note: "The customer's network address" }),
  customer,
  fields: optional(textMap({ max: 40, note: "The link's own fields, beside the customer's data" })),
  paymentMethod: object({ type: oneOf(["card"]), token: text({ note: "From the card vault" }) }),
};

const outcome = object({
  id: uuid(),
  status: oneOf(PAYMENT_STATUSES),
  reason: optional(text({ note: "Of a payment that failed" })),
  redirectTo: nullable(text({ max: 2_048 })),
});

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

const metadata = {
  itemDeliveryAddress: text({ max: 512 }),
  customData: textMap({ max: 50 }),
  fields: textMap({ max: 40 }),
};
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
  metadata: object(metadata),
  orderId: nullable(text()),
  externalId: nullable(text()),
  reason: nullable(text()),
  needsAttention: boolean(),
  createdAt: created,
  updatedAt: timestamp(),
};
const payment = object(paymentFields);
const listedPayment = object({
  ...paymentFields,
  metadata: optional(object(metadata, { note: "Left out if the list would be too long" })),
});

const LINK_ERRORS = ["PAYMENT_LINK_NOT_FOUND"] as const;
export const CHECKOUT_ERRORS = [
  ...LINK_ERRORS,
  "LINK_NOT_PAYABLE",
  "LINK_BUSY",
  "STILL_RUNNING",
  "KEY_REUSED",
  "RATE_LIMITED",
] as const;
/** The time that a customer waits for the outcome of a payment; after that it is PENDING. */
export const OUTCOME_WITHIN_MS = 10_000;

// All collections have one flow.
const { flow: _flow, ...collectionFilter } = transactionFilter([]);

export const paymentLinks = {
  "payment-links.ready": action({
    does: "Answers while the service and its database work",
    params: {},
    result: object({}),
  }),

  "payment-links.createLink": action({
    does: "Creates a payment link for the acting merchant, or for the business of the acting user",
    params: {
      body: anything<unknown>({
        note: "Checked as a whole, with the rules that connect its fields",
      }),
    },
    result: object({ url, application: object(application) }),
    meta: ["actor"],
    errors: ["NO_COLLECTION_ACCOUNT"],
  }),

  "payment-links.links": action({
    does: "Lists the payment links of a business, oldest first, each in short",
    params: { businessId: id(), ...paging },
    result: page(listedLink),
  }),

  "payment-links.link": action({
    does: "Shows a payment link",
    params: { businessId: id(), id: id() },
    result: link,
    errors: [...LINK_ERRORS],
  }),

  "payment-links.disableLink": action({
    does: "Disables a payment link: it cannot be paid any more. A repeated call changes nothing",
    params: { businessId: id(), id: id() },
    result: link,
    errors: [...LINK_ERRORS],
  }),

  "payment-links.isLinkToken": action({
    does: "Whether a token is that of a payment link of the business",
    params: { businessId: uuid(), tokenHash: text({ note: "SHA-256 of the token, base64url" }) },
    result: object({ isLinkToken: boolean() }),
  }),

  "payment-links.checkout": action({
    does: "The customer's view of a payment link, in any status",
    params: { token: id() },
    result: view,
    errors: [...LINK_ERRORS],
  }),

  "payment-links.pay": action({
    does: "Charges a customer once. If the outcome is not known after ten seconds, the payment is PENDING; payrail asks for the outcome later and does not charge again",
    params: checkoutRequest,
    result: outcome,
    meta: ["deadline"],
    errors: [...CHECKOUT_ERRORS],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.paymentState": action({
    does: "The customer's view of a payment in its current state",
    params: { token: id(), id: id() },
    result: outcome,
    errors: [...LINK_ERRORS, "PAYMENT_NOT_FOUND"],
  }),

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
    meta: ["actor"],
    errors: ["TRANSACTION_NOT_FOUND", "NOT_RESOLVABLE"],
    timeoutMs: OUTCOME_WITHIN_MS,
  }),

  "payment-links.attention": attentionOf("payments, refunds and subscriptions"),

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
