// Fees: the arithmetic of one fee. shared/config/fee-table.ts has the configured fees.

import { assertMinor, MAX_AMOUNT_MINOR } from "./money.ts";

/** One fee in minor units: a fixed part and a share of the paid or charged amount. */
export interface Fee {
  fixed: number;
  basisPoints: number;
  min: number;
  max: number | null;
}

/**
 * The fee of an amount, both in minor units: fixed + amount * basisPoints / 10000, rounded half up
 * to the cent, then held between min and max.
 */
export function computeFee(fee: Fee, amountMinor: number): number {
  assertMinor(amountMinor);
  // In BigInt, because the product of two safe integers may not be safe.
  const share = (BigInt(amountMinor) * BigInt(fee.basisPoints) + 5_000n) / 10_000n;
  const raw = fee.fixed + Number(share);
  return Math.min(Math.max(raw, fee.min), fee.max ?? Number.MAX_SAFE_INTEGER);
}

/**
 * The smallest total that leaves the amount after its fee; all in minor units.
 * @param amountMinor up to the largest amount
 * @returns one more than the largest amount if no total up to that is enough
 */
export function grossUp(fee: Fee, amountMinor: number): number {
  // The rest after the fee never falls as the total grows.
  let below = amountMinor - 1;
  let enough = MAX_AMOUNT_MINOR + 1;
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2);
    if (middle - computeFee(fee, middle) < amountMinor) below = middle;
    else enough = middle;
  }
  return enough;
}
