// The fields of a new payment link. Some belong to one way to charge only.

import type { Field, Values } from "../ui/form.tsx";
import { PLAN_TYPES, SEAT_BILLING } from "./plan.ts";

const isOf =
  (...kinds: string[]) =>
  ({ kind = "" }: Values) =>
    kinds.includes(kind);

export function priceFields(currencies: string[]): Field[] {
  return [
    {
      name: "kind",
      label: "How it charges",
      kind: "choice",
      options: [["once", "Once"], ...Object.entries(PLAN_TYPES)],
      initial: "once",
    },
    {
      name: "currency",
      label: "Currency",
      kind: "choice",
      options: currencies.map((currency) => [currency, currency]),
      hint: "Of one of your collection accounts.",
    },
    {
      name: "amount",
      label: "Amount",
      kind: "number",
      step: "0.01",
      hint: ({ customerPays }) =>
        customerPays === "true"
          ? "What you get, at least 0.50. The customer pays the card fee on top."
          : "What the customer pays, at least 0.50. You get it less the card fee.",
      isShown: isOf("once", "subscription"),
    },
    ...SEATING.map((field) => ({ ...field, isShown: isOf("seating") })),
    ...CONSUMPTION.map((field) => ({ ...field, isShown: isOf("consumption") })),
    ...periods().map((field) => ({
      ...field,
      isShown: isOf("subscription", "consumption", "seating"),
    })),
    {
      name: "customerPays",
      label: "Card fee",
      kind: "choice",
      options: [
        ["true", "The customer pays it on top"],
        ["false", "It comes out of the amount"],
      ],
    },
  ];
}

const SEATING: Field[] = [
  {
    name: "recurringCharge.seatDetails.costPerSeat",
    label: "Price of a seat",
    kind: "number",
    step: "0.000001",
    hint: "For each period, with up to six decimals.",
  },
  {
    name: "recurringCharge.seatDetails.baseFee",
    label: "Base fee",
    kind: "number",
    step: "0.01",
    hint: "For each period, beside the seats; 0 for none.",
  },
  {
    name: "recurringCharge.seatDetails.newSeatBillingType",
    label: "Changes of seats",
    kind: "choice",
    options: Object.entries(SEAT_BILLING),
  },
];

const CONSUMPTION: Field[] = [
  {
    name: "recurringCharge.consumptionDetails.unit",
    label: "Unit",
    hint: "What is counted, such as API call.",
  },
  {
    name: "recurringCharge.consumptionDetails.costPerUnit",
    label: "Price of a unit",
    kind: "number",
    step: "0.000001",
    hint: "With up to six decimals.",
  },
  {
    name: "recurringCharge.consumptionDetails.baseFee",
    label: "Base fee",
    kind: "number",
    step: "0.01",
    hint: "For each period, beside the units.",
    isOptional: true,
  },
  {
    name: "recurringCharge.consumptionDetails.minimumUnits",
    label: "Included units",
    kind: "number",
    step: "0.000001",
    hint: "The base fee includes them.",
    isOptional: true,
  },
];

/** In UTC, as in a field of a date. */
export function today(): string {
  return new Date().toISOString().slice(0, "yyyy-mm-dd".length);
}

function periods(): Field[] {
  return [
    {
      name: "recurringCharge.interval.type",
      label: "Period",
      kind: "choice",
      options: [
        ["month", "Months"],
        ["year", "Years"],
        ["week", "Weeks"],
        ["day", "Days"],
      ],
    },
    {
      name: "recurringCharge.interval.count",
      label: "Length of a period",
      kind: "number",
      step: "1",
      initial: "1",
      hint: "How many months, years, weeks or days.",
    },
    {
      name: "recurringCharge.startDate",
      label: "Billing starts (UTC)",
      kind: "date",
      initial: today(),
      hint: ({ "recurringCharge.startDate": start = "" }) =>
        start > today()
          ? "Until then it is a trial, and nothing is charged."
          : "The first period begins when the customer subscribes. A later day makes a trial until then.",
    },
    {
      name: "recurringCharge.productId",
      label: "Your product id",
      isOptional: true,
    },
  ];
}

export const CONTENTS: Field[] = [
  { name: "name", label: "Name", hint: "The title of the page, and of the link here." },
  {
    name: "itemDeliveryAddress",
    label: "Delivery address",
    hint: "Where the items go. Each payment has it.",
  },
  {
    name: "orderId",
    label: "Order number",
    isOptional: true,
    hint: "Your own. Each payment has it; customers do not see it.",
  },
  {
    name: "customFields",
    label: "Further questions",
    kind: "area",
    isOptional: true,
    hint: "One on each line, such as Size. The customer may leave them empty. Email, names and phone number are always asked.",
  },
  { name: "asksAddress", label: "Ask for the shipping address", kind: "flag" },
];

/** The name by which the checkout asks for the parts of an address. */
export const SHIPPING_ADDRESS = "Shipping address";

export const LOOK: Field[] = [
  {
    name: "brandingConfig.logo",
    label: "Logo",
    kind: "url",
    isOptional: true,
    hint: "The address of an image; https.",
  },
  {
    name: "brandingConfig.primaryColor",
    label: "Colour of buttons",
    isOptional: true,
    hint: "Such as #1f4fd8.",
  },
  {
    name: "brandingConfig.backgroundColor",
    label: "Colour of the page",
    isOptional: true,
    hint: "Such as #f6f7f9, the same in dark schemes.",
  },
  {
    name: "brandingConfig.supportEmail",
    label: "Email for questions",
    kind: "email",
    isOptional: true,
    hint: "The page and the receipt show it.",
  },
  {
    name: "brandingConfig.termsUrl",
    label: "Your terms",
    kind: "url",
    isOptional: true,
    hint: "Their address; https.",
  },
];

export const RULES: Field[] = [
  {
    name: "isOpenLink",
    label: "Who can pay",
    kind: "choice",
    options: [
      ["true", "Any number of customers"],
      ["false", "One customer, once"],
    ],
  },
  {
    name: "expiredAt",
    label: "Expires (UTC)",
    kind: "date",
    isOptional: true,
    hint: "In a year if left out.",
  },
  {
    name: "redirectTo",
    label: "Page after the payment",
    kind: "url",
    isOptional: true,
    hint: "Where the customer goes then; https.",
  },
];

/** The people that an event names after each payment. */
export const TOLD: Field[] = [
  {
    name: "notifyPayee",
    label: "Name the business in a NOTIFICATION event after each payment",
    kind: "flag",
  },
  { name: "agent.name", label: "Agent's name", isOptional: true, hint: "Who sold it." },
  { name: "agent.email", label: "Agent's email", kind: "email", isOptional: true },
  { name: "agent.type", label: "Agent's role", isOptional: true, hint: "Such as sales." },
];

export function itemFields(i: number): Field[] {
  return [
    { name: `cartItems[${i}].name`, label: "Name" },
    { name: `cartItems[${i}].description`, label: "Description" },
    {
      name: `cartItems[${i}].qty`,
      label: "Quantity",
      kind: "number",
      step: "any",
      isOptional: true,
    },
    {
      name: `cartItems[${i}].price`,
      label: "Price of one",
      kind: "number",
      step: "0.01",
      isOptional: true,
    },
    {
      name: `cartItems[${i}].imageUrl`,
      label: "Image",
      kind: "url",
      isOptional: true,
      hint: "Its address; https.",
    },
    { name: `cartItems[${i}].productId`, label: "Your product id", isOptional: true },
  ];
}
