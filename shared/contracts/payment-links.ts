// Contracts of payment-links: links and their checkout.

import { list, object, textMap } from "./compound-fields.ts";
import {
  action,
  businessId,
  created,
  currency,
  idempotencyKey,
  money,
  page,
  paging,
  ready,
} from "./contract.ts";
import { nullable, optional } from "./field.ts";
import {
  anyText,
  anything,
  boolean,
  id,
  integer,
  number,
  oneOf,
  text,
  timestamp,
  uuid,
} from "./fields.ts";
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

const LINK_TOKEN = "o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04";
const LINK_URL = `https://pay.example.com/pay/spring-sale/${LINK_TOKEN}`;

/** The application token of a link (docs/integrate/rest-api.md, Payment links). */
const application = {
  id: uuid({ note: "The id of the payment link" }),
  token: text({ note: "The secret in the URL of the link", example: LINK_TOKEN }),
  tokenType: oneOf(["PAYMENT_LINK"], { note: "The type of the token" }),
  expiredAt: timestamp({ note: "When the link expires" }),
  valid: boolean({
    note: "Whether the link can be paid: not once it is used, expired or disabled",
  }),
};

/** The greatest number of payments of one link that are counted. */
export const MAX_PAYMENTS_COUNTED = 10_000;

const url = text({
  max: 2_048,
  note: "The URL of the checkout, to share with customers",
  example: LINK_URL,
});
const lost = "null if its encryption key is no longer configured";
/** The state of a link. */
export const linkState = {
  id: uuid({ note: "The id of the payment link" }),
  status: oneOf(LINK_STATUSES, {
    note: "Whether it can be paid; USED: it could be paid once, and was",
  }),
  url: nullable(text({ max: 2_048, note: `The URL of the checkout; ${lost}`, example: LINK_URL })),
  application: object(
    {
      ...application,
      token: nullable(
        text({ note: `The secret in the URL of the link; ${lost}`, example: LINK_TOKEN }),
      ),
    },
    { note: "The token of the link" },
  ),
  payments: integer({
    min: 0,
    max: MAX_PAYMENTS_COUNTED,
    note: `The number of payments that succeeded, counted up to ${MAX_PAYMENTS_COUNTED}`,
  }),
  createdAt: created,
};
// What the previous release does not say is optional until the next one.
export const link = object(
  {
    ...linkState,
    ...linkShown,
    unsupportedPaymentOptions: optional(unsupportedPaymentOptions),
  },
  { name: "PaymentLink", note: "A payment link, with the fields of its request" },
);
const listedLink = object(
  { ...linkState, ...linkListed },
  { name: "ListedPaymentLink", note: "A payment link, as lists show it" },
);

const publicItem = object(
  {
    name: text({ note: "The name of the item", example: "Tulips" }),
    description: text({ max: 512, note: "What the item is", example: "A dozen, red" }),
    qty: optional(number({ note: "How many", example: 1 })),
    price: optional(money("The price of one")),
    total: optional(
      money("The price of all of them; absent if the items do not add up to the amount"),
    ),
    imageUrl: optional(
      text({ max: 2_048, note: "An image of the item", example: "https://example.com/image.png" }),
    ),
  },
  { name: "CheckoutItem", note: "An item that the customer pays for" },
);

export const branding = object(
  {
    logo: nullable(
      text({
        max: 2_048,
        note: "The image at the top of the page",
        example: "https://example.com/image.png",
      }),
    ),
    primaryColor: nullable(text({ note: "The colour of buttons", example: "#1a2b3c" })),
    backgroundColor: nullable(text({ note: "The colour of the page", example: "#ffffff" })),
    // A node of the previous release leaves these two out.
    supportEmail: optional(
      nullable(text({ note: "Where customers reach the business", example: "help@example.com" })),
    ),
    termsUrl: optional(
      nullable(
        text({ max: 2_048, note: "The terms of sale", example: "https://example.com/terms" }),
      ),
    ),
  },
  { note: "The look of the page, and how customers reach the business" },
);

const view = object(
  {
    name: text({ note: "The title of the page", example: "Spring sale" }),
    businessName: text({ note: "The business that is paid", example: "Acme" }),
    status: oneOf([...LINK_STATUSES, "PAUSED"], {
      note: "Whether the link can be paid; PAUSED while payments to the business are paused",
    }),
    checkoutType: text({ note: "The kind of link", example: "generic" }),
    currency,
    amount: money("The price"),
    fees: money("The fee that the customer pays on top", "1.06"),
    total: money("What the customer pays", "26.06"),
    items: list(publicItem, { max: 200, note: "What the customer pays for" }),
    fields: list(
      object(
        {
          name: text({ note: "The name of the field", example: "Email" }),
          required: boolean({ note: "Whether it must be filled" }),
        },
        { name: "CheckoutField", note: "A field that the customer fills in" },
      ),
      {
        max: 44,
        note: "What the customer fills in; the first four are the fields of `customer`",
      },
    ),
    purpose: oneOf(["pay", "subscribe", "change_method"], {
      note: "What the customer does here: pay, or save a card for a subscription",
    }),
    recurring: nullable(recurringCharge),
    feesOnTop: boolean({ note: "Whether the customer pays the fee on top of prices" }),
    dueNow: text({
      note: "Charged immediately: the total of a payment, or the amount due when a payment method is saved",
      example: "0.00",
    }),
    firstChargeAt: nullable(
      timestamp({ note: "When the coming subscription is first charged, at the soonest" }),
    ),
    firstCharge: optional(
      nullable(
        object(
          {
            amount: money("The sum, the fee on top included; without any usage", "51.79"),
            fees: money("The fee in it that the customer pays", "1.79"),
            nextAt: timestamp({ note: "When the subscription is charged after it" }),
          },
          { note: "The first charge of the coming subscription; null without one" },
        ),
      ),
    ),
    branding,
    redirectTo: nullable(
      text({
        max: 2_048,
        note: "Where the customer goes after paying",
        example: "https://shop.example.com/thanks",
      }),
    ),
    isOpenLink: optional(
      boolean({ note: "Whether any number of payments or subscriptions may be made with it" }),
    ),
    paymentOptions: optional(
      list(oneOf(PAYMENT_OPTIONS), {
        max: PAYMENT_OPTIONS.length,
        note: "The ways to pay; if there is none, the link cannot be paid",
      }),
    ),
    takesTestCards: optional(
      boolean({ note: "Whether cards are test cards, from `POST /v1/sandbox/card-tokens`" }),
    ),
    vault: nullable(
      object(
        {
          fieldUrl: text({
            max: 2_048,
            note: "The page that takes the card, for a frame",
            example: "https://vault.example.com/field",
          }),
          wantsPostcode: optional(
            boolean({ note: "Whether it wants the postcode of the card's bill with its question" }),
          ),
        },
        { note: "The vault of the card processor; null in the sandbox, and if no card is taken" },
      ),
    ),
  },
  { name: "Checkout", note: "What the customer sees of a payment link" },
);

export const linkToken = anyText({
  note: "The secret in the URL of the payment link",
  example: LINK_TOKEN,
});

/** The customer's request to pay, or to save a payment method. */
export const checkoutRequest = {
  token: linkToken,
  idempotencyKey: optional(idempotencyKey),
  address: text({ note: "The customer's network address" }),
  customer,
  fields: optional(
    textMap({
      max: 40,
      note: "The further fields of the link, by their names",
      example: { Size: "M" },
    }),
  ),
  once: optional(
    boolean({
      note: "For an open link, and a client that cannot keep its Idempotency-Key: refuse the request while an earlier one with `once`, of the same e-mail address, has no outcome, and for ten minutes after its success",
      default: false,
    }),
  ),
  paymentMethod: object(
    {
      type: oneOf(["card"], { note: "A card" }),
      token: text({
        note: "The token of the card in its vault",
        example: "card_9rT2mXq7Lk0vYb4nHs8dWc1eFj6uZpGiAoRtKxNyQ3E",
      }),
    },
    { name: "PaymentMethod", note: "How the customer pays" },
  ),
};

export const outcome = object(
  {
    id: uuid({ note: "The id of the payment" }),
    status: oneOf(PAYMENT_STATUSES, { note: "PENDING: the outcome is not known yet" }),
    reason: optional(text({ note: "Why the payment failed", example: "Your card was declined." })),
    confirmUntil: optional(
      timestamp({
        note: "With PENDING: the card's issuer asks the customer to confirm the payment (3-D Secure), until then",
      }),
    ),
    action: optional(
      text({
        max: 1_000,
        note: "With confirmUntil: what the vault's field carries out, in its message payrail.confirm",
        example: "pi_3NkY_secret_8fQ2",
      }),
    ),
    receipt: optional(
      object(
        {
          amount: money("The sum that the card was charged", "26.06"),
          refunded: money("The part of it that was paid back, or is being paid back", "0.00"),
          card: object(
            {
              brand: text({ note: "The brand of the card", example: "Visa" }),
              last4: text({ note: "The last four digits of its number", example: "4242" }),
            },
            { note: "The card that was charged" },
          ),
          paidAt: timestamp({ note: "When it succeeded" }),
        },
        { note: "With SUCCEEDED: the facts of a receipt" },
      ),
    ),
    redirectTo: nullable(
      text({
        max: 2_048,
        note: "Where the customer goes after paying",
        example: "https://shop.example.com/thanks",
      }),
    ),
  },
  { name: "CheckoutPayment", note: "A payment, as the customer sees it" },
);

export const LINK_ERRORS = ["PAYMENT_LINK_NOT_FOUND"] as const;
export const CHECKOUT_ERRORS = [
  ...LINK_ERRORS,
  "COLLECTIONS_PAUSED",
  "LINK_NOT_PAYABLE",
  "LINK_BUSY",
  "USED_RECENTLY",
  "STILL_RUNNING",
  "KEY_REUSED",
  "RATE_LIMITED",
] as const;
const linkId = id({ note: "The id of the payment link" });

export const paymentLinks = {
  "payment-links.ready": ready,

  "payment-links.createLink": action({
    does: "Creates a payment link. It belongs to the business, also if the token is an end user's",
    params: {
      body: anything<unknown>({
        note: "The body of createPaymentLink in the REST API, as the caller sent it; checked as a whole, with the rules that connect its fields",
      }),
    },
    result: object(
      {
        url,
        application: object(application, { note: "The token of the link" }),
        unsupportedPaymentOptions: optional(unsupportedPaymentOptions),
      },
      { name: "CreatedPaymentLink", note: "A new payment link" },
    ),
    meta: ["actor", "creation"],
    errors: ["NO_COLLECTION_ACCOUNT"],
  }),

  "payment-links.links": action({
    does: "Lists the payment links of a business, each in short",
    params: {
      businessId,
      search: optional(
        text({
          min: 0,
          max: 64,
          note: "Only links with this text in their name, orderId or externalId, in any case",
        }),
      ),
      ...paging,
    },
    result: page(listedLink),
    errors: ["TOO_BROAD"],
  }),

  "payment-links.link": action({
    does: "Shows a payment link",
    params: { businessId, id: linkId },
    result: link,
    errors: [...LINK_ERRORS],
  }),

  "payment-links.disableLink": action({
    does: "Disables a payment link. It can no longer be paid, and a repeated call changes nothing",
    params: { businessId, id: linkId },
    result: link,
    meta: ["creation"],
    errors: [...LINK_ERRORS],
  }),

  "payment-links.isLinkToken": action({
    does: "Whether a token is that of a payment link of the business",
    params: { businessId: uuid(), tokenHash: text({ note: "SHA-256 of the token, base64url" }) },
    result: object({ isLinkToken: boolean() }),
    callers: ["accounts"],
  }),

  "payment-links.checkout": action({
    does: "Shows a payment link to a customer, in any status",
    params: { token: linkToken },
    result: view,
    errors: [...LINK_ERRORS],
  }),

  "payment-links.pay": action({
    does: "Charges a customer once. If the outcome is not known after ten seconds, the payment is PENDING: payrail asks for the outcome later and does not charge again",
    params: checkoutRequest,
    result: outcome,
    meta: ["deadline"],
    errors: [...CHECKOUT_ERRORS],
    timeoutMs: OUTCOME_WITHIN_MS + 5_000,
  }),

  "payment-links.continuePayment": action({
    does: "Tells the outcome of a payment that its customer had to confirm with the card's issuer. The acquirer is asked and charges nothing anew, so a repeated call has the same result",
    params: { token: linkToken, id: id({ note: "The id of the payment" }) },
    result: outcome,
    errors: [...LINK_ERRORS, "PAYMENT_NOT_FOUND"],
    timeoutMs: OUTCOME_WITHIN_MS,
  }),

  "payment-links.paymentState": action({
    does: "Shows a payment to a customer",
    params: { token: linkToken, id: id({ note: "The id of the payment" }) },
    result: outcome,
    errors: [...LINK_ERRORS, "PAYMENT_NOT_FOUND"],
  }),
};
