// Exact decimals, in integers of any length: units and unit prices have up to six decimals and are
// kept as whole millionths. Only an amount of money is rounded, once, when it is computed.

/** A number with at most six decimals, as whole millionths. */
export function toMillionths(value: number): bigint {
  // The shortest text of a number is exact; it has an exponent only below a millionth.
  const [whole, decimals = ""] = String(value).split(".") as [string, string?];
  return BigInt(whole + decimals.padEnd(6, "0"));
}

/**
 * A number times minor units, rounded half up. The shortest text of the number is taken as exact,
 * with any number of decimals.
 * @param value 0 or more, below 10^21
 */
export function timesMinor(value: number, minor: number): number {
  const [mantissa, exponent = "0"] = String(value).split("e") as [string, string?];
  const [whole, decimals = ""] = mantissa.split(".") as [string, string?];
  const places = BigInt(decimals.length - Number(exponent));
  return Number(divideHalfUp(BigInt(whole + decimals) * BigInt(minor), 10n ** places));
}

/**
 * Millionths as a decimal string.
 * @param places the least number of decimals; there are more if the value needs them
 */
export function fromMillionths(millionths: bigint, places = 0): string {
  const digits = String(millionths).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0+$/, "").padEnd(places, "0");
  const whole = digits.slice(0, -6);
  return decimals === "" ? whole : `${whole}.${decimals}`;
}

/** The quotient, rounded half up: -0.5 becomes 0, and 0.5 becomes 1. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  const doubled = 2n * dividend + divisor;
  const quotient = doubled / (2n * divisor);
  const isRoundedUp = doubled < 0n && doubled % (2n * divisor) !== 0n;
  return isRoundedUp ? quotient - 1n : quotient;
}
