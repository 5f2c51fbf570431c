// Order: of one transaction and endpoint, a later event is not sent while an earlier one is pending.
// A delivery that has to wait is held, and set free by the end of the earlier one; an earlier one that
// has failed for too long gives way as a dead letter, so that a receiver that chokes on PENDING still
// hears of SUCCESS.
//
// A hold and the end that should have freed it may cross: so whoever holds looks again after the hold
// is stored, and whoever ends frees after the end is stored. One of the two sees the other.

import type { mongo } from "mongoose";
import { gather } from "../../shared/gather.ts";
import { type Delivery, PASSING } from "./delivery.model.ts";

/** What order needs to know of a claimed delivery. */
export type Claimed = Pick<Delivery, "_id" | "endpointId" | "transactionId" | "seq"> & {
  claim: string;
};

type Earlier = Pick<
  Delivery,
  "_id" | "endpointId" | "transactionId" | "seq" | "nextAttemptAt" | "claim" | "failingSince"
>;

export interface Order {
  /**
   * Whether a claimed delivery may be sent now. Where it may not, it has been given back and is held.
   */
  mayGo(delivery: Claimed): Promise<boolean>;
  /** Has what waits for deliveries of the transaction look again: one has ended, or may be ended. */
  release(transactionId: string): Promise<void>;
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
 * @param holdMs how long a failing delivery may keep back a later one
 * @param onRelease called when something that was held is due now
 */
export function createOrder(
  deliveries: mongo.Collection<Delivery>,
  holdMs: number,
  onRelease: () => void,
): Order {
  /** The pending deliveries that come before each of these. */
  async function earlierThan(claimed: Claimed[]): Promise<Earlier[][]> {
    const transactionIds = [...new Set(claimed.map(({ transactionId }) => transactionId))];
    const pending = await deliveries
      .find<Earlier>(
        { transactionId: { $in: transactionIds }, status: "PENDING" },
        { projection: EARLIER },
      )
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
    await releaseAll(earlier.map(({ transactionId }) => transactionId));
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
    if (freed.length > 0) await releaseAll(freed.map(({ transactionId }) => transactionId));
  }

  async function releaseAll(transactionIds: string[]): Promise<void> {
    const { modifiedCount } = await deliveries.updateMany(
      { transactionId: { $in: transactionIds }, status: "PENDING", held: true },
      { $set: { held: false, nextAttemptAt: new Date() } },
      PASSING,
    );
    if (modifiedCount > 0) onRelease();
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
      async (transactionIds: string[]) => {
        await releaseAll(transactionIds);
        return transactionIds.map(() => undefined);
      },
      { maxItems: MAX_BATCH },
    ),
  };
}

function queueOf({ transactionId, endpointId }: Claimed | Earlier): string {
  return `${transactionId} ${endpointId}`;
}

/** Whether what has failed since then has kept back a later one for long enough. */
export function isOverdue(failingSince: Date | null, holdMs: number): boolean {
  return failingSince !== null && failingSince.getTime() <= Date.now() - holdMs;
}

/** When the earlier ones may have ended, or may be superseded; their end comes by itself. */
function holdUntil(earlier: Earlier[], holdMs: number): Date {
  const times = earlier.map(({ nextAttemptAt, failingSince }) =>
    Math.min(
      nextAttemptAt?.getTime() ?? 0,
      failingSince ? failingSince.getTime() + holdMs : Number.POSITIVE_INFINITY,
    ),
  );
  return new Date(Math.max(Date.now() + MIN_HOLD_MS, ...times));
}
