// The admission of withdrawals: bounds, for each rail, the payouts that this process has begun and
// for which the rail has not answered its first question. At the bound a new withdrawal waits for
// its turn before it stores anything. So an overloaded process accepts no payouts that it cannot
// submit, and a rail that hangs leaves the driver's other places to the other rails. A payout also
// leaves its place if its rail does not answer in time; the driver and the sweeps ask it again.

import type { Clock } from "../../shared/clock.ts";
import { fail } from "../../shared/errors.ts";
import { type Gauge, gauge } from "../../shared/observability/metrics.ts";

export interface Admission {
  /**
   * Does the work once the rail has a place for it, which it occupies until it ends.
   * @param withinMs how long it may wait
   * @throws UNAVAILABLE if there is no place in time: the work is not begun
   */
  admit<T>(rail: string, withinMs: number, work: () => Promise<T>): Promise<T>;
  /** Occupies a place of the rail until the drive of an accepted payout has ended. */
  occupy(rail: string, drive: Promise<void>): void;
  gauges(): Gauge[];
}

/**
 * For each rail: half of the documents that the driver drives at a time, so that a rail that hangs
 * leaves the other half to the others. 256 callers without a pause occupied at most 512 places when
 * it was measured, and a bound that splits their batches would make each payout dearer.
 */
const UNSUBMITTED_AT_MOST = 1_000;
/** As many as get a place within the longest wait, if a place is free again after a second. */
const WAITING_PER_PLACE = 2;

interface Places {
  occupied: number;
  /** The withdrawals that wait, in their order. A call gives a place. */
  waiting: Set<() => void>;
}

export function createAdmission(clock: Clock, unsubmittedAtMost = UNSUBMITTED_AT_MOST): Admission {
  const rails = new Map<string, Places>();

  function placesOf(rail: string): Places {
    const places = rails.get(rail) ?? { occupied: 0, waiting: new Set() };
    rails.set(rail, places);
    return places;
  }

  function leave(places: Places): void {
    places.occupied -= 1;
    const [first] = places.waiting;
    if (places.occupied < unsubmittedAtMost) first?.();
  }

  async function waitForPlace(places: Places, withinMs: number): Promise<void> {
    const { waiting } = places;
    if (waiting.size >= unsubmittedAtMost * WAITING_PER_PLACE) return fail("UNAVAILABLE");
    const { promise, resolve } = Promise.withResolvers<void>();
    const givePlace = () => {
      waiting.delete(givePlace);
      places.occupied += 1;
      resolve();
    };
    waiting.add(givePlace);
    await clock.within(promise, withinMs);
    if (waiting.delete(givePlace)) fail("UNAVAILABLE");
  }

  return {
    async admit(rail, withinMs, work) {
      const places = placesOf(rail);
      if (places.occupied < unsubmittedAtMost) places.occupied += 1;
      else await waitForPlace(places, withinMs);
      try {
        return await work();
      } finally {
        leave(places);
      }
    },
    occupy(rail, drive) {
      const places = placesOf(rail);
      places.occupied += 1;
      void drive.then(() => leave(places));
    },
    gauges: () =>
      [...rails].flatMap(([name, { occupied, waiting }]) => [
        gauge("payrail_payouts_unsubmitted", occupied, { name }),
        gauge("payrail_withdrawals_waiting", waiting.size, { name }),
      ]),
  };
}
