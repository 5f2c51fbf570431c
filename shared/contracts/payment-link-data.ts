// The fields of a payment link's request (docs/rest-api.md, Payment links). The rules that connect
// them are in services/payment-links/links/link-request.ts.

import { list, object, textMap } from "../compound-fields.ts";
import { type Infer, optional } from "../field.ts";
import {
  boolean,
  email,
  integer,
  normalised,
  number,
  oneOf,
  price,
  text,
  timestamp,
} from "../fields.ts";
import { httpsUrl, imageUrl } from "../url-fields.ts";
import { currency } from "./contract.ts";
import { webhookSecret } from "./webhooks.ts";

const CHECKOUT_TYPES = ["generic", "ecommerce", "recurring"] as const;
export const CHARGE_TYPES = ["subscription", "consumption", "seating"] as const;
export const INTERVALS = ["day", "week", "month", "year"] as const;
export const SEAT_BILLINGS = ["prorate", "next_cycle", "immediate"] as const;

/** The payment options that the checkout takes. */
export const PAYMENT_OPTIONS = ["card"] as const;
export type PaymentOption = (typeof PAYMENT_OPTIONS)[number];

const MAX_NAMES = 20;
const MAX_CART_ITEMS = 200;
const MAX_ENTRIES = 50;
/** The limit of an interval's multiple: a century of years, more than any plan needs. */
const MAX_COUNT = 1_000;

const slug = normalised(
  (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? given : null),
  "a slug of up to 64 lower-case letters, digits and hyphens",
  { pattern: "^[a-z0-9-]{1,64}$" },
  { example: "spring-sale" },
);
const colour = normalised(
  (given) => (/^#[0-9a-f]{6}$/i.test(given) ? given.toLowerCase() : null),
  "a colour such as #1a2b3c",
  { pattern: "^#[0-9a-fA-F]{6}$" },
  { example: "#1a2b3c" },
);
const name = text();

export const cartItem = {
  name: text(),
  description: text({ max: 512 }),
  qty: optional(number({ min: 0, max: 1_000_000, note: "How many" })),
  price: optional(price({ note: "Price of one, in the cart item's currency" })),
  currency: optional(currency),
  productId: optional(text()),
  imageUrl: optional(imageUrl()),
};

export const interval = object({
  type: oneOf(INTERVALS),
  count: integer({ min: 1, max: MAX_COUNT, note: "Interval multiple" }),
});
const unitPrice = price({ decimals: 6, note: "Up to six decimals" });
const charge = {
  startDate: timestamp({
    note: "Billing start (trial end); today (UTC) or later, before expiredAt",
  }),
  interval,
  productId: optional(text()),
};
export const consumptionDetails = object({
  unit: text({ example: "API call" }),
  costPerUnit: unitPrice,
  minimumUnits: optional(
    number({
      min: 0,
      max: 1_000_000_000_000,
      decimals: 6,
      note: "Units included before charges apply",
    }),
  ),
  baseFee: optional(price({ note: "Required if minimumUnits is set" })),
});
export const seatDetails = object({
  baseFee: price({ note: "Fixed fee of a period" }),
  costPerSeat: unitPrice,
  newSeatBillingType: oneOf(SEAT_BILLINGS),
});

export const recurringCharge = object({
  type: oneOf(CHARGE_TYPES),
  ...charge,
  consumptionDetails: optional(consumptionDetails),
  seatDetails: optional(seatDetails),
});

const destination = {
  websiteUrl: text({ max: 2_048, example: "https://shop.example.com" }),
  webhookPath: text({ max: 1_024, example: "/webhooks/payrail" }),
};

export const linkRequest = {
  currency,
  name: optional(text({ note: "page by default" })),
  amount: optional(
    price({ note: "At least 0.5 for one-time links and subscriptions; else optional" }),
  ),
  customUrlPath: optional(slug),
  redirectTo: optional(httpsUrl({ note: "The page for the customer after paying" })),
  expiredAt: optional(timestamp({ note: "In the future; one year from now by default" })),
  checkoutType: optional(oneOf(CHECKOUT_TYPES, { note: "generic by default" })),
  recurringCharge: optional(recurringCharge),
  isOpenLink: optional(boolean({ note: "Paid any number of times, or once; true by default" })),
  customerPays: optional(boolean({ note: "The customer pays the fee; true by default" })),
  orderId: optional(text()),
  dataCollections: optional(list(name, { max: MAX_NAMES, note: "More to ask the customer for" })),
  customFields: optional(list(name, { max: MAX_NAMES, note: "More fields to fill" })),
  acceptedPaymentOptions: optional(
    list(text(), {
      max: MAX_NAMES,
      note: "Any names; `card`, which is the default, is the only one that the checkout takes. A link that names others alone cannot be paid",
      example: ["card"],
    }),
  ),
  notifyPayee: optional(
    boolean({ note: "After a payment a NOTIFICATION event names the business, which is paid" }),
  ),
  agent: optional(
    textMap({
      max: MAX_ENTRIES,
      fields: { type: optional(name), email: optional(email()), name: optional(text()) },
      note: "After a payment a NOTIFICATION event names this person; texts, none of them required",
    }),
  ),
  brandingConfig: optional(
    object({
      logo: optional(imageUrl()),
      primaryColor: optional(colour),
      backgroundColor: optional(colour),
    }),
  ),
  advancedConfig: optional(object({ ...destination, webhookSecret: optional(webhookSecret) })),
  customData: optional(textMap({ max: MAX_ENTRIES })),
  itemDeliveryAddress: text({ max: 512 }),
  cartItems: list(object(cartItem), { min: 1, max: MAX_CART_ITEMS }),
  externalId: optional(text()),
};
export type LinkRequest = Infer<typeof linkRequest>;
export type RecurringCharge = NonNullable<LinkRequest["recurringCharge"]>;

/** The part of the request that is shown again: all except the webhook's secret. */
export const linkShown = { ...linkRequest, advancedConfig: optional(object(destination)) };

/** What a link asks for and the checkout does not take, in the merchant's words. */
export const unsupportedPaymentOptions = list(text(), {
  max: MAX_NAMES,
  note: "The acceptedPaymentOptions that the checkout does not take",
});

/** The part of it in a list; a hundred fit into one message, so without the cart and long texts. */
export const linkListed = {
  currency: linkShown.currency,
  name: linkShown.name,
  amount: linkShown.amount,
  customUrlPath: linkShown.customUrlPath,
  expiredAt: linkShown.expiredAt,
  checkoutType: linkShown.checkoutType,
  recurringCharge: linkShown.recurringCharge,
  isOpenLink: linkShown.isOpenLink,
  customerPays: linkShown.customerPays,
  orderId: linkShown.orderId,
  notifyPayee: linkShown.notifyPayee,
  externalId: linkShown.externalId,
};
