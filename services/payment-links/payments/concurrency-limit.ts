// The concurrency limit: how many payments of one address at one link this process handles at the
// same time. Declines count only once they are stored, so this bounds a burst of requests before
// the vault is asked.

import { fail } from "../../../shared/errors.ts";

/**
 * Takes a place of the address.
 * @returns frees the place; to be called once
 * @throws RATE_LIMITED if the address has no place left
 */
export type EnterCheckout = (address: string) => () => void;

/** As many customers as a shop's own server may have at the checkout at the same time. */
const MOST_AT_ONCE = 32;
const RETRY_AFTER_S = 1;

export function limitConcurrency(): EnterCheckout {
  const counts = new Map<string, number>();
  return (address) => {
    const count = counts.get(address) ?? 0;
    if (count >= MOST_AT_ONCE) fail("RATE_LIMITED", undefined, { retryAfterS: RETRY_AFTER_S });
    counts.set(address, count + 1);
    return () => {
      const left = (counts.get(address) as number) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    };
  };
}
