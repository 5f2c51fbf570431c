// Order: an event of a transaction is not sent to an endpoint while an earlier one is pending
// there. The later delivery is held until the earlier one ends. An earlier delivery that has failed
// for too long becomes a dead letter, so that a receiver that fails on PENDING still receives
// SUCCESS.
//
// A hold and the end that should release it may cross. So the holder reads again after it has
// stored the hold, and the end releases after it is stored: one of the two sees the other.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { gather, gatherWrites } from "../../../shared/resumable/gather.ts";
import { runUpdate } from "../../../shared/storage/commands.ts";
import { type Delivery, deadLettered, OF_TRANSACTION, PASSING } from "./delivery.model.ts";

/** The fields of a claimed delivery that decide its order. */
export type Claimed = Pick<Delivery, "_id" | "endpointId" | "transactionId" | "seq"> & {
  claim: string;
};

/** Deliveries with equal values are ordered among each other. */
type Queued = Pick<Delivery, "transactionId" | "endpointId">;

type Earlier = Pick<Delivery, "_id" | keyof typeof EARLIER>;

export interface Order {
  /**
   * Whether a claimed delivery may be sent now. If not, its claim is given back and it is held.
   */
  mayGo(delivery: Claimed): Promise<boolean>;
  /** Makes the deliveries due that wait for this one, because it has ended or may be superseded. */
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
const BATCH = { maxItems: 500 };
/** The shortest time between two looks at a held delivery. */
const MIN_HOLD_MS = 1_000;
/**
 * How long after the earlier delivery is due a held one waits for its release. After that a sweeper
 * looks at it, because the releasing process may have died. Each look costs a claim.
 */
const RELEASE_WITHIN_MS = 30_000;

/**
 * @param holdMs how long a failing delivery may hold a later one back
 * @param onRelease called with endpoints with held deliveries that became due
 */
export function createOrder(
  deliveries: mongo.Collection<Delivery>,
  clock: Clock,
  holdMs: number,
  onRelease: (endpointIds: string[]) => void,
): Order {
  /** The earlier pending deliveries of each delivery. */
  async function earlierThan(claimed: Claimed[]): Promise<Earlier[][]> {
    const pending = await deliveries
      .find<Earlier>(pendingBeside(claimed), { projection: EARLIER, hint: OF_TRANSACTION })
      .toArray();
    const queues = Map.groupBy(pending, queueKey);
    return claimed.map((delivery) =>
      (queues.get(queueKey(delivery)) ?? []).filter(({ seq }) => seq < delivery.seq),
    );
  }

  /** Ends deliveries that have failed for too long; not during a possible attempt. */
  async function supersede(earlier: Earlier[]): Promise<void> {
    await deliveries.updateMany(
      { _id: { $in: earlier.map(({ _id }) => _id) }, status: "PENDING", claim: null },
      { $set: deadLettered("superseded") },
    );
    await releaseAll(earlier);
  }

  async function hold(waiting: { delivery: Claimed; until: Date }[]): Promise<void> {
    await runUpdate(
      deliveries,
      waiting.map(({ delivery: { _id, claim }, until }) => ({
        filter: { _id, claim },
        update: { $set: { claim: null, held: true, nextAttemptAt: until } },
      })),
      PASSING,
    );
    const claimed = waiting.map(({ delivery }) => delivery);
    const earlier = await earlierThan(claimed);
    const freed = claimed.filter((_, i) => earlier[i]?.length === 0);
    if (freed.length > 0) await releaseAll(freed);
  }

  async function releaseAll(ended: Queued[]): Promise<void> {
    const { modifiedCount } = await deliveries.updateMany(
      { ...pendingBeside(ended), held: true },
      { $set: { held: false, nextAttemptAt: new Date(clock.now()) } },
      { ...PASSING, hint: OF_TRANSACTION },
    );
    if (modifiedCount > 0) onRelease([...new Set(ended.map(({ endpointId }) => endpointId))]);
  }

  async function decideOrder(claimed: Claimed[]): Promise<boolean[]> {
    let earlier = await earlierThan(claimed);
    const giveWay = earlier
      .flat()
      .filter(
        ({ claim, failingSince }) => claim === null && isOverdue(failingSince, holdMs, clock.now()),
      );
    if (giveWay.length > 0) {
      await supersede(giveWay);
      earlier = await earlierThan(claimed);
    }
    const waiting = claimed.flatMap((delivery, i) => {
      const before = earlier[i] as Earlier[];
      return before.length > 0 ? [{ delivery, until: holdUntil(before, holdMs, clock.now()) }] : [];
    });
    if (waiting.length > 0) await hold(waiting);
    return earlier.map((before) => before.length === 0);
  }

  const gathered = gather(decideOrder, BATCH);
  return {
    // The first delivery has no earlier one.
    mayGo: async (delivery) => delivery.seq === 1 || gathered(delivery),
    release: gatherWrites(releaseAll, BATCH),
  };
}

/** Matches the pending deliveries of these transactions to these endpoints. */
function pendingBeside(list: Queued[]) {
  return {
    transactionId: { $in: [...new Set(list.map(({ transactionId }) => transactionId))] },
    endpointId: { $in: [...new Set(list.map(({ endpointId }) => endpointId))] },
    status: "PENDING" as const,
  };
}

function queueKey({ transactionId, endpointId }: Queued): string {
  return `${transactionId} ${endpointId}`;
}

/** Whether a delivery that fails since then has held later ones back for long enough. */
export function isOverdue(failingSince: Date | null, holdMs: number, now: number): boolean {
  return failingSince !== null && failingSince.getTime() <= now - holdMs;
}

/**
 * When a sweeper looks at a held delivery if no release comes: after the claim of a claimed earlier
 * delivery has lapsed; after the next attempt of an unclaimed one, or once it may be superseded.
 */
function holdUntil(earlier: Earlier[], holdMs: number, now: number): Date {
  const times = earlier.map(({ claim, nextAttemptAt, failingSince }) => {
    const next = nextAttemptAt?.getTime() ?? 0;
    if (claim !== null && next > now) return next;
    const givesWay = failingSince ? failingSince.getTime() + holdMs : Number.POSITIVE_INFINITY;
    return Math.min(Math.max(next, now) + RELEASE_WITHIN_MS, givesWay);
  });
  return new Date(Math.max(now + MIN_HOLD_MS, ...times));
}
