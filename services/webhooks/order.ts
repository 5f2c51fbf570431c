// Order: of one transaction and endpoint, a later event is not sent while an earlier one is pending.
// A delivery that has to wait is held, and set free by the end of the earlier one; an earlier one that
// has failed for too long gives way as a dead letter, so that a receiver that chokes on PENDING still
// hears of SUCCESS.
//
// A hold and the end that should have freed it may cross: so whoever holds looks again after the hold
// is stored, and whoever ends frees after the end is stored. One of the two sees the other.

import type { mongo } from "mongoose";
import { gather } from "../../shared/gather.ts";
import { type Delivery, OF_TRANSACTION, PASSING } from "./delivery.model.ts";

/** What order needs to know of a claimed delivery. */
export type Claimed = Pick<Delivery, "_id" | "endpointId" | "transactionId" | "seq"> & {
  claim: string;
};

/** What says for what a delivery waits, or what waits for it. */
type Queued = Pick<Delivery, "transactionId" | "endpointId">;

type Earlier = Pick<
  Delivery,
  "_id" | "endpointId" | "transactionId" | "seq" | "nextAttemptAt" | "claim" | "failingSince"
>;

export interface Order {
  /**
   * Whether a claimed delivery may be sent now. Where it may not, it has been given back and is held.
   */
  mayGo(delivery: Claimed): Promise<boolean>;
  /** Has what waits for the delivery look again: it has ended, or may be ended. */
  release(delivery: Queued): Promise<void>;
}

const EARLIER = {
  endpointId: 1,
  transactionId: 1,
  seq: 1,
  nextAttemptAt: 1,
  claim: 1,
  failingSince: 1,
};
const MAX_BATCH = 500;
/** A held one is not looked at more often than this. */
const MIN_HOLD_MS = 1_000;
/**
 * How long a held one is left to be set free by the end of the earlier one, once that is due. It is
 * looked at after that, in case whoever should have set it free has died. Each look costs a claim.
 */
const RELEASE_WITHIN_MS = 30_000;

/**
 * @param holdMs how long a failing delivery may keep back a later one
 * @param onRelease called when something that was held for these endpoints is due now
 */
export function createOrder(
  deliveries: mongo.Collection<Delivery>,
  holdMs: number,
  onRelease: (endpointIds: string[]) => void,
): Order {
  /** The pending deliveries that come before each of these. */
  async function earlierThan(claimed: Claimed[]): Promise<Earlier[][]> {
    const pending = await deliveries
      .find<Earlier>(pendingBeside(claimed), { projection: EARLIER, hint: OF_TRANSACTION })
      .toArray();
    const queues = Map.groupBy(pending, queueOf);
    return claimed.map((delivery) =>
      (queues.get(queueOf(delivery)) ?? []).filter(({ seq }) => seq < delivery.seq),
    );
  }

  /** Ends deliveries that have failed for too long; not one that may be arriving right now. */
  async function supersede(earlier: Earlier[]): Promise<void> {
    await deliveries.updateMany(
      { _id: { $in: earlier.map(({ _id }) => _id) }, status: "PENDING", claim: null },
      {
        $set: {
          status: "DEAD_LETTER",
          deadLetterReason: "superseded",
          nextAttemptAt: null,
          held: false,
        },
      },
    );
    await releaseAll(earlier);
  }

  async function hold(waiting: { delivery: Claimed; until: Date }[]): Promise<void> {
    await deliveries.bulkWrite(
      waiting.map(({ delivery: { _id, claim }, until }) => ({
        updateOne: {
          filter: { _id, claim },
          update: { $set: { claim: null, held: true, nextAttemptAt: until } },
        },
      })),
      { ordered: false, ...PASSING },
    );
    const claimed = waiting.map(({ delivery }) => delivery);
    const earlier = await earlierThan(claimed);
    const freed = claimed.filter((_, i) => earlier[i]?.length === 0);
    if (freed.length > 0) await releaseAll(freed);
  }

  async function releaseAll(ended: Queued[]): Promise<void> {
    const { modifiedCount } = await deliveries.updateMany(
      { ...pendingBeside(ended), held: true },
      { $set: { held: false, nextAttemptAt: new Date() } },
      { ...PASSING, hint: OF_TRANSACTION },
    );
    if (modifiedCount > 0) onRelease([...new Set(ended.map(({ endpointId }) => endpointId))]);
  }

  async function sortOut(claimed: Claimed[]): Promise<boolean[]> {
    let earlier = await earlierThan(claimed);
    const giveWay = earlier
      .flat()
      .filter(({ claim, failingSince }) => claim === null && isOverdue(failingSince, holdMs));
    if (giveWay.length > 0) {
      await supersede(giveWay);
      earlier = await earlierThan(claimed);
    }
    const waiting = claimed.flatMap((delivery, i) => {
      const before = earlier[i] as Earlier[];
      return before.length > 0 ? [{ delivery, until: holdUntil(before, holdMs) }] : [];
    });
    if (waiting.length > 0) await hold(waiting);
    return earlier.map((before) => before.length === 0);
  }

  const gathered = gather(sortOut, { maxItems: MAX_BATCH });
  return {
    // Nothing comes before the first.
    mayGo: async (delivery) => delivery.seq === 1 || gathered(delivery),
    release: gather(
      async (ended: Queued[]) => {
        await releaseAll(ended);
        return ended.map(() => undefined);
      },
      { maxItems: MAX_BATCH },
    ),
  };
}

/** What is pending of these transactions for these endpoints. */
function pendingBeside(list: Queued[]) {
  return {
    transactionId: { $in: [...new Set(list.map(({ transactionId }) => transactionId))] },
    endpointId: { $in: [...new Set(list.map(({ endpointId }) => endpointId))] },
    status: "PENDING" as const,
  };
}

function queueOf({ transactionId, endpointId }: Queued): string {
  return `${transactionId} ${endpointId}`;
}

/** Whether what has failed since then has kept back a later one for long enough. */
export function isOverdue(failingSince: Date | null, holdMs: number): boolean {
  return failingSince !== null && failingSince.getTime() <= Date.now() - holdMs;
}

/**
 * When to look again, unless the end of the earlier ones comes before: where one is claimed, once its
 * claim has lapsed; where one waits for its next attempt, after that, or once it may be superseded.
 */
function holdUntil(earlier: Earlier[], holdMs: number): Date {
  const now = Date.now();
  const times = earlier.map(({ claim, nextAttemptAt, failingSince }) => {
    const next = nextAttemptAt?.getTime() ?? 0;
    if (claim !== null && next > now) return next;
    const givesWay = failingSince ? failingSince.getTime() + holdMs : Number.POSITIVE_INFINITY;
    return Math.min(Math.max(next, now) + RELEASE_WITHIN_MS, givesWay);
  });
  return new Date(Math.max(now + MIN_HOLD_MS, ...times));
}
