// Sweeps in simulated time: when a process looks for due work, alone and among its service's
// processes.

import { type SweepParts, startSweep, type Turns } from "../../shared/resumable/sweeps.ts";
import { createClock } from "../../tools/simulate/clock.ts";
import { randomFrom } from "../../tools/simulate/random.ts";
import { createTimeline } from "../../tools/simulate/timeline.ts";

const EVERY_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;
const PAUSE_MS = 200;
const ALONE: Turns = { everyMs: EVERY_MS, isOwn: () => true };

const actor = { name: "process", alive: true, pausedUntil: 0 };
let timeline: ReturnType<typeof createTimeline>;

beforeEach(() => {
  timeline = createTimeline();
});

/** Lets this time pass. */
async function pass(ms: number): Promise<void> {
  const until = timeline.now() + ms;
  timeline.after(ms, null, () => {});
  expect(await timeline.drive(() => timeline.now() >= until, 100_000)).toBe(true);
}

/** A sweep by its own clock. @returns the times of its rounds, and its sweep */
function start(parts: Partial<SweepParts> = {}) {
  const clock = createClock({ timeline, random: randomFrom(1, "sweeps") }, actor, 0);
  const rounds: number[] = [];
  const sweep = startSweep({
    clock,
    turns: ALONE,
    onError: () => {},
    ...parts,
    round: async (isStopped) => {
      rounds.push(timeline.now());
      return parts.round?.(isStopped);
    },
  });
  return { rounds, sweep };
}

/** The intervals of the rounds after the first one. */
const intervalsOf = (rounds: number[]) => rounds.slice(1).map((at) => Math.floor(at / EVERY_MS));
/** Twelve intervals after the one of the start. */
const EACH = Array.from({ length: 12 }, (_, i) => i + 1);

test("an idle process looks at its start, and then once in an interval", async () => {
  const { rounds } = start();
  await pass(12.5 * EVERY_MS);
  expect(rounds[0]).toBeLessThanOrEqual(PAUSE_MS);
  expect(intervalsOf(rounds)).toEqual(EACH);
});

test("idle processes look in turn, and together as often as one alone", async () => {
  const all = [0, 1, 2].map((place) =>
    start({ turns: { everyMs: EVERY_MS, isOwn: (interval) => interval % 3 === place } }),
  );
  await pass(12.5 * EVERY_MS);
  expect(all.flatMap(({ rounds }) => intervalsOf(rounds)).toSorted((a, b) => a - b)).toEqual(EACH);
});

test("a process looks at the moment that it has noticed, even out of its turn", async () => {
  const { rounds, sweep } = start({ turns: { everyMs: EVERY_MS, isOwn: () => false } });
  await pass(1_000);
  sweep.noticeDue(7_777);
  sweep.noticeDue(3_333);
  await pass(60_000);
  // The round tells the later moment, if its work is still due then.
  expect(rounds.slice(1)).toEqual([3_333]);
});

test("a process looks soon after the moment that a round has told", async () => {
  let due: number | undefined = 12_345;
  const { rounds } = start({
    turns: { everyMs: EVERY_MS, isOwn: () => false },
    round: async () => {
      if (timeline.now() >= 12_345) due = undefined;
      return due;
    },
  });
  await pass(60_000);
  expect(rounds).toHaveLength(2);
  expect(rounds[1]).toBeGreaterThanOrEqual(12_345);
  expect(rounds[1]).toBeLessThanOrEqual(12_345 + PAUSE_MS);
});

test("rounds that leave due work follow each other after a short pause", async () => {
  const { rounds } = start({ round: async () => timeline.now() });
  await pass(10_000);
  const pauses = rounds.slice(1).map((at, i) => at - (rounds[i] as number));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(PAUSE_MS / 2);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(2 * PAUSE_MS);
});

test("failed rounds are repeated after growing pauses, and a success resets them", async () => {
  let isBroken = true;
  const errors: unknown[] = [];
  const { rounds } = start({
    onError: (error) => errors.push(error),
    round: async () => {
      if (isBroken) throw new Error("The database is away");
      return timeline.now();
    },
  });
  await pass(60_000);
  const pauses = rounds.slice(1).map((at, i) => at - (rounds[i] as number));
  expect(pauses[0]).toBeLessThanOrEqual(2 * PAUSE_MS);
  expect(Math.min(...pauses.slice(5))).toBeGreaterThan(LONGEST_PAUSE_MS / 2);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
  expect(errors).toHaveLength(rounds.length);
  isBroken = false;
  await pass(10_000);
  const [last, before] = rounds.toReversed() as [number, number];
  expect(last - before).toBeLessThanOrEqual(2 * PAUSE_MS);
});

test("a clock that is put back puts off no look beyond an interval", async () => {
  let behindMs = 0;
  const clock = createClock({ timeline, random: randomFrom(1, "sweeps") }, actor, 10 * 3_600_000);
  const { rounds } = start({
    clock: { ...clock, now: () => clock.now() - behindMs },
    round: async () => clock.now() - behindMs + 60_000,
  });
  await pass(1_000);
  behindMs = 3_600_000;
  await pass(2 * EVERY_MS);
  expect(rounds).toHaveLength(3);
});

test("a wake-up begins a round at once, or after the one under way", async () => {
  let end = () => {};
  const { rounds, sweep } = start({
    round: () =>
      new Promise((resolve) => {
        end = () => resolve(undefined);
      }),
  });
  await pass(PAUSE_MS);
  sweep.wake();
  await pass(1_000);
  expect(rounds).toHaveLength(1);
  end();
  await pass(1);
  expect(rounds).toHaveLength(2);
  end();
  await pass(1_000);
  sweep.wake();
  await pass(1);
  expect(rounds).toHaveLength(3);
});

test("a stop waits for the round under way, and no other begins", async () => {
  let end = () => {};
  const { rounds, sweep } = start({
    round: () =>
      new Promise((resolve) => {
        end = () => resolve(timeline.now());
      }),
  });
  await pass(PAUSE_MS);
  let isStopped = false;
  const stopped = sweep.stop().then(() => {
    isStopped = true;
  });
  await pass(1_000);
  expect(isStopped).toBe(false);
  end();
  await stopped;
  await pass(60_000);
  expect(rounds).toHaveLength(1);
});
