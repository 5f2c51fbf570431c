// Money inside payrail is a safe integer in minor units (cents); every currency here has two
// decimals. Requests have it as a JSON number, answers as a decimal string
// (docs/integrate/rest-api.md, Values).

export const CURRENCIES = ["USD", "NGN", "CAD", "GBP", "EUR"] as const;
export type Currency = (typeof CURRENCIES)[number];

/** 9,999,999,999.99 in minor units: the largest accepted amount. */
export const MAX_AMOUNT_MINOR = 999_999_999_999;

/** An amount of a request (major units) in minor units; null if it has more than two decimals. */
export function toMinor(amount: number): number | null {
  const minor = Math.round(amount * 100);
  return Number.isSafeInteger(minor) && minor / 100 === amount ? minor : null;
}

/** Minor units as the decimal string of answers: 1234 is "12.34", -5 is "-0.05". */
export function toDecimal(minor: number | bigint): string {
  if (typeof minor === "number") assertMinor(minor);
  const digits = String(minor).replace("-", "").padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Minor units as the JSON number of webhooks: 1234 is 12.34. */
export function toNumber(minor: number): number {
  assertMinor(minor);
  return minor / 100;
}

export function assertMinor(minor: number): void {
  if (!Number.isSafeInteger(minor)) throw new RangeError(`Not an amount in minor units: ${minor}`);
}
