// The customer's agreement to a recurring link, as text: the price, the interval and the first
// date. Pure; all amounts come from the view, none is computed here.

import { formatDate, money, NUMBERS, unitMoney } from "./amounts.ts";
import type { View } from "./view.ts";

type Recurring = NonNullable<View["recurring"]>;

/** A name and its amount. */
type Row = [name: string, value: string];

interface Offer {
  headline: string;
  /** The interval, such as "every 3 months", and its object. */
  every: string;
  rows: Row[];
  /** Whether the last row is the sum of the others. */
  isSummed: boolean;
}

/** The price of a recurring link. */
export function describeOffer(view: View, recurring: Recurring): Offer {
  const every = describeInterval(recurring);
  const { type, seatDetails, consumptionDetails } = recurring;
  if (type === "seating" && seatDetails) {
    const { baseFee, costPerSeat } = seatDetails;
    const each = unitMoney(view, costPerSeat);
    const rows: Row[] = [
      ["Base fee", unitMoney(view, baseFee)],
      ["Each seat", each],
      ["Seats to begin with", "1"],
    ];
    return { ...priced(view, baseFee, each, "seat", every), rows, isSummed: false };
  }
  if (type === "consumption" && consumptionDetails) {
    const { unit, costPerUnit, minimumUnits = 0, baseFee = 0 } = consumptionDetails;
    const each = unitMoney(view, costPerUnit);
    const rows: Row[] = [
      ["Base fee", unitMoney(view, baseFee)],
      [`Included: ${unit}`, NUMBERS.format(minimumUnits)],
      [minimumUnits > 0 ? `Each further ${unit}` : `Each ${unit}`, each],
    ];
    return { ...priced(view, baseFee, each, unit, every), rows, isSummed: false };
  }
  const total = money(view, view.total);
  const rows: Row[] = [
    ["Amount", money(view, view.amount)],
    ["Fees", money(view, view.fees)],
    [`Total ${every}`, total],
  ];
  return { headline: total, every, rows, isSummed: true };
}

/** The price with a minimum, or of one unit. */
function priced(view: View, baseFee: number, each: string, unit: string, every: string) {
  return baseFee > 0
    ? { headline: `From ${unitMoney(view, baseFee)}`, every }
    : { headline: each, every: `for each ${unit}, ${every}` };
}

function describeInterval({ interval: { type, count } }: Recurring): string {
  return count === 1 ? `every ${type}` : `every ${count} ${type}s`;
}

/** The payments after the card is saved. */
export function subscriptionTerms(view: View, recurring: Recurring): string[] {
  const isFeeInPrice = recurring.type === "subscription";
  return [
    firstCharge(view, recurring),
    `By subscribing you allow ${view.businessName} to charge this card ${describeInterval(recurring)}, until the subscription is cancelled.`,
    ...(isFeeInPrice || !view.feesOnTop ? [] : ["The fee of a card payment is added each time."]),
  ];
}

function firstCharge(view: View, { type }: Recurring): string {
  const { dueNow, firstChargeAt } = view;
  if (isDue(view)) return `${money(view, dueNow)} is charged as soon as your card is saved.`;
  if (firstChargeAt === null) return "Nothing is charged now.";
  const why = type === "consumption" ? ", at the end of the first period" : "";
  return `Nothing is charged now. The first payment is on ${formatDate(firstChargeAt)}${why}.`;
}

/** The terms for a customer with a new card for a subscription. */
export function changeTerms(view: View): string[] {
  const { businessName, dueNow } = view;
  return [
    isDue(view)
      ? `${money(view, dueNow)} is not paid yet, and is charged as soon as your card is saved, and after it what has come due since.`
      : "Nothing is charged now.",
    `From then on ${businessName} charges this card for your subscription, and no other.`,
  ];
}

function isDue({ dueNow }: View): boolean {
  return Number(dueNow) > 0;
}
