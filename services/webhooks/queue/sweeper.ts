// The sweeper finds due deliveries and hands them over: retries, released ones, those without a
// free place before, and those of a process that died.
//
// It searches the endpoints with due deliveries, then takes a few from each endpoint with room, in
// rotation. Neither step reads ended or future deliveries, nor more of an endpoint's backlog than
// it takes, because the index is by endpoint and then by time. A wake-up with endpoint ids reads
// only these.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { type Sweep, startSweep, type Turns } from "../../../shared/resumable/sweeps.ts";
import { NO_ORIGINS, workFor } from "../../../shared/rpc/origin.ts";
import { earliestDue } from "./backlog.ts";
import { type DeliveryClaims, DUE, type DueDelivery } from "./claims.ts";
import { type Delivery, DUE_INDEX } from "./delivery.model.ts";
import type { Deliverer } from "./delivery.ts";

export interface Sweeper {
  start(): void;
  /** Reads these endpoints immediately; without ids, all endpoints soon. */
  wake(endpointIds?: string[]): void;
  /** Reads the endpoints with due deliveries at this moment, epoch ms. */
  noticeDue(at: number): void;
  stop(): Promise<void>;
}

/**
 * The interval of the turns. It is short, because a delivery that its process had no room for is
 * due immediately: there is no lease that another process could see before it ends.
 */
export const DELIVERIES_EVERY_MS = 2_000;
/**
 * The largest share of the time for the search of endpoints, however many deliveries are pending.
 */
const SHARE_OF_TIME = 1 / 6;
/** After a slow search, which waited for a database that was away rather than used it. */
const LONGEST_REST_MS = 2_000;
const MAX_ENDPOINTS = 5_000;
const ENDPOINTS_AT_ONCE = 64;
const MAX_BATCH = 512;

export function createSweeper(options: {
  deliveries: mongo.Collection<Delivery>;
  claims: Pick<DeliveryClaims, "claim">;
  deliverer: Pick<Deliverer, "reserve" | "free" | "room" | "take">;
  clock: Clock;
  turns: Turns;
  onError: (error: unknown) => void;
}): Sweeper {
  const { deliveries, claims, deliverer, clock, turns, onError } = options;
  /** Endpoints that may have due deliveries, the next one first. */
  const wanted = new Set<string>();
  /** The endpoint at which the next search begins. */
  let from = "";
  let restUntil = 0;
  let searchAll = false;
  let looks: Sweep | undefined;
  let stopped = true;
  let sweeping: Promise<void> | null = null;

  /** Adds the endpoints with due deliveries to `wanted`, from the end of the last search on. */
  async function searchEndpoints(): Promise<void> {
    searchAll = false;
    const begun = performance.now();
    const found = await deliveries
      .aggregate<{ _id: string }>(
        [...endpointsOfDue({ $gte: from }, new Date(clock.now())), { $limit: MAX_ENDPOINTS }],
        { hint: DUE_INDEX },
      )
      .toArray();
    const ids = found.map(({ _id }) => _id).toSorted();
    from = found.length === MAX_ENDPOINTS ? (ids.at(-1) as string) : "";
    for (const id of ids) wanted.add(id);
    const ended = performance.now();
    restUntil = ended + Math.min((ended - begun) * (1 / SHARE_OF_TIME - 1), LONGEST_REST_MS);
  }

  function nextEndpoints(): string[] {
    const next: string[] = [];
    for (const id of wanted) {
      if (deliverer.room() === 0) {
        // The next search begins here, so that each endpoint has its turn.
        from = id;
        wanted.clear();
      } else if (next.length === ENDPOINTS_AT_ONCE) {
        break;
      } else {
        wanted.delete(id);
        if (deliverer.room(id) > 0) next.push(id);
      }
    }
    return next;
  }

  /** Takes some due deliveries of each endpoint; an endpoint that may have more is wanted again. */
  async function takeFrom(endpointIds: string[]): Promise<void> {
    const rooms = endpointIds.map((id) => deliverer.room(id));
    const each = Math.min(Math.floor(MAX_BATCH / endpointIds.length), Math.max(...rooms));
    const now = new Date(clock.now());
    const due = await deliveries
      .aggregate<DueDelivery>(
        [
          ...endpointsOfDue({ $in: endpointIds }, now),
          { $lookup: firstDue(each, now) },
          { $unwind: "$due" },
          { $replaceRoot: { newRoot: "$due" } },
        ],
        { hint: DUE_INDEX },
      )
      .toArray();
    const chosen = due.filter(({ endpointId, businessId }) =>
      deliverer.reserve(endpointId, businessId),
    );
    // If the process has no free place left, these endpoints have the first turn later.
    if (deliverer.room() === 0) for (const { endpointId } of due) wanted.add(endpointId);
    if (chosen.length === 0) return;
    for (const { endpointId } of chosen) wanted.delete(endpointId);
    const reserved = new Map(chosen.map(({ _id, endpointId }) => [_id, endpointId]));
    try {
      for (const delivery of await claims.claim(chosen)) {
        reserved.delete(delivery._id);
        deliverer.take(delivery);
      }
    } finally {
      for (const endpointId of reserved.values()) deliverer.free(endpointId);
    }
    const found = Map.groupBy(due, ({ endpointId }) => endpointId);
    for (const { endpointId } of chosen) {
      if (found.get(endpointId)?.length === each) wanted.add(endpointId);
    }
  }

  /** Terminates, because an endpoint is wanted again only after one of its deliveries was taken. */
  async function sweep(): Promise<void> {
    try {
      while (!stopped && (searchAll || wanted.size > 0)) {
        if (searchAll) await searchEndpoints();
        const next = nextEndpoints();
        if (next.length > 0) await takeFrom(next);
      }
    } catch (error) {
      wanted.clear();
      onError(error);
    }
  }

  /** @returns the moment from which a delivery is due */
  async function look(): Promise<number | undefined> {
    if (performance.now() >= restUntil) {
      const at = await earliestDue(deliveries);
      if (at === undefined || at > clock.now()) return at;
      searchAll = true;
      begin();
    }
    return clock.now();
  }

  function begin(): void {
    if (stopped) return;
    sweeping ??= workFor(NO_ORIGINS, sweep).finally(() => {
      sweeping = null;
      // Some are left if there was no room, or after an error.
      looks?.noticeDue(clock.now());
    });
  }

  return {
    start() {
      stopped = false;
      looks = startSweep({ clock, turns, round: look, onError });
    },
    wake(endpointIds) {
      if (!endpointIds) return looks?.wake();
      for (const id of endpointIds) wanted.add(id);
      begin();
    },
    noticeDue: (at) => looks?.noticeDue(at),
    async stop() {
      stopped = true;
      await looks?.stop();
      await sweeping;
    },
  };
}

const isDue = (now: Date) => ({ status: "PENDING", nextAttemptAt: { $lte: now } });

/** The endpoints with due deliveries, read from the index alone (DISTINCT_SCAN). */
function endpointsOfDue(
  endpointId: { $gte: string } | { $in: string[] },
  now: Date,
): mongo.BSON.Document[] {
  return [
    { $match: { ...isDue(now), endpointId } },
    { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
    { $group: { _id: "$endpointId" } },
  ];
}

function firstDue(limit: number, now: Date): mongo.BSON.Document {
  return {
    from: "webhook_deliveries",
    localField: "_id",
    foreignField: "endpointId",
    pipeline: [
      { $match: isDue(now) },
      { $sort: { nextAttemptAt: 1 } },
      { $limit: limit },
      { $project: DUE },
    ],
    as: "due",
  };
}
