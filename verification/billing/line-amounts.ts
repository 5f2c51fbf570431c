// What lines of invoices come to, computed anew.

/** Null for what is no number of units. */
export function millionths(text: unknown): bigint | null {
  return typeof text === "string" && /^\d+$/.test(text) ? BigInt(text) : null;
}

/** Millionths of what was asked for with at most six decimals. */
export function exact(value: number): bigint {
  const [whole = "", decimals = ""] = String(value).split(".");
  return millionths(`${whole}${decimals.padEnd(6, "0")}`) ?? 0n;
}

/** A quotient, rounded half up; of whole numbers, the divisor above 0. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  const [doubled, whole] = [2n * dividend + divisor, 2n * divisor];
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

/** All lines, to be compared; `nothing` where there are none. */
export function linesText(lines: { quantity?: number; amountMinor?: number }[]): string {
  const texts = lines.map(({ quantity, amountMinor }) => lineText(quantity, amountMinor));
  return texts.join(", ") || "nothing";
}
