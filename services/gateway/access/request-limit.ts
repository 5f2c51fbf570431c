// The limit of requests (API_LIMIT): of each API client with the tokens of its end users, and of each
// subject of other tokens. Each gateway process counts for itself, so a request waits for no other
// one, and a client may have the limit at each process.

import { LRUCache } from "lru-cache";
import type { Clock } from "../../../shared/clock.ts";
import type { RateLimit } from "../../../shared/config/env-values.ts";
import { fail } from "../../../shared/errors.ts";
import type { AuthenticatedCaller } from "./authentication.ts";

/** Beyond this number the callers that have been away longest begin anew. */
const MOST_CALLERS = 100_000;

interface Window {
  count: number;
  /** Epoch ms. */
  endsAt: number;
}

/**
 * Counts each request in a window that begins with its caller's first one.
 * @returns counts a request of a caller; it throws RATE_LIMITED for one above the limit
 */
export function requestLimit(
  limit: RateLimit | null,
  clock: Clock,
): (caller: Pick<AuthenticatedCaller, "sub" | "client">) => void {
  if (!limit) return () => {};
  const { count, windowMs } = limit;
  const windows = new LRUCache<string, Window>({ max: MOST_CALLERS });

  return ({ sub, client }) => {
    const key = client?.id ?? sub;
    const now = clock.now();
    const window = windows.get(key);
    if (!window || window.endsAt <= now) {
      windows.set(key, { count: 1, endsAt: now + windowMs });
    } else if (window.count < count) {
      window.count += 1;
    } else {
      const resetS = Math.ceil((window.endsAt - now) / 1_000);
      const windowS = Math.ceil(windowMs / 1_000);
      const rateLimit = { policy: "api", limit: count, remaining: 0, windowS, resetS };
      fail("RATE_LIMITED", undefined, { retryAfterS: resetS, rateLimit });
    }
  };
}
