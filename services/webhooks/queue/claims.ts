// The states of a pending delivery, and the writes between them. Each is a compare-and-set by the
// claim, so any number of processes share the work, and one that lost a claim changes nothing.
//
//          claim            record
//   due -----------> claimed -------> DELIVERED, DEAD_LETTER
//    ^ ^               | |
//    | +---------------+ | mayGo, while an earlier one is pending
//    |  giveBack, a      v
//    |  failed attempt  held
//    |                   |
//    +-------------------+ release, or the end of the hold
//
// A lapsed claim is due as well.
//
// Order: an event of a transaction is not sent to an endpoint while an earlier one is pending
// there. The later delivery is held until the earlier one ends. An earlier delivery that has failed
// for too long is superseded, so that a receiver that fails on PENDING still receives SUCCESS.
//
// A hold and the end that should release it may cross. So the holder reads again after it has
// stored the hold, and the end releases after it is recorded: one of the two sees the other.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { MAX_ATTEMPTS_KEPT } from "../../../shared/contracts/deliveries.ts";
import { gather, gatherWrites } from "../../../shared/resumable/gather.ts";
import { runUpdate, type Statement } from "../../../shared/storage/commands.ts";
import { ownValue } from "../../../shared/storage/own-values.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { readCarriedBodies } from "./bodies.ts";
import {
  type Delivery,
  type DeliveryAttempt,
  deadLettered,
  OF_TRANSACTION,
  PASSING,
} from "./delivery.model.ts";
import type { Event } from "./event.model.ts";

/** The fields of a due delivery that its claimer reads. */
export const DUE = {
  eventId: 1,
  endpointId: 1,
  businessId: 1,
  transactionId: 1,
  seq: 1,
  failures: 1,
  failingSince: 1,
  origin: 1,
};

export type DueDelivery = Pick<Delivery, "_id" | keyof typeof DUE>;

export interface ClaimedDelivery extends DueDelivery {
  claim: string;
  /** Epoch ms; from then on another process may claim it. */
  claimedUntil: number;
  /** Null for a large or removed body; it is read when the attempt begins. */
  body: string | null;
}

export interface AttemptOutcome {
  delivery: ClaimedDelivery;
  change: Pick<
    Delivery,
    "status" | "deadLetterReason" | "nextAttemptAt" | "failures" | "failingSince"
  >;
  /** Null if no attempt was made. */
  attempt: DeliveryAttempt | null;
  /** As the attempt read it. */
  endpoint?: Endpoint;
}

/** Deliveries with equal values are ordered among each other. */
type Queue = Pick<Delivery, "transactionId" | "endpointId">;

type Earlier = Pick<Delivery, "_id" | keyof typeof EARLIER>;

export interface DeliveryClaims {
  /** When a claim made now lapses. */
  leaseEnd(): Date;
  /** Claims due deliveries. @returns those that this process won */
  claim(due: DueDelivery[]): Promise<ClaimedDelivery[]>;
  /** Whether a claimed delivery may be sent now. If not, it is held, without a claim. */
  mayGo(delivery: ClaimedDelivery): Promise<boolean>;
  /** Makes a claimed delivery due again. */
  giveBack(delivery: ClaimedDelivery): Promise<void>;
  record(outcome: AttemptOutcome): Promise<void>;
  /** Releases the deliveries that waited for a recorded outcome. */
  releaseAfter(outcome: AttemptOutcome): Promise<void>;
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
/** The time to record an attempt, beside its own. */
const RECORD_MARGIN_MS = 2_500;
/** The shortest time between two looks at a held delivery. */
const MIN_HOLD_MS = 1_000;
/**
 * How long after the earlier delivery is due a held one waits for its release. After that a sweeper
 * looks at it, because the releasing process may have died. Each look costs a claim.
 */
const RELEASE_WITHIN_MS = 30_000;

/** The longest time from the beginning of an attempt until its outcome is recorded. */
export const attemptMs = ({ webhooks }: ConfigOf<"webhooks">) =>
  webhooks.timeoutMs + RECORD_MARGIN_MS;

/** @param options.onDue called with the endpoints of held deliveries that became due */
export function createClaims(options: {
  config: ConfigOf<"webhooks">;
  deliveries: mongo.Collection<Delivery>;
  events: mongo.Collection<Event>;
  clock: Clock;
  newId(): string;
  onDue: (endpointIds: string[]) => void;
}): DeliveryClaims {
  const { config, deliveries, events, clock, newId, onDue } = options;
  const { orderHoldMs } = config.webhooks;
  const leaseEnd = () => new Date(clock.now() + 2 * attemptMs(config));

  /** The earlier pending deliveries of each delivery. */
  async function earlierThan(claimed: ClaimedDelivery[]): Promise<Earlier[][]> {
    const pending = await deliveries
      .find<Earlier>(pendingBeside(claimed), { projection: EARLIER, hint: OF_TRANSACTION })
      .toArray();
    const queues = Map.groupBy(pending, queueKey);
    return claimed.map((delivery) =>
      (queues.get(queueKey(delivery)) ?? []).filter(({ seq }) => seq < delivery.seq),
    );
  }

  async function hold(waiting: { delivery: ClaimedDelivery; until: Date }[]): Promise<void> {
    const holds = waiting.map(({ delivery, until }) => unclaim(delivery, true, until));
    await runUpdate(deliveries, holds, PASSING);
    const held = waiting.map(({ delivery }) => delivery);
    const earlier = await earlierThan(held);
    const freed = held.filter((_, i) => earlier[i]?.length === 0);
    if (freed.length > 0) await release(freed);
  }

  /** Makes the deliveries due that wait for these, which have ended or may be superseded. */
  async function release(ended: Queue[]): Promise<void> {
    const { modifiedCount } = await deliveries.updateMany(
      { ...pendingBeside(ended), held: true },
      { $set: { held: false, nextAttemptAt: new Date(clock.now()) } },
      { ...PASSING, hint: OF_TRANSACTION },
    );
    if (modifiedCount > 0) onDue([...new Set(ended.map(({ endpointId }) => endpointId))]);
  }

  async function decideOrder(claimed: ClaimedDelivery[]): Promise<boolean[]> {
    let earlier = await earlierThan(claimed);
    const overdue = earlier.flat().filter((each) => each.claim === null && isOverdue(each));
    if (overdue.length > 0) {
      // Not during a possible attempt.
      await deliveries.updateMany(
        { _id: { $in: overdue.map(({ _id }) => _id) }, status: "PENDING", claim: null },
        { $set: deadLettered("superseded") },
      );
      await release(overdue);
      earlier = await earlierThan(claimed);
    }
    const waiting = claimed.flatMap((delivery, i) => {
      const before = earlier[i] as Earlier[];
      return before.length > 0 ? [{ delivery, until: holdUntil(before) }] : [];
    });
    if (waiting.length > 0) await hold(waiting);
    return earlier.map((before) => before.length === 0);
  }

  /** Whether a delivery has held later ones back for long enough. */
  function isOverdue({ failingSince }: Pick<Delivery, "failingSince">): boolean {
    return failingSince !== null && failingSince.getTime() <= clock.now() - orderHoldMs;
  }

  /**
   * When a sweeper looks at a held delivery if no release comes: after the claim of a claimed
   * earlier delivery has lapsed; after the next attempt of an unclaimed one, or once it may be
   * superseded.
   */
  function holdUntil(earlier: Earlier[]): Date {
    const now = clock.now();
    const times = earlier.map(({ claim, nextAttemptAt, failingSince }) => {
      const next = nextAttemptAt?.getTime() ?? 0;
      if (claim !== null && next > now) return next;
      const overdueAt = failingSince ? failingSince.getTime() + orderHoldMs : Infinity;
      return Math.min(Math.max(next, now) + RELEASE_WITHIN_MS, overdueAt);
    });
    return new Date(Math.max(now + MIN_HOLD_MS, ...times));
  }

  const decided = gather(decideOrder, BATCH);
  const releaseAll = gatherWrites(release, BATCH);
  return {
    leaseEnd,

    async claim(due) {
      const ids = due.map(({ _id }) => _id);
      const claim = newId();
      const until = leaseEnd();
      const [{ modifiedCount }, bodies] = await Promise.all([
        deliveries.updateMany(
          { _id: { $in: ids }, status: "PENDING", nextAttemptAt: { $lte: new Date(clock.now()) } },
          { $set: { claim, nextAttemptAt: until, held: false } },
          { ...PASSING, hint: { _id: 1 } },
        ),
        readCarriedBodies(
          events,
          due.map(({ eventId }) => eventId),
        ),
      ]);
      const isMine = { _id: { $in: ids }, claim };
      const won = modifiedCount === ids.length ? ids : await deliveries.distinct("_id", isMine);
      const wonIds = new Set(won);
      return due
        .filter(({ _id }) => wonIds.has(_id))
        .map((each) => {
          const body = bodies.get(each.eventId) ?? null;
          return { ...each, claim, claimedUntil: until.getTime(), body };
        });
    },

    // The first delivery has no earlier one.
    mayGo: async (delivery) => delivery.seq === 1 || decided(delivery),

    giveBack: gatherWrites((claimed: ClaimedDelivery[]) => {
      const now = new Date(clock.now());
      const updates = claimed.map((delivery) => unclaim(delivery, false, now));
      return runUpdate(deliveries, updates, PASSING);
    }, BATCH),

    record: gatherWrites((outcomes: AttemptOutcome[]) => {
      const alike = Map.groupBy(outcomes, ({ delivery: { claim }, change }) =>
        JSON.stringify([claim, change]),
      );
      return runUpdate(deliveries, [...alike.values()].map(toRecord));
    }, BATCH),

    async releaseAfter({ delivery, change }) {
      if (change.status !== "PENDING" || isOverdue(change)) await releaseAll(delivery);
    },
  };
}

/** The write that records outcomes under one claim, with the same change of their deliveries. */
function toRecord(outcomes: AttemptOutcome[]): Statement<Delivery> {
  const { delivery, change } = outcomes[0] as AttemptOutcome;
  const made = new Map(
    outcomes.map(({ delivery: { _id }, attempt }) => [_id, attempt ? [attempt] : []]),
  );
  const all = { $concatArrays: ["$attempts", ownValue(made)] };
  const attempts = { $slice: [all, -MAX_ATTEMPTS_KEPT] };
  return {
    filter: { _id: { $in: [...made.keys()] }, claim: delivery.claim },
    update: [{ $set: { ...change, claim: null, held: false, attempts } }],
    multi: true,
  };
}

/** The write that gives a claim back. */
function unclaim({ _id, claim }: ClaimedDelivery, held: boolean, nextAttemptAt: Date) {
  return { filter: { _id, claim }, update: { $set: { claim: null, held, nextAttemptAt } } };
}

/** Matches the pending deliveries of these transactions to these endpoints. */
function pendingBeside(list: Queue[]) {
  return {
    transactionId: { $in: [...new Set(list.map(({ transactionId }) => transactionId))] },
    endpointId: { $in: [...new Set(list.map(({ endpointId }) => endpointId))] },
    status: "PENDING" as const,
  };
}

function queueKey({ transactionId, endpointId }: Queue): string {
  return `${transactionId} ${endpointId}`;
}
