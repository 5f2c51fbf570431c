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
      hint: "What is charged, at least 0.50.",
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
      label: "Fee",
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
      initial: new Date().toISOString().slice(0, "yyyy-mm-dd".length),
      hint: "Until then it is a trial, and nothing is charged.",
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
  ];
}
