// Contracts of payment-links: links and their checkout.

import { list, object, textMap } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import { anything, boolean, id, integer, number, oneOf, text, timestamp, uuid } from "../fields.ts";
import {
  action,
  created,
  currency,
  decimal,
  idempotencyKey,
  page,
  paging,
  ready,
} from "./contract.ts";
import {
  linkListed,
  linkShown,
  PAYMENT_OPTIONS,
  recurringCharge,
  unsupportedPaymentOptions,
} from "./payment-link-data.ts";
import { customer, OUTCOME_WITHIN_MS, PAYMENT_STATUSES } from "./payments.ts";

export const LINK_STATUSES = ["ACTIVE", "USED", "EXPIRED", "DISABLED"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

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
const lost = "Null if its encryption key is no longer configured";
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
// What the previous release does not say is optional until the next one.
export const link = object({
  ...linkState,
  ...linkShown,
  unsupportedPaymentOptions: optional(unsupportedPaymentOptions),
});
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
  paymentOptions: optional(
    list(oneOf(PAYMENT_OPTIONS), {
      max: PAYMENT_OPTIONS.length,
      note: "The ways to pay; if there is none, the link cannot be paid",
    }),
  ),
  takesTestCards: optional(
    boolean({
      note: "Whether `POST /v1/sandbox/card-tokens` is the card vault: the sandbox's acquirer charges",
    }),
  ),
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

/** The customer's request to pay, or to save a payment method. */
export const checkoutRequest = {
  token: id({ note: "The link's token" }),
  idempotencyKey: optional(idempotencyKey),
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

const LINK_ERRORS = ["PAYMENT_LINK_NOT_FOUND"] as const;
export const CHECKOUT_ERRORS = [
  ...LINK_ERRORS,
  "LINK_NOT_PAYABLE",
  "LINK_BUSY",
  "STILL_RUNNING",
  "KEY_REUSED",
  "RATE_LIMITED",
] as const;
export const paymentLinks = {
  "payment-links.ready": ready,

  "payment-links.createLink": action({
    does: "Creates a payment link for the acting merchant, or for the business of the acting user",
    params: {
      body: anything<unknown>({
        note: "Checked as a whole, with the rules that connect its fields",
      }),
    },
    result: object({
      url,
      application: object(application),
      unsupportedPaymentOptions: optional(unsupportedPaymentOptions),
    }),
    meta: ["actor", "making"],
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
    does: "Disables a payment link: it can no longer be paid. A repeated call changes nothing",
    params: { businessId: id(), id: id() },
    result: link,
    meta: ["making"],
    errors: [...LINK_ERRORS],
  }),

  "payment-links.isLinkToken": action({
    does: "Whether a token is that of a payment link of the business",
    params: { businessId: uuid(), tokenHash: text({ note: "SHA-256 of the token, base64url" }) },
    result: object({ isLinkToken: boolean() }),
    callers: ["accounts"],
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
};
