// Transitions change resumable documents. Each is one update of one document, a compare-and-set on
// its version: of two writers with the same version one loses. A visible state and its event are
// one update, so that the event of a visible state is never lost.
//
// Transitions are gathered. Those of a batch that make the same update of the same version share
// one statement, because that halves the database's cost of an update. A change with a waiting
// caller is written alone.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { runUpdate, type Statement } from "../storage/commands.ts";
import { MAJORITY } from "../storage/database.ts";
import type { Amendment, Change, Entered, Resumable } from "./document.ts";
import { gather } from "./gather.ts";

/**
 * Changes a document.
 * @returns the changed document; null if another writer changed it first, or if the result of the
 *   write is unknown: the caller reads the document again
 */
export type Transition<T extends Resumable> = (document: T, change: Change<T>) => Promise<T | null>;

/**
 * The time for which other nodes leave a document to its driver, in milliseconds: longer than one
 * outside call.
 */
export const LEASE_MS = 10_000;
/**
 * The next step at once keeps a lease that still lasts so long, because an update that leaves all
 * indexed fields alone costs the database half.
 */
const KEPT_LEASE_MS = { least: LEASE_MS - 1_000, most: 2 * LEASE_MS };
/**
 * The time for which other nodes leave an outbox to the driver of its document, in milliseconds.
 */
export const RELAY_LEASE_MS = 10_000;

const BATCH = { maxItems: 500 };

/** The update that a change makes, the same for all documents of a statement. */
interface Update<T extends Resumable> {
  $set: Partial<T> & { v: number };
  $unset: Partial<Record<keyof T, "">>;
  amend?: Amendment<T>;
  states: Entered<T["status"]>[];
}

/** The documents that share a statement, because they make the same update. */
interface Group<T extends Resumable> {
  ids: Set<string>;
  v: number;
  update: Update<T>;
  /** The id by which the writer recognizes its own write. */
  writtenBy: string;
}

export function gatherTransitions<T extends Resumable>(
  documents: mongo.Collection<T>,
  clock: Clock,
  newId: () => string,
): Transition<T> {
  async function writeAll(items: { document: T; change: Change<T> }[]): Promise<(T | null)[]> {
    const now = clock.now();
    const groups = new Map<string, Group<T>>();
    const places = items.map(({ document, change }) => {
      const update = toUpdate(document, change, now);
      return placeIn(groups, document, update, newId);
    });
    const isWritten = await write(documents, [...groups.values()], items.length);
    return items.map(({ document }, i) => {
      const group = places[i] as Group<T>;
      return isWritten(document._id, group) ? applied(document, group) : null;
    });
  }
  const gathered = gather(writeAll, BATCH);
  return async (document, change) => {
    const item = { document, change };
    return change.isAlone ? ((await writeAll([item]))[0] as T | null) : gathered(item);
  };
}

function toUpdate<T extends Resumable>(
  document: T,
  { set, amend, enter = [], next, isKept, hasNoEvents }: Change<T>,
  now: number,
): Update<T> {
  const by = set.decidedBy ?? document.decidedBy;
  const states = enter.map((status) => ({ status, at: now, ...(by && { by }) }));
  const v = document.v + 1;
  const isEmpty = document.relayed === document.states.length;
  const skipped = hasNoEvents && isEmpty ? states.length : 0;
  const wanted: Record<string, unknown> = {
    ...set,
    // Webhooks may have acknowledged more states since the document was read.
    relayed: document.relayed + skipped,
    relayAt: relayAt(document, states.length - skipped, now),
    ...(!keepsLease(document, next, now) && {
      nextAttemptAt: nextAttemptAt(next, isKept === true, now),
    }),
  };
  const entered = states.at(-1);
  if (entered) wanted.status = entered.status;
  const $set: Record<string, unknown> = {};
  const $unset: Record<string, ""> = {};
  for (const [field, value] of Object.entries(wanted)) {
    if (value !== undefined) $set[field] = value;
    else if (Object.hasOwn(document, field)) $unset[field] = "";
  }
  return {
    $set: { ...($set as Partial<T>), v },
    $unset: $unset as Update<T>["$unset"],
    ...(amend && { amend }),
    states,
  };
}

function relayAt(
  { states, relayed, relayAt: at }: Resumable,
  entering: number,
  now: number,
): number | undefined {
  if (relayed === states.length + entering) return undefined;
  return relayed < states.length && at !== undefined ? at : now + RELAY_LEASE_MS;
}

function keepsLease(
  { nextAttemptAt: at = 0 }: Resumable,
  next: Change<Resumable>["next"],
  now: number,
): boolean {
  const leftMs = at - now;
  return next === "now" && leftMs >= KEPT_LEASE_MS.least && leftMs <= KEPT_LEASE_MS.most;
}

function nextAttemptAt(
  next: Change<Resumable>["next"],
  isKept: boolean,
  now: number,
): number | undefined {
  if (next === "never") return undefined;
  if (next === "now") return now + LEASE_MS;
  return now + next + (isKept ? LEASE_MS : 0);
}

/** Puts a document into the group that makes this update; a document is in a group once. */
function placeIn<T extends Resumable>(
  groups: Map<string, Group<T>>,
  { _id }: T,
  update: Update<T>,
  newId: () => string,
): Group<T> {
  let key = JSON.stringify(update);
  while (groups.get(key)?.ids.has(_id)) key += "+";
  const found = groups.get(key);
  const v = update.$set.v - 1;
  const group = found ?? { ids: new Set(), v, update, writtenBy: newId() };
  group.ids.add(_id);
  groups.set(key, group);
  return group;
}

/** @returns a check whether the statement of a group changed a document */
async function write<T extends Resumable>(
  documents: mongo.Collection<T>,
  groups: Group<T>[],
  count: number,
): Promise<(id: string, group: Group<T>) => boolean> {
  const statements = groups.map(({ ids, v, update, writtenBy }) => ({
    filter: { _id: { $in: [...ids] }, v },
    update: {
      $set: { ...update.$set, ...amendedPaths(update), writtenBy },
      ...(Object.keys(update.$unset).length > 0 && { $unset: update.$unset }),
      ...(update.states.length > 0 && { $push: { states: { $each: update.states } } }),
    },
    multi: true,
  }));
  try {
    const { matched } = await runUpdate(documents, statements as unknown as Statement<T>[]);
    if (matched === count) return () => true;
  } catch {
    // The documents are read back below. A writer that does not find its write tries again.
  }
  const ids = groups.flatMap((group) => [...group.ids]);
  const writers = await readWriters(documents, ids);
  return (id, { writtenBy }) => writers.get(id) === writtenBy;
}

/** The amended fields by their paths, as a statement sets them. */
function amendedPaths<T extends Resumable>({ amend }: Update<T>): Record<string, unknown> {
  if (!amend) return {};
  const { list, index, set } = amend;
  return Object.fromEntries(
    Object.entries(set).map(([field, value]) => [`${list}.${index}.${field}`, value]),
  );
}

/** The writers of documents: an update counts the matched documents, but does not name them. */
async function readWriters<T extends Resumable>(
  documents: mongo.Collection<T>,
  ids: string[],
): Promise<Map<string, string>> {
  const found = await documents
    .find({ _id: { $in: ids } } as unknown as mongo.Filter<T>, MAJORITY)
    .project<Pick<Resumable, "_id" | "writtenBy">>({ writtenBy: 1 })
    .toArray();
  return new Map(found.map(({ _id, writtenBy }) => [_id, writtenBy]));
}

function applied<T extends Resumable>(document: T, { update, writtenBy }: Group<T>): T {
  const after: T = { ...document, ...update.$set, writtenBy };
  for (const field of Object.keys(update.$unset)) delete after[field as keyof T];
  after.states = [...document.states, ...update.states];
  if (update.amend) {
    const { list, index, set } = update.amend;
    const entries = document[list] as object[];
    after[list] = entries.map((entry, i) => (i === index ? { ...entry, ...set } : entry)) as never;
  }
  return after;
}
