// How many payments of one address at one link are under way at once in this process. Declines are
// counted once they are stored; what is sent in one burst is bounded here, before the vault is asked.

import { fail } from "../../../shared/errors.ts";

export interface Crowd {
  /**
   * @returns leaves again; once
   * @throws RATE_LIMITED where too many of the address are in
   */
  enter(address: string): () => void;
}

/** As many as a shop's own server may well have at once for its customers. */
const MOST_AT_ONCE = 32;
const RETRY_AFTER_S = 1;

export function createCrowd(): Crowd {
  const counts = new Map<string, number>();
  return {
    enter(address) {
      const count = counts.get(address) ?? 0;
      if (count >= MOST_AT_ONCE) fail("RATE_LIMITED", undefined, { retryAfterS: RETRY_AFTER_S });
      counts.set(address, count + 1);
      return () => {
        const left = (counts.get(address) as number) - 1;
        if (left > 0) counts.set(address, left);
        else counts.delete(address);
      };
    },
  };
}
