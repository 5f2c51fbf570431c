// The lines of an invoice: each says how its amount was computed, and is rounded once, half up to the
// cent. Pure.

import { toDecimal, toMinor } from "../../../shared/money.ts";
import { decimalOf, halfUp, millionthsOf } from "./exact-decimals.ts";
import type { InvoiceLine } from "./invoice.model.ts";
import { boundaryAt, type Periodic, periodOf } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { SeatChange, Subscription } from "./subscription.model.ts";
import type { PeriodUsage } from "./usage.model.ts";

/** A millionth of a major unit is a ten thousandth of a minor one. */
const MILLIONTHS_OF_A_MINOR = 10_000n;
const MILLION = 1_000_000n;

/** A period of the type `subscription`. */
export function amountLine({ name, plan }: Pick<Subscription, "name" | "plan">): InvoiceLine {
  const { count, type } = plan.charge.interval;
  const { amountMinor } = plan;
  const description = `${name}: ${counted(count, type)}`;
  return { description, quantity: 1, unitAmount: toDecimal(amountMinor), amountMinor };
}

/** @param baseFee in major units; no line where there is none */
export function baseFeeLine(baseFee: number | undefined): InvoiceLine[] {
  if (baseFee === undefined) return [];
  const amountMinor = toMinor(baseFee) as number;
  const unitAmount = toDecimal(amountMinor);
  return [{ description: "Base fee", quantity: 1, unitAmount, amountMinor }];
}

/** What was used above what is included. */
export function unitsLine(
  { unit, costPerUnit, minimumUnits = 0 }: NonNullable<Plan["charge"]["consumptionDetails"]>,
  usage: PeriodUsage,
): InvoiceLine {
  const [units, late] = [BigInt(usage.units), BigInt(usage.late)];
  const included = millionthsOf(minimumUnits);
  const billed = units > included ? units - included : 0n;
  const price = millionthsOf(costPerUnit);
  const parts = [
    `${decimalOf(units)} used`,
    ...(included > 0n ? [`${decimalOf(included)} included`] : []),
    ...(late > 0n ? [`${decimalOf(late)} of them reported late`] : []),
  ];
  return {
    description: `${unit}: ${parts.join(", ")}`,
    quantity: Number(decimalOf(billed)),
    unitAmount: decimalOf(price, 2),
    amountMinor: Number(halfUp(billed * price, MILLION * MILLIONTHS_OF_A_MINOR)),
  };
}

export function seatsLine(seats: number, plan: Plan): InvoiceLine {
  const price = priceOfSeat(plan);
  return {
    description: counted(seats, "seat"),
    quantity: seats,
    unitAmount: decimalOf(price, 2),
    amountMinor: Number(halfUp(BigInt(seats) * price, MILLIONTHS_OF_A_MINOR)),
  };
}

type Changed = Pick<SeatChange, "at" | "from" | "to">;

/**
 * What a change of seats is worth: the price of the difference for what is left of the period.
 * @returns minor units, negative for a credit; 0 in the trial
 */
export function worthOf(of: Periodic, { at, from, to }: Changed): number {
  const { leftMs, wholeMs } = shareOf(of, at);
  const price = BigInt(to - from) * priceOfSeat(of.plan);
  return Number(halfUp(price * BigInt(leftMs), MILLIONTHS_OF_A_MINOR * BigInt(wholeMs)));
}

export function changeLine(of: Periodic, { at, from, to, amountMinor }: SeatChange): InvoiceLine {
  const { leftMs, wholeMs } = shareOf(of, at);
  const change = `Seats from ${from} to ${to} on ${new Date(at).toISOString()}`;
  return {
    description: `${change}, for ${leftMs} of the period's ${wholeMs} ms`,
    quantity: to - from,
    unitAmount: decimalOf(priceOfSeat(of.plan), 2),
    amountMinor,
  };
}

/** How much of its period was left at a moment; nothing of the trial is. */
function shareOf(of: Periodic, at: number): { leftMs: number; wholeMs: number } {
  const period = periodOf(of, at);
  if (period < 0) return { leftMs: 0, wholeMs: 1 };
  const end = boundaryAt(of, period + 1);
  return { leftMs: end - at, wholeMs: end - boundaryAt(of, period) };
}

function priceOfSeat({ charge }: Plan): bigint {
  return millionthsOf(charge.seatDetails?.costPerSeat ?? 0);
}

/** @param creditMinor what earlier invoices could not give back; no line where that is nothing */
export function earlierCredit(creditMinor: number): InvoiceLine[] {
  return creditMinor > 0 ? [creditLine("Credit from an earlier invoice", -creditMinor)] : [];
}

/** What this invoice cannot give back, so that its lines come to nothing and not to less. */
export function carriedCredit(creditMinor: number): InvoiceLine[] {
  return creditMinor > 0 ? [creditLine("Credit carried to the next invoice", creditMinor)] : [];
}

function creditLine(description: string, amountMinor: number): InvoiceLine {
  return { description, quantity: 1, unitAmount: toDecimal(amountMinor), amountMinor };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
