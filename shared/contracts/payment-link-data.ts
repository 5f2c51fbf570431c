// The fields of a payment link's request (docs/rest-api.md, Payment links). The rules that connect
// them are in services/payment-links/links/link-request.ts.

import { list, object, textMap } from "../compound-fields.ts";
import { type Fields, type Infer, inForms, only, optional } from "../field.ts";
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
import { MAX_AMOUNT_MINOR } from "../money.ts";
import { httpsUrl, imageUrl } from "../url-fields.ts";
import { currency } from "./contract.ts";
import { webhookSecret } from "./webhook-secret.ts";

const CHECKOUT_TYPES = ["generic", "ecommerce", "recurring"] as const;
export const CHARGE_TYPES = ["subscription", "consumption", "seating"] as const;
export const INTERVALS = ["day", "week", "month", "year"] as const;
export const SEAT_BILLINGS = ["prorate", "next_cycle", "immediate"] as const;

const MAX_NAMES = 20;
const MAX_CART_ITEMS = 200;
const MAX_ENTRIES = 50;
/** The least amount of a one-time link and of a subscription's period. */
export const LEAST_AMOUNT = 0.5;
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

export const interval = object(
  {
    type: oneOf(INTERVALS),
    count: integer({ min: 1, max: MAX_COUNT, note: "Interval multiple" }),
  },
  { name: "BillingInterval" },
);
const unitPrice = price({ decimals: 6, note: "Up to six decimals" });
const charge = {
  startDate: timestamp({ note: "Billing start (trial end); before expiredAt" }),
  interval,
  productId: optional(text()),
};
export const consumptionDetails = object(
  {
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
  },
  { name: "ConsumptionDetails" },
);
export const seatDetails = object(
  {
    baseFee: price({ note: "Fixed fee of a period" }),
    costPerSeat: unitPrice,
    newSeatBillingType: oneOf(SEAT_BILLINGS),
  },
  { name: "SeatDetails" },
);

const type = oneOf(CHARGE_TYPES, { note: "How the subscription is charged" });
const charges = {
  subscription: object(
    { type: only(type, "subscription"), ...charge },
    { name: "SubscriptionCharge", note: "A fixed amount for each period" },
  ),
  consumption: object(
    { type: only(type, "consumption"), ...charge, consumptionDetails },
    { name: "ConsumptionCharge", note: "A price for each unit that was used in a period" },
  ),
  seating: object(
    { type: only(type, "seating"), ...charge, seatDetails },
    { name: "SeatingCharge", note: "A price for each seat in a period" },
  ),
};

export const recurringCharge = inForms(
  object(
    {
      type,
      ...charge,
      consumptionDetails: optional(consumptionDetails),
      seatDetails: optional(seatDetails),
    },
    { name: "RecurringCharge", note: "How and when the customer is charged" },
  ),
  "type",
  charges,
);

const leastAmount = number({
  min: LEAST_AMOUNT,
  max: MAX_AMOUNT_MINOR / 100,
  decimals: 2,
  note: "The amount that is charged",
  example: 25,
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
      note: 'Has to contain "card", which is the default',
    }),
  ),
  notifyPayee: optional(boolean({ note: "A NOTIFICATION event names the customer" })),
  agent: optional(
    textMap({
      max: MAX_ENTRIES,
      fields: { type: name, email: email(), name: text() },
      note: "The person that a NOTIFICATION event names",
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
  cartItems: list(object(cartItem, { name: "CartItem" }), { min: 1, max: MAX_CART_ITEMS }),
  externalId: optional(text()),
};
export type LinkRequest = Infer<typeof linkRequest>;
export type RecurringCharge = NonNullable<LinkRequest["recurringCharge"]>;

const { recurringCharge: _, ...withoutCharge } = linkRequest;
const oneTime = {
  ...withoutCharge,
  amount: leastAmount,
  checkoutType: optional(oneOf(["generic", "ecommerce"], { note: "generic by default" })),
};
const recurring = { ...withoutCharge, checkoutType: oneOf(["recurring"]) };

/**
 * The request by type of link, for the OpenAPI document. It has no discriminator, because a
 * one-time link needs no checkoutType, and the recurring ones differ only inside recurringCharge.
 */
export const linkRequestForms: Record<string, Fields> = {
  one_time: oneTime,
  subscription: { ...recurring, amount: leastAmount, recurringCharge: charges.subscription },
  consumption: { ...recurring, recurringCharge: charges.consumption },
  seating: { ...recurring, recurringCharge: charges.seating },
};

/** The part of the request that is shown again: all except the webhook's secret. */
export const linkShown = { ...linkRequest, advancedConfig: optional(object(destination)) };

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
