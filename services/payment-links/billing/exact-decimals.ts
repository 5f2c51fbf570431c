// Exact numbers: units and prices of one have up to six decimals, and are counted in whole millionths,
// as integers of any length. Nothing is rounded but where an amount of money is made of them, once.

/** A number with at most six decimals, as whole millionths. */
export function millionthsOf(value: number): bigint {
  // The shortest text of a number is the number; only below a millionth it has an exponent.
  const [whole, decimals = ""] = String(value).split(".") as [string, string?];
  return BigInt(whole + decimals.padEnd(6, "0"));
}

/**
 * Millionths as a decimal string.
 * @param places the decimals it has at least; more where it needs them
 */
export function decimalOf(millionths: bigint, places = 0): string {
  const digits = String(millionths).padStart(7, "0");
  const decimals = digits.slice(-6).replace(/0+$/, "").padEnd(places, "0");
  const whole = digits.slice(0, -6);
  return decimals === "" ? whole : `${whole}.${decimals}`;
}

/** The quotient, rounded half up: -0.5 is 0, and 0.5 is 1. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  const doubled = 2n * dividend + divisor;
  const quotient = doubled / (2n * divisor);
  const isRoundedUp = doubled < 0n && doubled % (2n * divisor) !== 0n;
  return isRoundedUp ? quotient - 1n : quotient;
}
