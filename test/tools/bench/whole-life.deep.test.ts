// The bench's measure of whole lives: a system that accepts quickly and ends slowly has the rate at
// which it ends.

import { measureWholeLife } from "../../../tools/bench/support/whole-life.ts";

/** A system that accepts a request in some milliseconds, and ends a number per second. */
function systemEnding(perSecond: number) {
  let accepted = 0;
  let ended = 0;
  let lookedAt = performance.now();
  return {
    async send() {
      accepted += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async countOpen() {
      const now = performance.now();
      const could = ((now - lookedAt) * perSecond) / 1_000;
      lookedAt = now;
      ended = Math.min(accepted, ended + could);
      return accepted - ended;
    },
  };
}

test("a backlog that grows counts at the rate at which it drains", async () => {
  const slow = await measureWholeLife(systemEnding(60), 2, 200);
  expect(slow.perSecond).toBeGreaterThan(30);
  expect(slow.perSecond).toBeLessThan(90);
  const quick = await measureWholeLife(systemEnding(1_000_000), 2, 200);
  expect(quick.perSecond).toBeGreaterThan(slow.perSecond);
});
