// Rate limit of test events, because each sends a request to a host that the merchant chooses.

import type { Params } from "../../../shared/contracts/contracts.ts";
import { fail } from "../../../shared/errors.ts";
import type { Deps } from "../deps.ts";

const TESTS_PER_WINDOW = 10;
const WINDOW_MS = 60_000;

/**
 * Counts a test event of an endpoint. The count is in the database, so it holds for all replicas.
 * @throws RATE_LIMITED after ten in a minute; WEBHOOK_NOT_FOUND
 */
export async function countTest(
  { models, clock }: Deps,
  { businessId, id }: Params<"webhooks.testEndpoint">,
): Promise<void> {
  const now = new Date(clock.now());
  const windowEnd = new Date(now.getTime() + WINDOW_MS);
  const runs = { $gt: ["$tests.until", now] };
  const tests = {
    count: { $cond: [runs, { $add: ["$tests.count", 1] }, 1] },
    until: { $cond: [runs, "$tests.until", windowEnd] },
  };
  const counted = await models.webhook_endpoints.change({ _id: id, businessId }, [
    { $set: { tests } },
  ]);
  const { count, until } = counted?.tests ?? fail("WEBHOOK_NOT_FOUND");
  if (count <= TESTS_PER_WINDOW) return;
  // A replica whose clock is ahead may have begun the window.
  const leftMs = Math.min(until.getTime() - now.getTime(), WINDOW_MS);
  const retryAfterS = Math.max(1, Math.ceil(leftMs / 1_000));
  fail("RATE_LIMITED", undefined, { retryAfterS });
}
