// The amounts of invoice lines, computed apart from the code that bills them.

/** Parses whole millionths; null for any other value. */
export function millionths(text: unknown): bigint | null {
  return typeof text === "string" && /^\d+$/.test(text) ? BigInt(text) : null;
}

/** A number with at most six decimals, in millionths. */
export function exact(value: number): bigint {
  const [whole = "", decimals = ""] = String(value).split(".");
  return millionths(`${whole}${decimals.padEnd(6, "0")}`) ?? 0n;
}

/** The quotient of whole numbers, rounded half up; the divisor is above 0. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  const doubled = 2n * dividend + divisor;
  const whole = 2n * divisor;
  const quotient = doubled / whole;
  return doubled < 0n && doubled % whole !== 0n ? quotient - 1n : quotient;
}

/** Units in millionths times a price in millionths, to the cent, half up. */
export function toCents(product: bigint): number {
  return Number(halfUp(product, 10_000_000_000n));
}

export function lineText(quantity?: number, amountMinor?: number): string {
  return `${quantity} for ${amountMinor}`;
}

/** All lines as a text to compare; `nothing` for no lines. */
export function linesText(lines: { quantity?: number; amountMinor?: number }[]): string {
  const texts = lines.map(({ quantity, amountMinor }) => lineText(quantity, amountMinor));
  return texts.join(", ") || "nothing";
}
