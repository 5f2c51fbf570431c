// Amounts of ISO 20022: decimal texts read and written exactly, with integers. A float would round
// a control sum of many payments, and a sum that is wrong by a cent hides a changed payment.

import type { Currency } from "../../types.ts";

/** DecimalNumber has at most 17 digits after the point. */
const DIGITS_AFTER_POINT = 17;
/** All currencies of payrail have two decimals. */
export const CURRENCIES: Currency[] = ["USD", "NGN", "CAD", "GBP", "EUR"];
const MINOR_DIGITS = 2;
/** As XML Schema writes decimals: a plus or none, and digits on one side of the point at least. */
const DECIMAL = /^\+?(?=\.?\d)(\d{0,18})(?:\.(\d{0,17}))?$/;

/** A decimal as an integer of 10⁻¹⁷, so that decimals add up and compare exactly. */
export type Decimal = bigint;

/** Null if the text is no decimal number, or a negative one. */
export function parseDecimal(text: string): Decimal | null {
  const parts = DECIMAL.exec(text);
  if (!parts) return null;
  const [, whole = "", fraction = ""] = parts;
  return BigInt(whole + fraction.padEnd(DIGITS_AFTER_POINT, "0"));
}

export function isCurrency(code: unknown): code is Currency {
  return CURRENCIES.some((currency) => currency === code);
}

/**
 * A decimal text as an amount in minor units; null if it is none, has parts of a minor unit, or is
 * too large for a number.
 */
export function parseMinor(text: string): number | null {
  const decimal = parseDecimal(text);
  return decimal === null ? null : toMinor(decimal);
}

/** In minor units; null if it has parts of a minor unit, or is too large for a number. */
export function toMinor(decimal: Decimal): number | null {
  const minor = 10n ** BigInt(DIGITS_AFTER_POINT - MINOR_DIGITS);
  const amount = Number(decimal / minor);
  return decimal % minor === 0n && Number.isSafeInteger(amount) ? amount : null;
}

/** A number of payments or entries; null if the text is none (Max15NumericText). */
export function parseCount(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** An amount in minor units with two decimals: 123456 is "1234.56". */
export function formatMinor(amountMinor: number): string {
  const digits = String(amountMinor).padStart(MINOR_DIGITS + 1, "0");
  return `${digits.slice(0, -MINOR_DIGITS)}.${digits.slice(-MINOR_DIGITS)}`;
}

/**
 * The sum of amounts in minor units.
 * @throws RangeError if it is too large to be exact
 */
export function sumMinor(amounts: number[]): number {
  const sum = Number(amounts.reduce((total, amount) => total + BigInt(amount), 0n));
  if (!Number.isSafeInteger(sum)) throw new RangeError("The sum of the payments is too large");
  return sum;
}
