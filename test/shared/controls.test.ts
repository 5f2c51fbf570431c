// How a process follows what operators have stopped: by answers that come late or are older than
// others, and by a clock that is put back.

import type { Control } from "../../shared/contracts/controls.ts";
import { followControls } from "../../shared/rpc/controls.ts";
import { createClock } from "../../tools/simulate/clock.ts";
import { randomFrom } from "../../tools/simulate/random.ts";
import { createTimeline } from "../../tools/simulate/timeline.ts";

const START_MS = 1_800_000_000_000;
const id = "wallet";
const wallet = { businessId: "business", walletId: id };

/** Follows what `told` says, by a clock that may be put back. */
function follow() {
  const timeline = createTimeline();
  const actor = { name: "process", alive: true, pausedUntil: 0 };
  const real = createClock({ timeline, random: randomFrom(1, "controls") }, actor, START_MS);
  const process = {
    told: [] as Control[],
    reads: 0,
    released: [] as string[],
    putBackMs: 0,
    isDown: false,
    controls: null as unknown as ReturnType<typeof followControls>,
    async pass(ms: number) {
      const until = timeline.now() + ms;
      timeline.after(ms, null, () => {});
      expect(await timeline.drive(() => timeline.now() >= until, 100_000)).toBe(true);
    },
  };
  process.controls = followControls({
    clock: { ...real, now: () => real.now() - process.putBackMs },
    async read() {
      if (process.isDown) throw new Error("away");
      process.reads += 1;
      return { controls: process.told, isWhole: true };
    },
    onError: () => {},
    onReleased: (control) => process.released.push(control.id),
  });
  return process;
}

const frozenAt = (frozen: boolean, changedAt: number): Control => ({
  id,
  businessId: wallet.businessId,
  frozen,
  changedAt,
});

test("an answer that is older than one before it lifts no freeze", async () => {
  const process = follow();
  process.told = [frozenAt(true, 2)];
  await process.pass(1_500);
  expect(process.controls.find("payout", wallet)).toBe("WALLET_FROZEN");
  process.told = [frozenAt(false, 1)];
  await process.pass(3_000);
  expect(process.controls.find("payout", wallet)).toBe("WALLET_FROZEN");
  expect(process.released).toEqual([]);
  process.told = [frozenAt(false, 3)];
  await process.pass(3_000);
  expect(process.controls.find("payout", wallet)).toBeNull();
  expect(process.released).toEqual([id]);
});

test("a clock that is put back puts off no reading", async () => {
  const process = follow();
  await process.pass(1_500);
  process.putBackMs = 3_600_000;
  const { reads } = process;
  process.told = [frozenAt(true, 1)];
  await process.pass(3_000);
  expect(process.reads).toBeGreaterThan(reads);
  expect(process.controls.find("payout", wallet)).toBe("WALLET_FROZEN");
});

test("what was read before a clock was put back is not known for longer", async () => {
  const process = follow();
  await process.pass(1_500);
  process.isDown = true;
  process.putBackMs = 3_600_000;
  await process.pass(5_000);
  expect(() => process.controls.find("payout", wallet)).toThrow();
});
