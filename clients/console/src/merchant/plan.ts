// The plans of recurring payments in words.

import type { Data } from "../api.ts";
import { money, number } from "../format.ts";

export type Subscription = Data<"GET /v1/business/{businessId}/subscriptions/{id}">;
type Link = Data<"GET /v1/business/{businessId}/payment-links/{id}">;

/** What a link or a subscription charges period by period. */
export interface Plan {
  type: Subscription["type"];
  interval: Subscription["interval"];
  currency: string;
  /** The price of a period, unless it has details. */
  amount?: string | number | null;
  consumptionDetails?: Subscription["consumptionDetails"];
  seatDetails?: Subscription["seatDetails"];
}

/** The plan of a payment link; null if it is paid once. */
export function planOf(link: Pick<Link, "recurringCharge" | "amount" | "currency">): Plan | null {
  const { recurringCharge, amount, currency } = link;
  return recurringCharge ? { ...recurringCharge, amount, currency } : null;
}

/** Such as `every 3 months`. */
function every({ type, count }: Plan["interval"]): string {
  return count === 1 ? `every ${type}` : `every ${number(count)} ${type}s`;
}

/** Such as `USD 20.00 and USD 30.00 for each seat, every month`. */
export function planInWords(plan: Plan): string {
  const { interval, currency, amount, consumptionDetails, seatDetails } = plan;
  const price = (value: string | number) => money(String(value), currency);
  if (seatDetails) {
    const { baseFee, costPerSeat } = seatDetails;
    const base = baseFee > 0 ? `${price(baseFee)} and ` : "";
    return `${base}${price(costPerSeat)} for each seat, ${every(interval)}`;
  }
  if (consumptionDetails) {
    const { unit, costPerUnit, minimumUnits = 0, baseFee = 0 } = consumptionDetails;
    const base = baseFee > 0 ? `${price(baseFee)} and ` : "";
    const beyond = minimumUnits > 0 ? ` above ${number(minimumUnits)}` : "";
    return `${base}${price(costPerUnit)} for each ${unit}${beyond}, ${every(interval)}`;
  }
  return `${price(amount ?? 0)} ${every(interval)}`;
}

export const SEAT_BILLING: Record<
  NonNullable<Subscription["seatDetails"]>["newSeatBillingType"],
  string
> = {
  prorate: "Inside a period a change of seats is billed in proportion, on the next invoice.",
  immediate: "More seats are charged immediately, fewer are a credit on the next invoice.",
  next_cycle: "A new number of seats counts from the next period.",
};

/** How each type is charged. */
export const PLAN_TYPES: Record<Plan["type"], string> = {
  subscription: "A fixed amount for each period",
  consumption: "By usage, after each period",
  seating: "By seats, for each period",
};
