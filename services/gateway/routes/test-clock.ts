// Moves the test clock of a business's billing, and answers once everything up to then is billed,
// which may take minutes. No single call waits for it: the end of the run is asked for until it has
// come, so an answer that is lost with a node or a connection is asked for once more.

import { setTimeout as pause } from "node:timers/promises";
import type { Infer } from "../../../shared/contracts/field.ts";
import { subscriptions } from "../../../shared/contracts/subscriptions.ts";
import { fail } from "../../../shared/errors.ts";
import { type Call, composed, type Route } from "../http/route.ts";
import { WRITE } from "./subscriptions.ts";

/** How long a client waits for a run without progress. */
const STUCK_AFTER_MS = 60_000;
/** The pause after a question without an answer. */
const PAUSE_MS = 200;

const SET = subscriptions["payment-links.setTestClock"];
const RUN = subscriptions["payment-links.testClockRun"];

const setAndBill = {
  ...SET,
  does: `${SET.does}. The answer comes once everything up to that moment is billed`,
  timeoutMs: Number.POSITIVE_INFINITY,
};

async function moveClock(params: Infer<typeof SET.params>, call: Call) {
  const set = await call("payment-links.setTestClock", params, { timeoutMs: SET.timeoutMs });
  await waitUntilBilled(params.businessId, call);
  return set;
}

/** @throws UNAVAILABLE if the run makes no progress; it goes on all the same */
async function waitUntilBilled(businessId: string, call: Call): Promise<void> {
  const options = { timeoutMs: RUN.timeoutMs };
  let passed = -1;
  let stuckAt = performance.now() + STUCK_AFTER_MS;
  while (performance.now() < stuckAt) {
    const run = await call("payment-links.testClockRun", { businessId }, options).catch(() => null);
    if (run?.isOver) return;
    if (!run) await pause(PAUSE_MS);
    else if (run.passed > passed) {
      passed = run.passed;
      stuckAt = performance.now() + STUCK_AFTER_MS;
    }
  }
  fail("UNAVAILABLE");
}

/** Only in the sandbox: in production, billing follows the real time. */
export const testClock: Route = composed(
  "POST /v1/business/:businessId/test-clock",
  WRITE,
  "setTestClock",
  setAndBill,
  moveClock,
);
