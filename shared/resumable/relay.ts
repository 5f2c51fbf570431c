// The relay sends the outbox of a document (the states that webhooks has not acknowledged) to
// webhooks, whole and oldest first. It may send an event twice, because the event's id is made of
// the document's id and the event's place. It never sends events out of order, and counts a state
// as relayed only after webhooks has acknowledged it.

import type { mongo } from "mongoose";
import type { Params } from "../contracts/contracts.ts";
import type { EventBody } from "../contracts/events.ts";
import { idAfter } from "../ids.ts";
import { runUpdate, type Statement } from "../storage/commands.ts";
import type { Resumable } from "./document.ts";
import { gatherWrites } from "./gather.ts";

export type RelayedEvent = Params<"webhooks.publish">["events"][number] & { body: EventBody };

/** Makes events of the states of one kind of document, and names their receiver. */
export interface Outlet<T extends Resumable> {
  /** Whether its states count yet; before, its outbox is not relayed. They do by default. */
  counts?(document: T): boolean;
  publish(events: RelayedEvent[]): Promise<unknown>;
  /** The event of a state, the `seq`-th of the document; null if the state is no event. */
  toEvent(
    document: T,
    status: T["status"],
    at: number,
    seq: number,
  ): Pick<RelayedEvent, "body" | "paymentLinkId"> | null;
  /** The size of the events of all its states, estimated from above. */
  estimateBytes(document: T): number;
  /** Runs once webhooks has the events. */
  published?(document: T): Promise<void> | void;
  /** Broadcasts a state to other listeners; the broadcast may be lost. */
  announce?(document: T, status: T["status"], at: number): void;
}

export interface Handover<T extends Resumable> {
  document: T;
  /** No later transition will clear the outbox, so the relay clears it. */
  isLast: boolean;
}

/** Relays outboxes in batches; resolves once webhooks has acknowledged. */
export function gatherRelays<T extends Resumable>(
  documents: mongo.Collection<T>,
  outlet: Outlet<T>,
): (handover: Handover<T>) => Promise<void> {
  return gatherWrites<Handover<T>>(
    async (batch) => {
      const events = batch.flatMap(({ document }) => toEvents(outlet, document, document.relayed));
      if (events.length > 0) await outlet.publish(events);
      for (const { document } of batch) await outlet.published?.(document);
      const last = batch.filter(({ isLast }) => isLast).map(({ document }) => document);
      if (last.length > 0) await clear(documents, last);
      for (const { document } of batch) {
        for (const { status, at } of document.states.slice(document.relayed)) {
          outlet.announce?.(document, status, at);
        }
      }
    },
    // Below the megabyte that a message may have, and the thousand events of a call.
    {
      maxItems: 200,
      maxBytes: 800_000,
      estimateBytes: ({ document }) => outlet.estimateBytes(document),
    },
  );
}

/** The events of a document's states, except for the first `from` states. */
export function toEvents<T extends Resumable>(
  outlet: Pick<Outlet<T>, "toEvent">,
  document: T,
  from: number,
): RelayedEvent[] {
  const { _id: transactionId, businessId, states, origin } = document;
  return states.slice(from).flatMap(({ status, at }, i) => {
    const seq = from + 1 + i;
    const event = outlet.toEvent(document, status, at, seq);
    const id = idAfter(transactionId, seq);
    // A copy, because in one process webhooks' check changes its parameters in place, and the same
    // object is the origin of other documents.
    const cause = origin && { origin: { ...origin } };
    return event ? [{ id, businessId, transactionId, seq, at, ...cause, ...event }] : [];
  });
}

/**
 * Clears outboxes, except those that have got another state meanwhile: the next relay has that one.
 * A document that was due for its outbox before its next step is due for that step again. It is
 * left as it is if another writer has moved that step meanwhile.
 */
async function clear<T extends Resumable>(
  documents: mongo.Collection<T>,
  cleared: T[],
): Promise<void> {
  const groups = Map.groupBy(cleared, ({ states, stepAt }) => `${states.length} ${stepAt}`);
  const statements = [...groups.values()].map((group) => {
    const { states, stepAt } = group[0] as T;
    const { filter, update } = clearing(states.length, stepAt);
    return {
      filter: { _id: { $in: group.map(({ _id }) => _id) }, ...filter },
      update,
      multi: true,
    };
  });
  await runUpdate(documents, statements as unknown as Statement<T>[]);
}

/** The clearing of an outbox of so many states, of a document with this `stepAt`. */
function clearing(relayed: number, stepAt: Resumable["stepAt"]) {
  const states = { $size: relayed };
  if (stepAt === undefined) {
    return { filter: { states }, update: { $set: { relayed }, $unset: { relayAt: "" } } };
  }
  if (stepAt === null) {
    const $unset = { relayAt: "", stepAt: "", nextAttemptAt: "" };
    return { filter: { states, stepAt: { $type: "null" } }, update: { $set: { relayed }, $unset } };
  }
  const $set = { relayed, nextAttemptAt: stepAt };
  return { filter: { states, stepAt }, update: { $set, $unset: { relayAt: "", stepAt: "" } } };
}
