// The fields of a payment link's request (docs/integrate/rest-api.md, Payment links). The rules
// that connect them are in services/payment-links/links/link-request.ts.

import { MAX_AMOUNT_MINOR } from "../money.ts";
import { list, object, textMap } from "./compound-fields.ts";
import { currency } from "./contract.ts";
import { asOneOf, type Fields, type Infer, literal, optional } from "./field.ts";
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
} from "./fields.ts";
import { httpsUrl, imageUrl } from "./url-fields.ts";
import { webhookSecret } from "./webhook-secret.ts";

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
/** The least amount of a one-time link and of a subscription's period. */
export const LEAST_AMOUNT = 0.5;
/** The limit of an interval's multiple: a century of years, more than any plan needs. */
const MAX_COUNT = 1_000;

const slug = normalised(
  (given) => (/^[a-z0-9-]{1,64}$/.test(given) ? given : null),
  "a slug of up to 64 lower-case letters, digits and hyphens",
  { pattern: "^[a-z0-9-]{1,64}$" },
  {
    note: "The readable part of the checkout URL: a slug",
    default: "page",
    example: "spring-sale",
  },
);
const colour = (note: string) =>
  normalised(
    (given) => (/^#[0-9a-f]{6}$/i.test(given) ? given.toLowerCase() : null),
    "a colour such as #1a2b3c",
    { pattern: "^#[0-9a-fA-F]{6}$" },
    { note, example: "#1a2b3c" },
  );
const name = text({ example: "Size" });

export const cartItem = {
  name: text({ note: "The name of the item", example: "Tulips" }),
  description: text({ max: 512, note: "What the item is", example: "A dozen, red" }),
  qty: optional(number({ min: 0, max: 1_000_000, note: "How many", example: 1 })),
  price: optional(price({ note: "The price of one, in the currency of the item", example: 25 })),
  currency: optional(currency),
  productId: optional(text({ note: "Your id of the product", example: "sku-17" })),
  imageUrl: optional(imageUrl({ note: "An image of the item" })),
};

export const interval = object(
  {
    type: oneOf(INTERVALS, { note: "The unit of the interval" }),
    count: integer({ min: 1, max: MAX_COUNT, note: "How many units a period lasts" }),
  },
  { name: "BillingInterval", note: "The length of a period" },
);
const unitPrice = price({
  decimals: 6,
  note: "The price of one, with up to six decimals",
  example: 0.05,
});
const charge = {
  startDate: timestamp({
    note: "When billing starts and the trial ends; today (UTC) or later, before expiredAt",
    example: "2098-02-01T00:00:00.000Z",
  }),
  interval,
  productId: optional(text({ note: "Your id of the product", example: "plan-basic" })),
};
export const consumptionDetails = object(
  {
    unit: text({ note: "What is counted", example: "API call" }),
    costPerUnit: unitPrice,
    minimumUnits: optional(
      number({
        min: 0,
        max: 1_000_000_000_000,
        decimals: 6,
        note: "The units of a period that cost nothing",
        example: 100,
      }),
    ),
    baseFee: optional(
      price({ note: "The fixed fee of a period; required beside minimumUnits", example: 10 }),
    ),
  },
  { name: "ConsumptionDetails", note: "The prices of usage" },
);
export const seatDetails = object(
  {
    baseFee: price({ note: "The fixed fee of a period", example: 10 }),
    costPerSeat: unitPrice,
    newSeatBillingType: oneOf(SEAT_BILLINGS, {
      note: "When a change of seats is billed: in proportion with the next invoice, from the next period, or immediately",
    }),
  },
  { name: "SeatDetails", note: "The prices of seats" },
);

const type = oneOf(CHARGE_TYPES, { note: "How the subscription is charged" });
const charges = {
  subscription: object(
    { type: literal(type, "subscription"), ...charge },
    { name: "SubscriptionCharge", note: "A fixed amount for each period" },
  ),
  consumption: object(
    { type: literal(type, "consumption"), ...charge, consumptionDetails },
    { name: "ConsumptionCharge", note: "A price for each unit that was used in a period" },
  ),
  seating: object(
    { type: literal(type, "seating"), ...charge, seatDetails },
    { name: "SeatingCharge", note: "A price for each seat in a period" },
  ),
};

export const recurringCharge = asOneOf(
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
  websiteUrl: text({
    max: 2_048,
    note: "The address of your website",
    example: "https://shop.example.com",
  }),
  webhookPath: text({
    max: 1_024,
    note: "The path at that address which gets the events of this link",
    example: "/webhooks/payrail",
  }),
};

export const linkRequest = {
  currency,
  name: optional(text({ note: "The title of the page", default: "page", example: "Spring sale" })),
  amount: optional(
    price({
      note: "The amount that is charged: required and at least 0.5 for one-time links and subscriptions, otherwise stored only",
      example: 25,
    }),
  ),
  customUrlPath: optional(slug),
  redirectTo: optional(
    httpsUrl({ note: "Where the customer goes after paying; the operator may have set a default" }),
  ),
  expiredAt: optional(
    timestamp({
      note: "When the link expires: in the future, one year from now if left out",
      example: "2099-01-05T09:30:00.000Z",
    }),
  ),
  checkoutType: optional(oneOf(CHECKOUT_TYPES, { note: "The kind of link", default: "generic" })),
  recurringCharge: optional(recurringCharge),
  isOpenLink: optional(
    boolean({ note: "Whether the link can be paid any number of times, or once", default: true }),
  ),
  customerPays: optional(
    boolean({ note: "Whether the customer pays the fee on top", default: true }),
  ),
  orderId: optional(text({ note: "Your id of the order", example: "1042" })),
  dataCollections: optional(
    list(name, {
      max: MAX_NAMES,
      note: "What else to ask the customer for, beside email, names and phone number",
    }),
  ),
  customFields: optional(
    list(name, { max: MAX_NAMES, note: "The names of further fields that the customer may fill" }),
  ),
  acceptedPaymentOptions: optional(
    list(text({ example: "card" }), {
      max: MAX_NAMES,
      note: "The ways to pay. The checkout takes only `card`: a link that names others alone cannot be paid",
      default: ["card"],
    }),
  ),
  notifyPayee: optional(
    boolean({
      note: "Whether a NOTIFICATION event after a payment names the business, which is paid",
      default: false,
    }),
  ),
  agent: optional(
    textMap({
      max: MAX_ENTRIES,
      fields: {
        type: optional(text({ note: "The role of the person", example: "sales" })),
        email: optional(email({ note: "Where the person is reached" })),
        name: optional(text({ note: "The name of the person", example: "Grace Hopper" })),
      },
      name: "Agent",
      note: "A person that a NOTIFICATION event after a payment names; none of the texts is required",
    }),
  ),
  brandingConfig: optional(
    object(
      {
        logo: optional(imageUrl({ note: "The image at the top of the page" })),
        primaryColor: optional(colour("The colour of buttons")),
        backgroundColor: optional(colour("The colour of the page")),
        supportEmail: optional(
          email({ note: "Where customers reach you, on the page and on receipts" }),
        ),
        termsUrl: optional(
          httpsUrl({
            note: "Your terms of sale, on the page and on receipts",
            example: "https://example.com/terms",
          }),
        ),
      },
      { name: "BrandingConfig", note: "The look of the page, and how customers reach you" },
    ),
  ),
  advancedConfig: optional(
    object(
      { ...destination, webhookSecret: optional(webhookSecret) },
      { name: "AdvancedConfig", note: "An endpoint that gets the events of this link" },
    ),
  ),
  customData: optional(
    textMap({
      max: MAX_ENTRIES,
      note: "Your own texts, which come back with payments",
      example: { campaign: "spring" },
    }),
  ),
  itemDeliveryAddress: text({
    max: 512,
    note: "Where the items go",
    example: "1 Main St, New York",
  }),
  cartItems: list(
    object(cartItem, { name: "CartItem", note: "An item, for the customer to read" }),
    { min: 1, max: MAX_CART_ITEMS, note: "What the customer pays for; amount is what is charged" },
  ),
  externalId: optional(text({ note: "Another id of yours", example: "spring-2026" })),
};
export type LinkRequest = Infer<typeof linkRequest>;
export type RecurringCharge = NonNullable<LinkRequest["recurringCharge"]>;

const { recurringCharge: _, ...withoutCharge } = linkRequest;
const oneTime = {
  ...withoutCharge,
  amount: leastAmount,
  checkoutType: optional(
    oneOf(["generic", "ecommerce"], { note: "The look of the page", default: "generic" }),
  ),
};
const recurring = {
  ...withoutCharge,
  checkoutType: oneOf(["recurring"], { note: "A recurring link" }),
};

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
export const linkShown = {
  ...linkRequest,
  advancedConfig: optional(
    object(destination, { note: "An endpoint that gets the events of this link" }),
  ),
};

/** What a link asks for and the checkout does not take, in the merchant's words. */
export const unsupportedPaymentOptions = list(text({ example: "bank" }), {
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
