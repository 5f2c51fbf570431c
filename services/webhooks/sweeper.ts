// The sweeper takes over what is due, whoever stored it: retries, what was set free, what there was no
// room for, what a process that died had claimed. Claims are compare-and-set, so any number of
// processes share the work.
//
// It looks for the endpoints that have something due, then takes a little from each that there is room
// for, round and round. Neither step reads what is done, dead or not yet due, nor more of an endpoint's
// backlog than it takes: the index is by endpoint, then by time, and is read from endpoint to endpoint.
// Where somebody knows of an endpoint that has something due, only that one is looked at.

import type { mongo } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { carriedOf } from "./bodies.ts";
import { type Delivery, DUE_INDEX, PASSING } from "./delivery.model.ts";
import type { Deliverer } from "./delivery.ts";
import type { Event } from "./event.model.ts";
import type { ClaimedDelivery } from "./outcome.ts";

export interface Sweeper {
  start(): void;
  /** Looks at these endpoints at once; at all of them soon, where none are named. */
  wake(endpointIds?: string[]): void;
  stop(): Promise<void>;
}

type Due = Omit<ClaimedDelivery, "claim" | "claimedUntil" | "body">;

const EVERY_MS = 200;
/** Looking for endpoints takes at most this part of the time, however many have something pending. */
const SHARE_OF_TIME = 1 / 6;
const MAX_ENDPOINTS = 5_000;
const ENDPOINTS_AT_ONCE = 64;
const MAX_BATCH = 512;
const DUE = {
  eventId: 1,
  endpointId: 1,
  businessId: 1,
  transactionId: 1,
  seq: 1,
  failures: 1,
  failingSince: 1,
};

export function createSweeper(options: {
  deliveries: mongo.Collection<Delivery>;
  events: mongo.Collection<Event>;
  deliverer: Pick<Deliverer, "reserve" | "free" | "room" | "leaseEnd" | "take">;
  onError: (error: unknown) => void;
}): Sweeper {
  const { deliveries, events, deliverer, onError } = options;
  /** Endpoints that may have something due, the next one first. */
  const wanted = new Set<string>();
  /** From which endpoint on to look for more. */
  let from = "";
  let restUntil = 0;
  let lookForAll = false;
  let timer: NodeJS.Timeout;
  let stopped = true;
  let sweeping: Promise<void> | null = null;

  /** Wants the endpoints that have something due, from where the last look ended. */
  async function lookForEndpoints(): Promise<void> {
    lookForAll = false;
    const begun = performance.now();
    const found = await deliveries
      .aggregate<{ _id: string }>([...endpointsOfDue({ $gte: from }), { $limit: MAX_ENDPOINTS }], {
        hint: DUE_INDEX,
      })
      .toArray();
    const ids = found.map(({ _id }) => _id).toSorted();
    from = found.length === MAX_ENDPOINTS ? (ids.at(-1) as string) : "";
    for (const id of ids) wanted.add(id);
    const ended = performance.now();
    restUntil = ended + (ended - begun) * (1 / SHARE_OF_TIME - 1);
  }

  /** The wanted endpoints whose turn it is, as far as there is room for what they have. */
  function nextEndpoints(): string[] {
    const next: string[] = [];
    for (const id of wanted) {
      if (deliverer.room() === 0) {
        // The next look goes on here, so that everybody has a turn.
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

  /** Takes some of what is due for each of these; those that may have more are wanted again. */
  async function takeFrom(endpointIds: string[]): Promise<void> {
    const rooms = endpointIds.map((id) => deliverer.room(id));
    const each = Math.min(Math.floor(MAX_BATCH / endpointIds.length), Math.max(...rooms));
    const due = await deliveries
      .aggregate<Due>(
        [
          ...endpointsOfDue({ $in: endpointIds }),
          { $lookup: firstDue(each) },
          { $unwind: "$due" },
          { $replaceRoot: { newRoot: "$due" } },
        ],
        { hint: DUE_INDEX },
      )
      .toArray();
    const chosen = due.filter(({ endpointId, businessId }) =>
      deliverer.reserve(endpointId, businessId),
    );
    // Where there is no room at all any more, they are the first to have their turn when there is.
    if (deliverer.room() === 0) for (const { endpointId } of due) wanted.add(endpointId);
    for (const { endpointId } of chosen) wanted.delete(endpointId);
    if (chosen.length > 0) await take(chosen);
    const found = Map.groupBy(due, ({ endpointId }) => endpointId);
    for (const { endpointId } of chosen) {
      if (found.get(endpointId)?.length === each) wanted.add(endpointId);
    }
  }

  async function take(chosen: Due[]): Promise<void> {
    const taken = new Set<Due>();
    try {
      for (const claimed of await claim(chosen)) {
        taken.add(claimed.due);
        deliverer.take(claimed.delivery);
      }
    } finally {
      for (const each of chosen) if (!taken.has(each)) deliverer.free(each.endpointId);
    }
  }

  /** Those of the due that this process has won, with what they say. */
  async function claim(due: Due[]): Promise<{ due: Due; delivery: ClaimedDelivery }[]> {
    const ids = due.map(({ _id }) => _id);
    const id = newId();
    const until = deliverer.leaseEnd();
    const [{ modifiedCount }, bodies] = await Promise.all([
      deliveries.updateMany(
        { _id: { $in: ids }, status: "PENDING", nextAttemptAt: { $lte: new Date() } },
        { $set: { claim: id, nextAttemptAt: until, held: false } },
        { ...PASSING, hint: { _id: 1 } },
      ),
      carriedOf(
        events,
        due.map(({ eventId }) => eventId),
      ),
    ]);
    const mine = modifiedCount === ids.length ? new Set(ids) : await wonOf(ids, id);
    const won = due.filter(({ _id }) => mine.has(_id));
    const bodiless = won.filter(({ eventId }) => !bodies.has(eventId));
    if (bodiless.length > 0) await expire(bodiless, id);
    return won.flatMap((each) => {
      const body = bodies.get(each.eventId);
      if (body === undefined) return [];
      const delivery = { ...each, claim: id, claimedUntil: until.getTime(), body };
      return [{ due: each, delivery }];
    });
  }

  /** Ends claimed deliveries whose events are gone: stored before them, and removed by retention. */
  async function expire(claimed: Due[], claimId: string): Promise<void> {
    await deliveries.updateMany(
      { _id: { $in: claimed.map(({ _id }) => _id) }, claim: claimId },
      {
        $set: {
          status: "DEAD_LETTER",
          deadLetterReason: "expired",
          nextAttemptAt: null,
          claim: null,
        },
      },
    );
  }

  async function wonOf(ids: string[], claimId: string): Promise<Set<string>> {
    const won = await deliveries
      .find<{ _id: string }>({ _id: { $in: ids }, claim: claimId }, { projection: { _id: 1 } })
      .toArray();
    return new Set(won.map(({ _id }) => _id));
  }

  /** Ends, because each endpoint is wanted again only after something of it was taken. */
  async function sweep(): Promise<void> {
    try {
      while (!stopped && (lookForAll || wanted.size > 0)) {
        if (lookForAll) await lookForEndpoints();
        const next = nextEndpoints();
        if (next.length > 0) await takeFrom(next);
      }
    } catch (error) {
      wanted.clear();
      onError(error);
    }
  }

  function wake(endpointIds?: string[]): void {
    if (stopped) return;
    for (const id of endpointIds ?? []) wanted.add(id);
    if (!endpointIds && performance.now() >= restUntil) lookForAll = true;
    sweeping ??= sweep().finally(() => {
      sweeping = null;
    });
  }

  return {
    start() {
      stopped = false;
      // Not in step with the other processes.
      timer = setInterval(() => wake(), EVERY_MS * (0.9 + 0.2 * Math.random()));
      wake();
    },
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await sweeping;
    },
  };
}

const isDue = () => ({ status: "PENDING", nextAttemptAt: { $lte: new Date() } });

/** The endpoints that have something due, read from the index alone (DISTINCT_SCAN). */
function endpointsOfDue(endpointId: { $gte: string } | { $in: string[] }): mongo.BSON.Document[] {
  return [
    { $match: { ...isDue(), endpointId } },
    { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
    { $group: { _id: "$endpointId" } },
  ];
}

/** The first that are due of each endpoint. */
function firstDue(limit: number): mongo.BSON.Document {
  return {
    from: "webhook_deliveries",
    localField: "_id",
    foreignField: "endpointId",
    pipeline: [
      { $match: isDue() },
      { $sort: { nextAttemptAt: 1 } },
      { $limit: limit },
      { $project: DUE },
    ],
    as: "due",
  };
}
