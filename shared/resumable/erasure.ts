// Erases personal data in resumable documents and in their events. Each change is a
// compare-and-set, so a driver that read the document before the erasure cannot write the erased
// data back. The events are revised first, because a caller may find the document by the data that
// it erases, and a repeat after a crash has to find the document again.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { fail } from "../errors.ts";
import { MAJORITY } from "../storage/database.ts";
import type { Change, Resumable } from "./document.ts";
import { type Outlet, type RelayedEvent, toEvents } from "./relay.ts";
import type { Transition } from "./transitions.ts";

/** Replaces the bodies of events in webhooks. */
export type Revise = (events: RelayedEvent[]) => Promise<unknown>;

/** The means to erase data in one collection of documents and in their events. */
export interface Erasing<T extends Resumable> {
  clock: Clock;
  documents: mongo.Collection<T>;
  transitionAlone: Transition<T>;
  outlet: Pick<Outlet<T>, "toEvent">;
  revise: Revise;
}

const TRIES_AT_MOST = 50;
const TRY_AGAIN_AFTER_MS = 100;

/**
 * Replaces fields of a document, and the bodies of its events. It waits until webhooks has all
 * events of the document, because an event that is stored later would have the earlier body. The
 * document's next step stays where it is in time. A repeated call has the same result.
 * @param set the new values; undefined removes a field
 * @throws UNAVAILABLE if webhooks does not have all events after 5 s; a repeat continues
 */
export async function erase<T extends Resumable>(
  { clock, documents, transitionAlone, outlet, revise }: Erasing<T>,
  document: T,
  set: Change<T>["set"],
): Promise<void> {
  let found: T | null = document;
  for (let i = 0; found && i < TRIES_AT_MOST; i++) {
    if (found.relayed === found.states.length) {
      const events = toEvents(outlet, { ...found, ...set }, 0);
      if (events.length > 0) await revise(events);
      if (await transitionAlone(found, { set, next: "same" })) return;
    }
    await clock.sleep(TRY_AGAIN_AFTER_MS);
    const filter = { _id: document._id } as unknown as mongo.Filter<T>;
    found = (await documents.findOne(filter, MAJORITY)) as T | null;
  }
  fail("UNAVAILABLE");
}
