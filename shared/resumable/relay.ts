// The relay: what a document's outbox holds (the states that webhooks has not acknowledged) goes to
// webhooks whole and oldest first. It may go twice, because an event's id is made of the document's and
// its place; it never goes out of order, and none counts as relayed that was not acknowledged.

import type { mongo } from "mongoose";
import type { EventBody } from "../contracts/events.ts";
import type { Params } from "../contracts.ts";
import { gather } from "../gather.ts";
import { idAfter } from "../ids.ts";
import type { Resumable } from "./document.ts";

export type Event = Params<"webhooks.publish">["events"][number] & { body: EventBody };

/** How a kind of document tells of itself. */
export interface Outlet<T extends Resumable> {
  publish(events: Event[]): Promise<unknown>;
  /** What the merchant hears of a state, the `seq`-th of the document; null for nothing. */
  eventOf(
    document: T,
    status: T["status"],
    at: number,
    seq: number,
  ): Pick<Event, "body" | "paymentLinkId"> | null;
  /** Estimated from above, of all its states. */
  bytesOf(document: T): number;
  /** Comes by once webhooks has the events. */
  published?(document: T): Promise<void> | void;
  /** Tells whoever else listens; may be lost. */
  announce?(document: T, status: T["status"], at: number): void;
}

export interface Handover<T extends Resumable> {
  document: T;
  /** Nobody writes the document soon who could say so with the rest: the outbox is cleared at once. */
  isLast: boolean;
}

/** Hands outboxes over in batches; resolved once webhooks has acknowledged. */
export function gatherRelays<T extends Resumable>(
  documents: mongo.Collection<T>,
  outlet: Outlet<T>,
): (handover: Handover<T>) => Promise<void> {
  return gather<Handover<T>, void>(
    async (batch) => {
      const events = batch.flatMap(({ document }) => eventsOf(outlet, document));
      if (events.length > 0) await outlet.publish(events);
      for (const { document } of batch) await outlet.published?.(document);
      const last = batch.filter(({ isLast }) => isLast).map(({ document }) => document);
      if (last.length > 0) await clear(documents, last);
      for (const { document } of batch) {
        for (const { status, at } of document.states.slice(document.relayed)) {
          outlet.announce?.(document, status, at);
        }
      }
      return batch.map(() => undefined);
    },
    // Below the megabyte that a message may have, and the thousand events of a call.
    { maxItems: 200, maxBytes: 800_000, bytesOf: ({ document }) => outlet.bytesOf(document) },
  );
}

function eventsOf<T extends Resumable>(outlet: Outlet<T>, document: T): Event[] {
  const { _id: transactionId, businessId, states, relayed } = document;
  return states.slice(relayed).flatMap(({ status, at }, i) => {
    const seq = relayed + 1 + i;
    const event = outlet.eventOf(document, status, at, seq);
    const id = idAfter(transactionId, seq);
    return event ? [{ id, businessId, transactionId, seq, at, ...event }] : [];
  });
}

/** Unless a state came in meanwhile, which goes with the next handover. */
async function clear<T extends Resumable>(
  documents: mongo.Collection<T>,
  cleared: T[],
): Promise<void> {
  const ids = Map.groupBy(cleared, ({ states }) => states.length);
  const operations = [...ids].map(([count, group]) => ({
    updateMany: {
      filter: { _id: { $in: group.map(({ _id }) => _id) }, states: { $size: count } },
      update: { $set: { relayed: count }, $unset: { relayAt: "" as const } },
    },
  }));
  await documents.bulkWrite(operations as unknown as mongo.AnyBulkWriteOperation<T>[], {
    ordered: false,
  });
}
