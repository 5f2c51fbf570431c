// The customer's agreement to a recurring link, as text: the price, the first charge and the
// interval. Pure; all amounts come from the view, none is computed here.

import { isolate } from "./browser/direction.js";
import type { Locale } from "./locale.ts";
import type { View } from "./view.ts";

type Recurring = NonNullable<View["recurring"]>;

/** A name and its amount. */
export type Row = [name: string, value: string];

interface Offer {
  /**
   * The sum of the first charge, or the price of a unit; null if a payment-links node of the
   * previous release has made the view, because it does not tell the sum.
   */
  headline: string | null;
  /** The interval and the dates of the charges; beside the price of a unit also the unit. */
  every: string;
  rows: Row[];
  /** Whether the last row is the sum of the others. */
  isSummed: boolean;
}

/** A view of a recurring link, and its first charge. */
interface Terms {
  view: View;
  recurring: Recurring;
  locale: Locale;
}

/** The price of a recurring link. */
export function describeOffer(terms: Terms): Offer {
  const { recurring } = terms;
  const { type, seatDetails, consumptionDetails } = recurring;
  if (type === "seating" && seatDetails) return seatOffer(terms, seatDetails);
  if (type === "consumption" && consumptionDetails) return usageOffer(terms, consumptionDetails);
  const { view, locale } = terms;
  const price: Row = [locale.say("amount"), locale.money(view.currency, view.amount)];
  const { rows, isSummed } = summed(terms, [price]);
  const headline = firstSum(terms);
  return { headline, every: describeTimes(terms), rows: isSummed ? rows : [], isSummed };
}

function seatOffer(
  terms: Terms,
  { baseFee, costPerSeat }: NonNullable<Recurring["seatDetails"]>,
): Offer {
  const { view, locale } = terms;
  const { currency } = view;
  const base: Row = [locale.say("baseFee"), locale.unitMoney(currency, baseFee)];
  const seat: Row = [locale.say("eachSeat"), locale.unitMoney(currency, costPerSeat)];
  const rows = baseFee > 0 ? [base, seat] : [seat];
  return { headline: firstSum(terms), every: describeTimes(terms), ...summed(terms, rows) };
}

/** The prices of a first charge, with its fee, and with their sum if they are several. */
function summed(terms: Terms, prices: Row[]): Pick<Offer, "rows" | "isSummed"> {
  const sum = firstSum(terms);
  const parts = [...prices, ...feeRows(terms)];
  if (sum === null || parts.length === 1) return { rows: parts, isSummed: false };
  return { rows: [...parts, [terms.locale.say("firstPayment"), sum]], isSummed: true };
}

/** The fee that is part of the first charge, if there is one. */
function feeRows({ view: { currency, firstCharge }, locale }: Terms): Row[] {
  const fees = firstCharge?.fees ?? "0.00";
  return Number(fees) > 0 ? [[locale.say("fee"), locale.money(currency, fees)]] : [];
}

/** Without a base fee the price of a unit is the headline, because nothing else is certain. */
function usageOffer(
  terms: Terms,
  {
    unit: unitName,
    costPerUnit,
    minimumUnits = 0,
    baseFee = 0,
  }: NonNullable<Recurring["consumptionDetails"]>,
): Offer {
  const { view, locale } = terms;
  const { currency } = view;
  const unit = isolate(unitName);
  const price = locale.unitMoney(currency, costPerUnit);
  const included: Row[] =
    minimumUnits > 0 ? [[locale.say("included", { unit }), locale.number(minimumUnits)]] : [];
  if (baseFee === 0) {
    const every = describeUnitTimes(terms, unit);
    return { headline: price, every, rows: included, isSummed: false };
  }
  const rows: Row[] = [
    [locale.say("baseFee"), locale.unitMoney(currency, baseFee)],
    ...feeRows(terms),
    ...included,
    [locale.say(minimumUnits > 0 ? "eachFurther" : "each", { unit }), price],
  ];
  const sum = firstSum(terms);
  const headline = sum && locale.say("from", { amount: sum });
  return { headline, every: describeTimes(terms), rows, isSummed: false };
}

function firstSum({ view: { currency, firstCharge }, locale }: Terms): string | null {
  return firstCharge ? locale.money(currency, firstCharge.amount) : null;
}

function describeTimes({ view, recurring, locale }: Terms): string {
  const every = describeInterval(recurring, locale);
  const { firstCharge, firstChargeAt } = view;
  if (firstChargeAt !== null) {
    return locale.say("dueLater", { every, date: locale.date(firstChargeAt) });
  }
  if (!firstCharge) return every;
  return locale.say("dueToday", { every, date: locale.date(firstCharge.nextAt) });
}

function describeUnitTimes({ view, recurring, locale }: Terms, unit: string): string {
  const every = describeInterval(recurring, locale);
  const { firstChargeAt } = view;
  return firstChargeAt === null
    ? locale.say("perUnit", { unit, every })
    : locale.say("perUnitLater", { unit, every, date: locale.date(firstChargeAt) });
}

const INTERVALS = {
  day: ["everyDay", "everyDays"],
  week: ["everyWeek", "everyWeeks"],
  month: ["everyMonth", "everyMonths"],
  year: ["everyYear", "everyYears"],
} as const;

export function describeInterval(
  { interval: { type, count } }: Pick<Recurring, "interval">,
  locale: Locale,
): string {
  const [one, many] = INTERVALS[type];
  return count === 1 ? locale.say(one) : locale.say(many, { count: locale.number(count) });
}

/** The text of a recurring link's button: the sum of the first charge, and its date. */
export function subscribeButton(terms: Terms): string {
  const { view, recurring, locale } = terms;
  const { currency, firstCharge, firstChargeAt } = view;
  if (!firstCharge) return locale.say("subscribe");
  const amount = locale.money(currency, firstCharge.amount);
  if (firstChargeAt === null) return locale.say("subscribeToday", { amount });
  const date = locale.date(firstChargeAt);
  if (recurring.type !== "consumption") return locale.say("subscribeLater", { amount, date });
  return Number(firstCharge.amount) > 0
    ? locale.say("subscribeFrom", { amount, date })
    : locale.say("subscribeByUsage", { date });
}

/** The payments after the card is saved. */
export function subscriptionTerms(terms: Terms): string[] {
  const { view, recurring, locale } = terms;
  const { businessName: business } = view;
  const every = describeInterval(recurring, locale);
  const permission = locale.say("permission", { business, every });
  return [describeFirstCharge(terms), permission, ...describeFee(terms)];
}

/** A plan with one price needs no words about the fee in it. */
function describeFee({ view: { feesOnTop, firstCharge }, recurring, locale }: Terms): string[] {
  if (recurring.type === "subscription" || !feesOnTop) return [];
  return [locale.say(Number(firstCharge?.fees ?? 0) > 0 ? "feeIncluded" : "feeAdded")];
}

function describeFirstCharge({ view, recurring, locale }: Terms): string {
  const { currency, dueNow, firstChargeAt } = view;
  if (isDue(view)) return locale.say("chargedNow", { amount: locale.money(currency, dueNow) });
  if (firstChargeAt === null) return locale.say("nothingNow");
  const date = locale.date(firstChargeAt);
  return locale.say(recurring.type === "consumption" ? "firstByUsage" : "firstOn", { date });
}

/** The charges of a subscription that has just been set up. */
export function chargesAhead({ view, recurring, locale }: Terms): string {
  const { currency, dueNow, firstChargeAt } = view;
  if (isDue(view)) return locale.say("beingCharged", { amount: locale.money(currency, dueNow) });
  if (firstChargeAt === null) return locale.say("nothingCharged");
  const date = locale.date(firstChargeAt);
  return locale.say(recurring.type === "consumption" ? "aheadByUsage" : "ahead", { date });
}

/** The terms for a customer with a new card for a subscription. */
export function changeTerms(view: View, locale: Locale): string[] {
  const { businessName: business, currency, dueNow } = view;
  return [
    isDue(view)
      ? locale.say("unpaidCharged", { amount: locale.money(currency, dueNow) })
      : locale.say("nothingNow"),
    locale.say("onlyThisCard", { business }),
  ];
}

function isDue({ dueNow }: View): boolean {
  return Number(dueNow) > 0;
}
