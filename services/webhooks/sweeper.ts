// The sweeper takes over what is due, whoever stored it: retries, what was set free, what there was no
// room for, what a process that died had claimed. Claims are compare-and-set, so any number of
// processes share the work.

import type { mongo } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { type Delivery, PASSING } from "./delivery.model.ts";
import type { Deliverer } from "./delivery.ts";
import type { Event } from "./event.model.ts";
import type { ClaimedDelivery } from "./outcome.ts";

export interface Sweeper {
  start(): void;
  /** Sweeps at once. */
  wake(): void;
  stop(): Promise<void>;
}

type Due = Omit<ClaimedDelivery, "claim" | "claimedUntil" | "body">;

const EVERY_MS = 200;
const MAX_BATCH = 500;
const DUE = {
  eventId: 1,
  endpointId: 1,
  transactionId: 1,
  seq: 1,
  failures: 1,
  failingSince: 1,
};

export function createSweeper(options: {
  deliveries: mongo.Collection<Delivery>;
  events: mongo.Collection<Event>;
  deliverer: Deliverer;
  onError: (error: unknown) => void;
}): Sweeper {
  const { deliveries, events, deliverer, onError } = options;
  let timer: NodeJS.Timeout;
  let stopped = true;
  let sweeping: Promise<void> | null = null;
  let again = false;

  /** @returns whether more may be due that there is room for */
  async function sweep(): Promise<boolean> {
    const limit = Math.min(MAX_BATCH, deliverer.room());
    if (limit === 0) return false;
    const full = deliverer.full();
    const due = await deliveries
      .find<Due>(
        {
          status: "PENDING",
          nextAttemptAt: { $lte: new Date() },
          ...(full.length > 0 && { endpointId: { $nin: full } }),
        },
        { projection: DUE },
      )
      .sort({ nextAttemptAt: 1 })
      .limit(limit)
      .toArray();
    const chosen = due.filter(({ endpointId }) => deliverer.reserve(endpointId));
    if (chosen.length === 0) return false;
    const taken = new Set<Due>();
    try {
      for (const claimed of await claim(chosen)) {
        taken.add(claimed.due);
        deliverer.take(claimed.delivery);
      }
    } finally {
      for (const each of chosen) if (!taken.has(each)) deliverer.free(each.endpointId);
    }
    return due.length === limit;
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
        PASSING,
      ),
      bodiesOf(due.map(({ eventId }) => eventId)),
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

  async function bodiesOf(eventIds: string[]): Promise<Map<string, string>> {
    const found = await events
      .find<Pick<Event, "_id" | "body">>(
        { _id: { $in: [...new Set(eventIds)] } },
        { projection: { body: 1 } },
      )
      .toArray();
    return new Map(found.map(({ _id, body }) => [_id, body]));
  }

  /** Ends, because each round claims something or finds less than it asked for. */
  async function sweepAll(): Promise<void> {
    do {
      again = false;
      try {
        while (!stopped && (await sweep()));
      } catch (error) {
        onError(error);
        return;
      }
    } while (again && !stopped);
  }

  function wake(): void {
    if (stopped) return;
    again = true;
    sweeping ??= sweepAll().finally(() => {
      sweeping = null;
    });
  }

  return {
    start() {
      stopped = false;
      // Not in step with the other processes.
      timer = setInterval(wake, EVERY_MS * (0.9 + 0.2 * Math.random()));
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
