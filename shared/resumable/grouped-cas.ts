// Many compare-and-sets in one command. Those that make the same update of the same version share
// one statement, because that halves the database's cost of an update. Of two writers with the same
// version of a document one loses.

import type { mongo } from "mongoose";
import { runUpdate, type Statement } from "../storage/commands.ts";
import { MAJORITY } from "../storage/database.ts";

/** A document of which each write is a compare-and-set on its version. */
export interface Versioned {
  _id: string;
  /** The number of the last write. */
  v: number;
  /** The id of the last write: its writer recognizes its own write by it. */
  writtenBy: string;
}

export interface Update {
  $set: Record<string, unknown>;
  $unset?: Record<string, "">;
  $push?: Record<string, { $each: unknown[] }>;
}

/** An update of a document that holds only if the document still has this version. */
export interface CompareAndSet extends Pick<Versioned, "_id" | "v"> {
  update: Update;
}

/** What a write leaves on its document. */
export type Stamp = Pick<Versioned, "v" | "writtenBy">;

/** The documents that share a statement. */
interface Group {
  ids: Set<string>;
  v: number;
  update: Update;
  stamp: Stamp;
}

/**
 * Writes all items in one command.
 * @returns the stamp of each write, in order; null if another writer was first, or if the result of
 *   the write is unknown. A batch with losers reads its documents back, and a winner then does not
 *   recognize its write if the document has been written again since; an item alone always learns
 *   its result from the reply.
 */
export async function compareAndSetAll<T extends Versioned>(
  documents: mongo.Collection<T>,
  items: CompareAndSet[],
  newId: () => string,
): Promise<(Stamp | null)[]> {
  const groups = new Map<string, Group>();
  const places = items.map((item) => placeIn(groups, item, newId));
  const isWritten = await write(documents, [...groups.values()], items.length);
  return items.map(({ _id }, i) => {
    const { stamp } = places[i] as Group;
    return isWritten(_id, stamp) ? stamp : null;
  });
}

/** Puts an item into the group of its update; a document is in a group once. */
function placeIn(
  groups: Map<string, Group>,
  { _id, v, update }: CompareAndSet,
  newId: () => string,
): Group {
  let key = JSON.stringify([v, update]);
  while (groups.get(key)?.ids.has(_id)) key += "+";
  const stamp = () => ({ v: v + 1, writtenBy: newId() });
  const group = groups.get(key) ?? { ids: new Set(), v, update, stamp: stamp() };
  group.ids.add(_id);
  groups.set(key, group);
  return group;
}

/** @returns a check whether the write with a stamp changed a document */
async function write<T extends Versioned>(
  documents: mongo.Collection<T>,
  groups: Group[],
  count: number,
): Promise<(id: string, stamp: Stamp) => boolean> {
  const statements = groups.map(({ ids, v, update, stamp }) => ({
    filter: { _id: { $in: [...ids] }, v },
    update: { ...update, $set: { ...update.$set, ...stamp } },
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

/** The writers of documents: an update counts the matched documents, but does not name them. */
async function readWriters<T extends Versioned>(
  documents: mongo.Collection<T>,
  ids: string[],
): Promise<Map<string, string>> {
  const found = await documents
    .find({ _id: { $in: ids } } as unknown as mongo.Filter<T>, MAJORITY)
    .project<Pick<Versioned, "_id" | "writtenBy">>({ writtenBy: 1 })
    .toArray();
  return new Map(found.map(({ _id, writtenBy }) => [_id, writtenBy]));
}
