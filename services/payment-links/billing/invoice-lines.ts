// The lines of an invoice. The description of each line tells how its amount is computed; the
// amount is rounded once, half up to the cent. Pure.

import { toDecimal, toMinor } from "../../../shared/money.ts";
import { divideHalfUp, fromMillionths, toMillionths } from "./exact-decimals.ts";
import type { InvoiceLine } from "./invoice.model.ts";
import { boundaryAt, type Periodic, periodAt } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { SeatChange } from "./subscription.model.ts";
import type { PeriodUsage } from "./usage.model.ts";

/** A millionth of a major unit is a ten thousandth of a minor one. */
const MILLIONTHS_OF_A_MINOR = 10_000n;
const MILLION = 1_000_000n;

/** @returns their amounts added up, in minor units */
export function sumLines(lines: Pick<InvoiceLine, "amountMinor">[]): number {
  return lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/**
 * The price of a period that is billed in advance.
 * @param name of the subscription
 * @param seats at the beginning of the period
 */
export function priceLines(name: string, plan: Plan, seats: number): InvoiceLine[] {
  return plan.charge.seatDetails ? seatLines(plan, seats) : [amountLine(name, plan)];
}

export function seatLines(plan: Plan, seats: number): InvoiceLine[] {
  return [...baseFeeLine(plan.charge.seatDetails?.baseFee), seatsLine(plan, seats)];
}

/**
 * The price of a period's usage.
 * @param isEmpty the period has no length: it ended as it began, and has no base fee
 * @throws Error if the plan has no unit prices
 */
export function usageLines({ charge }: Plan, usage: PeriodUsage, isEmpty = false): InvoiceLine[] {
  const details = charge.consumptionDetails;
  if (!details) throw new Error("A plan that bills usage has no unit prices");
  return [...(isEmpty ? [] : baseFeeLine(details.baseFee)), unitsLine(details, usage)];
}

/** A period of the type `subscription`. */
function amountLine(name: string, { charge, amountMinor }: Plan): InvoiceLine {
  const { count, type } = charge.interval;
  const description = `${name}: ${counted(count, type)}`;
  return { description, quantity: 1, unitAmount: toDecimal(amountMinor), amountMinor };
}

/** @param baseFee in major units; without one there is no line */
function baseFeeLine(baseFee: number | undefined): InvoiceLine[] {
  if (baseFee === undefined) return [];
  const amountMinor = toMinor(baseFee) as number;
  const unitAmount = toDecimal(amountMinor);
  return [{ description: "Base fee", quantity: 1, unitAmount, amountMinor }];
}

/** The units above the included ones. */
function unitsLine(
  { unit, costPerUnit, minimumUnits = 0 }: NonNullable<Plan["charge"]["consumptionDetails"]>,
  usage: PeriodUsage,
): InvoiceLine {
  const units = BigInt(usage.units);
  const late = BigInt(usage.late);
  const included = toMillionths(minimumUnits);
  const billed = units > included ? units - included : 0n;
  const price = toMillionths(costPerUnit);
  const parts = [
    `${fromMillionths(units)} used`,
    ...(included > 0n ? [`${fromMillionths(included)} included`] : []),
    ...(late > 0n ? [`${fromMillionths(late)} of them reported late`] : []),
  ];
  return {
    description: `${unit}: ${parts.join(", ")}`,
    quantity: Number(fromMillionths(billed)),
    unitAmount: fromMillionths(price, 2),
    amountMinor: Number(divideHalfUp(billed * price, MILLION * MILLIONTHS_OF_A_MINOR)),
  };
}

function seatsLine(plan: Plan, seats: number): InvoiceLine {
  const price = seatPrice(plan);
  return {
    description: counted(seats, "seat"),
    quantity: seats,
    unitAmount: fromMillionths(price, 2),
    amountMinor: Number(divideHalfUp(BigInt(seats) * price, MILLIONTHS_OF_A_MINOR)),
  };
}

type Changed = Pick<SeatChange, "at" | "from" | "to">;

/**
 * Prorates a change of seats: the price of the difference for the rest of the period.
 * @returns minor units, negative for a credit; 0 in the trial
 */
export function prorate(of: Periodic, { at, from, to }: Changed): number {
  const { leftMs, wholeMs } = remainingShare(of, at);
  const price = BigInt(to - from) * seatPrice(of.plan);
  return Number(divideHalfUp(price * BigInt(leftMs), MILLIONTHS_OF_A_MINOR * BigInt(wholeMs)));
}

export function changeLine(of: Periodic, { at, from, to, amountMinor }: SeatChange): InvoiceLine {
  const { leftMs, wholeMs } = remainingShare(of, at);
  const change = `Seats from ${from} to ${to} on ${new Date(at).toISOString()}`;
  return {
    description: `${change}, for ${leftMs} of the period's ${wholeMs} ms`,
    quantity: to - from,
    unitAmount: fromMillionths(seatPrice(of.plan), 2),
    amountMinor,
  };
}

/** The part of a period that remains at a time; in the trial no part is left. */
function remainingShare(of: Periodic, at: number): { leftMs: number; wholeMs: number } {
  const period = periodAt(of, at);
  if (period < 0) return { leftMs: 0, wholeMs: 1 };
  const end = boundaryAt(of, period + 1);
  return { leftMs: end - at, wholeMs: end - boundaryAt(of, period) };
}

function seatPrice({ charge }: Plan): bigint {
  return toMillionths(charge.seatDetails?.costPerSeat ?? 0);
}

/** @param creditMinor carried from earlier invoices; without credit there is no line */
export function earlierCredit(creditMinor: number): InvoiceLine[] {
  return creditMinor > 0 ? [creditLine("Credit from an earlier invoice", -creditMinor)] : [];
}

/** @param creditMinor above the other lines, so that the sum of all is 0 and not below */
export function carriedCredit(creditMinor: number): InvoiceLine[] {
  return creditMinor > 0 ? [creditLine("Credit carried to the next invoice", creditMinor)] : [];
}

function creditLine(description: string, amountMinor: number): InvoiceLine {
  return { description, quantity: 1, unitAmount: toDecimal(amountMinor), amountMinor };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
