// How a process follows what operators have stopped: by answers that come late, are torn or are older
// than others, without an answer, and by a clock that is set.

import type { Control } from "../../shared/contracts/controls.ts";
import { followControls } from "../../shared/rpc/controls.ts";
import { createClock } from "../../tools/simulate/clock.ts";
import { randomFrom } from "../../tools/simulate/random.ts";
import { createTimeline } from "../../tools/simulate/timeline.ts";

const START_MS = 1_800_000_000_000;
const id = "wallet";
const wallet = { businessId: "business", walletId: id };
const PAGE = 100;

/** Follows what `told` says, in its order, by a clock that may be put back. */
function follow(given: { told?: Control[]; isDown?: boolean; lost?: number } = {}) {
  const timeline = createTimeline();
  const actor = { name: "process", alive: true, pausedUntil: 0 };
  const real = createClock({ timeline, random: randomFrom(1, "controls") }, actor, START_MS);
  const process = {
    told: [] as Control[],
    /** The changes of each page that was read. */
    pages: [] as number[],
    warnings: 0,
    released: [] as string[],
    putBackMs: 0,
    isDown: false,
    /** The page of a reading that gets no answer, from 1. */
    lost: 0,
    ...given,
    controls: null as unknown as ReturnType<typeof followControls>,
    async pass(ms: number) {
      const until = timeline.now() + ms;
      timeline.after(ms, null, () => {});
      expect(await timeline.drive(() => timeline.now() >= until, 100_000)).toBe(true);
    },
  };
  process.controls = followControls({
    clock: { ...real, now: () => real.now() - process.putBackMs },
    async read({ since, after = "" }) {
      if (process.isDown) throw new Error("away");
      if (process.lost > 0 && --process.lost === 0) throw new Error("lost");
      const found = process.told.filter(
        (each) => each.changedAt > since || (each.changedAt === since && each.id > after),
      );
      const page = found.slice(0, PAGE);
      process.pages.push(page.length);
      return { controls: page, isWhole: page.length === found.length };
    },
    log: {
      warn: () => {
        process.warnings += 1;
      },
    },
    onReleased: (control) => process.released.push(control.id),
  });
  return process;
}

const frozenAt = (frozen: boolean, changedAt: number, walletId = id): Control => ({
  id: walletId,
  businessId: wallet.businessId,
  frozen,
  changedAt,
});

test("a business that is frozen as a person too is stopped by either, and released of each", async () => {
  const process = follow();
  const { businessId } = wallet;
  const after = async (status: Control["status"], frozen: boolean, changedAt: number) => {
    process.told = [{ id: businessId, businessId, status, frozen, changedAt }];
    await process.pass(1_500);
    return process.controls.find("payout", { businessId, entityId: businessId });
  };
  expect(await after("PAYOUTS_PAUSED", false, 2)).toBe("PAYOUTS_PAUSED");
  process.released = [];
  expect(await after("ACTIVE", true, 3)).toBe("ENTITY_FROZEN");
  expect(process.released).toEqual([businessId]);
  expect(process.controls.find("payout", wallet)).toBeNull();
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
  process.told = [frozenAt(true, 1)];
  await process.pass(1_500);
  expect(process.controls.find("payout", wallet)).toBe("WALLET_FROZEN");
});

test.each([3_000, 3_600_000])(
  "what was read is not known for longer by a clock that is put back by %i ms",
  async (ms) => {
    const process = follow();
    await process.pass(1_500);
    expect(process.controls.find("payout", wallet)).toBeNull();
    process.isDown = true;
    process.putBackMs = ms;
    await process.pass(4_000);
    expect(() => process.controls.find("payout", wallet)).toThrow();
  },
);

test("what was read is known while the clock is put forward", async () => {
  const process = follow();
  await process.pass(1_500);
  process.putBackMs = -3_600_000;
  expect(process.controls.find("payout", wallet)).toBeNull();
});

/** How a question ends, once it has ended; asked before the first answer it waits for one. */
function ask(process: ReturnType<typeof follow>) {
  const asked = { outcome: "waits" };
  process.controls.refuse("payout", wallet).then(
    () => {
      asked.outcome = "goes on";
    },
    ({ type }) => {
      asked.outcome = type;
    },
  );
  return asked;
}

test("who asks before the first answer waits for it", async () => {
  const process = follow({ isDown: true });
  await process.pass(500);
  const asked = ask(process);
  process.isDown = false;
  process.told = [frozenAt(true, 1)];
  await process.pass(1_000);
  expect(asked.outcome).toBe("WALLET_FROZEN");
});

test("who asks while accounts is away is refused after three seconds", async () => {
  const process = follow({ isDown: true });
  await process.pass(5_000);
  const asked = ask(process);
  await process.pass(2_900);
  expect(asked.outcome).toBe("waits");
  await process.pass(200);
  expect(asked.outcome).toBe("UNAVAILABLE");
  expect(() => process.controls.limitsOf(wallet.businessId)).toThrow();
  expect(process.controls.isQuiet()).toBe(false);
});

test("accounts may come up for ten seconds; later its absence is logged once, each time", async () => {
  const process = follow({ isDown: true });
  await process.pass(9_500);
  expect(process.warnings).toBe(0);
  await process.pass(20_000);
  expect(process.warnings).toBe(1);
  process.isDown = false;
  await process.pass(1_500);
  expect(process.controls.find("payout", wallet)).toBeNull();
  process.isDown = true;
  await process.pass(2_500);
  expect(process.warnings).toBe(1);
  await process.pass(20_000);
  expect(process.warnings).toBe(2);
});

/** Freezes of as many wallets: `of` of them at each moment. */
const freezes = (count: number, of: number) =>
  Array.from({ length: count }, (_, i) =>
    frozenAt(true, 1_000 + Math.floor(i / of), String(i).padStart(6, "0")),
  );

test.each([1, 7, 2_500])(
  "2,500 changes, %i at a moment, are all known after a torn reading",
  async (of) => {
    const process = follow({ told: freezes(2_500, of), lost: 13 });
    await process.pass(100);
    expect(() => process.controls.find("payout", wallet)).toThrow();
    await process.pass(200);
    expect(process.controls.find("payout", wallet)).toBeNull();
    for (const each of process.told) expect(process.controls.isFrozen(each.id)).toBe(true);
  },
);

test("a change that is stored after a later one is known, also after an outage", async () => {
  const later = frozenAt(true, 100_000, "another");
  const process = follow({ told: [later] });
  await process.pass(1_500);
  process.isDown = true;
  await process.pass(60_000);
  process.told = [frozenAt(true, 80_000), later];
  process.isDown = false;
  await process.pass(1_500);
  expect(process.controls.find("payout", wallet)).toBe("WALLET_FROZEN");
});

test("changes that were told for half a minute are not told again", async () => {
  const process = follow({ told: freezes(2_500, 1) });
  await process.pass(40_000);
  process.pages = [];
  await process.pass(5_000);
  expect(new Set(process.pages)).toEqual(new Set([1]));
});
