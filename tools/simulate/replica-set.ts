// A simulated replica set: the entries that its primaries store, the time at which a majority has
// them, and the data that majority reads show. It has one oplog; the entries below the commit point
// can never be rolled back.
//  - A write is applied immediately and acknowledged by its write concern. For w: majority the
//    acknowledgement comes after the commit point has passed all entries that the primary had when
//    it answered, even if the write itself changed nothing (a refused insert, an update without a
//    match).
//  - A majority read shows the state at the commit point that the primary knows. A new primary may
//    know an older commit point than one that was already acknowledged, and learns no newer one
//    until an entry of its own term is committed. A read with afterClusterTime waits for that time.
//  - An election rolls back any number of entries above the commit point. The old primary may still
//    serve reads of its old state for a while.

import { type Doc, type Filter, matcher, updated } from "./query.ts";

export interface CollectionSetup {
  name: string;
  documents?: Doc[];
  /** Unique indexes: the keys of a document; a key belongs to one document at a time. */
  unique?: ((doc: Doc) => string[])[];
  /** Whether the document can ever be stored, like a validator. */
  isStorable?: (doc: Doc) => boolean;
}

export interface Entry {
  time: number;
  collection: string;
  before: Doc | null;
  after: Doc | null;
}

export interface Update {
  filter: Filter;
  update: Record<string, Filter>;
  /** Updates every matching document, each on its own. */
  multi?: boolean;
}

export type Write =
  | { insert: Doc[]; resent?: boolean; collection: string }
  | { updates: Update[]; collection: string };

export interface WriteError {
  index: number;
  code: number;
  errmsg: string;
}

export interface Written {
  writeErrors: WriteError[];
  matched: number;
  modified: number;
  /** The operationTime of the reply. */
  time: number;
  /** The number of entries of the oplog that must be durable before w: majority is met. */
  needs: number;
}

type Documents = Map<string | number, Doc>;
export type View = Map<string, Documents>;

const DUPLICATE_KEY = 11_000;
const VALIDATION = 121;

export type ReplicaSet = ReturnType<typeof createReplicaSet>;

/** @param onDurable is called for every entry, in order, when it can never be rolled back */
export function createReplicaSet(setups: CollectionSetup[], onDurable: (entry: Entry) => void) {
  const setupByName = new Map(setups.map((setup) => [setup.name, setup]));
  /** For each collection and unique index, the document of each key. */
  const taken = new Map(setups.map(({ name, unique = [] }) => [name, unique.map(() => new Map())]));
  const buildView = (): View =>
    new Map(setups.map(({ name, documents = [] }) => [name, new Map(documents.map(withId))]));
  const newest = buildView();
  const visible = buildView();
  const oplog: Entry[] = [];
  let time = 1;
  /** The number of entries that can never be rolled back. */
  let durable = 0;
  /** The number of entries that majority reads of the primary show. */
  let known = 0;
  /** The first entry of the present primary's term. */
  let termStart = 0;
  let elections = 0;

  /** Replaces the keys of a document in the unique indexes. */
  function reindex(collection: string, before: Doc | null, after: Doc | null): void {
    const { unique = [] } = setupByName.get(collection) as CollectionSetup;
    const indexes = taken.get(collection) as Map<string, unknown>[];
    unique.forEach((listKeys, i) => {
      for (const key of before ? listKeys(before) : []) indexes[i]?.delete(key);
      for (const key of after ? listKeys(after) : []) indexes[i]?.set(key, after?._id);
    });
  }

  function apply(view: View, { collection, before, after }: Entry, forward: boolean): void {
    const documents = view.get(collection);
    if (!documents) return;
    const doc = forward ? after : before;
    const id = ((after ?? before) as Doc)._id;
    if (doc) documents.set(id, doc);
    else documents.delete(id);
  }

  function log(collection: string, before: Doc | null, after: Doc | null): void {
    time += 1;
    const entry = { time, collection, before, after };
    oplog.push(entry);
    apply(newest, entry, true);
  }

  function write(request: Write): Written {
    const result = { writeErrors: [] as WriteError[], matched: 0, modified: 0 };
    if ("insert" in request) {
      request.insert.forEach((doc, index) => {
        const stored = newest.get(request.collection)?.get(doc._id);
        // The driver resends a write: a document that this very write has stored is not stored
        // again.
        if (request.resent && stored === doc) return;
        const error = insert(request.collection, doc);
        if (error) result.writeErrors.push({ index, ...error });
      });
    } else {
      for (const each of request.updates) {
        for (const doc of matching(request.collection, each)) {
          result.matched += 1;
          if (update(request.collection, each, doc)) result.modified += 1;
        }
      }
    }
    return { ...result, time: timeAt(oplog.length), needs: oplog.length };
  }

  function insert(collection: string, doc: Doc): Omit<WriteError, "index"> | null {
    const { unique = [], isStorable } = setupByName.get(collection) as CollectionSetup;
    if (isStorable && !isStorable(doc)) {
      return { code: VALIDATION, errmsg: "Document failed validation" };
    }
    if (newest.get(collection)?.has(doc._id)) return duplicate("_id");
    const indexes = taken.get(collection) as Map<string, unknown>[];
    for (const [i, keys] of indexes.entries()) {
      const key = unique[i]?.(doc).find((each) => keys.has(each));
      if (key !== undefined) return duplicate(key);
    }
    reindex(collection, null, doc);
    log(collection, null, Object.freeze(doc));
    return null;
  }

  function matching(collection: string, { filter, multi }: Update): Doc[] {
    const documents = documentsFor(newest.get(collection) as Documents, filter);
    const found = documents.filter(matcher(filter));
    return multi ? found : found.slice(0, 1);
  }

  /**
   * Updates a document.
   * @returns whether the document changed
   */
  function update(collection: string, { update: change }: Update, found: Doc): boolean {
    const after = updated(found, change);
    const isSame = (field: string) => after[field] === found[field];
    if ([...Object.keys(after), ...Object.keys(found)].every(isSame)) return false;
    reindex(collection, found, after);
    log(collection, found, after);
    return true;
  }

  function timeAt(entries: number): number {
    return oplog[entries - 1]?.time ?? 1;
  }

  /** From now on majority reads show this number of entries. */
  function show(entries: number): void {
    while (known > entries) apply(visible, oplog[--known] as Entry, false);
    while (known < entries) apply(visible, oplog[known++] as Entry, true);
  }

  return {
    write,
    /** The number of entries of the primary. */
    entries: () => oplog.length,
    durable: () => durable,
    known: () => known,
    elections: () => elections,
    /** The operationTime up to which majority reads of the primary show everything. */
    visibleTime: () => timeAt(known),
    newest,
    visible,
    newestTime: () => timeAt(oplog.length),

    /** A majority has this number of entries, and the primary knows it. */
    commit(entries: number): void {
      if (entries <= termStart) return;
      for (; durable < entries; durable++) onDurable(oplog[durable] as Entry);
      if (entries > known) show(entries);
    },

    /**
     * Holds an election. It rolls back the entries from `surviving` on, but none below the commit
     * point. The new primary knows a commit point that is `lag` entries old, and begins its term.
     */
    elect(surviving: number, lag: number): void {
      elections += 1;
      const kept = Math.max(surviving, durable);
      while (oplog.length > kept) undo(oplog.pop() as Entry);
      show(Math.max(0, durable - lag));
      termStart = oplog.length;
      log("", null, null);
    },

    /** The state that an old primary still shows. */
    frozen(): View {
      return new Map([...visible].map(([name, documents]) => [name, new Map(documents)]));
    },
  };

  function undo(entry: Entry): void {
    apply(newest, entry, false);
    const { collection, before, after } = entry;
    if (collection) reindex(collection, after, before);
  }
}

function withId(doc: Doc): [Doc["_id"], Doc] {
  return [doc._id, Object.freeze(doc)];
}

function duplicate(key: string): Omit<WriteError, "index"> {
  return { code: DUPLICATE_KEY, errmsg: `E11000 duplicate key error: ${key}` };
}

/** The documents that a filter can match: those that it names by _id, or else all. */
export function documentsFor(documents: Documents, filter: Filter): Doc[] {
  const { _id: id } = filter;
  if (typeof id === "string" || typeof id === "number") {
    const doc = documents.get(id);
    return doc ? [doc] : [];
  }
  const ids = (id as { $in?: Doc["_id"][] } | undefined)?.$in;
  if (!ids) return [...documents.values()];
  return [...new Set(ids)].flatMap((each) => documents.get(each) ?? []);
}
