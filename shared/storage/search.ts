// Reads of long lists, newest first, by filters that the list's own index does not have: by the
// ranges of other indexes, which have few documents, or by reading the list on until enough of its
// documents match. The time of a read does not grow with the list, only with the matches that it
// has to sort, up to RARE_AT_MOST. A read that skips too many documents is given up for another one.

import type { FilterQuery, Model, QueryOptions } from "mongoose";
import { DEFAULT_LIMIT } from "../contracts/contract.ts";
import { fail } from "../errors.ts";
import { BROAD_READ_MS, inOneReply, isExpired } from "./database.ts";
import { before, cutAt, newestFirst } from "./paging.ts";

/** A range of an index: every document of the filter is in it. */
export interface Range<T> {
  filter: FilterQuery<T>;
  hint: Record<string, 1 | -1>;
}

export interface PagePlace {
  cursor?: string;
  limit?: number;
}

export interface FoundPage<T> {
  documents: T[];
  nextCursor: string | null;
}

type ReadOptions<T> = Pick<QueryOptions<T>, "projection" | "maxTimeMS">;

/** Reads a page of a list, newest first. */
export type ReadPage<T> = (place: PagePlace, options?: ReadOptions<T>) => Promise<FoundPage<T>>;

/** Up to this many documents are sorted in memory. */
const RARE_AT_MOST = 5_000;

/** Whether a range has so few documents that they are sorted faster than the list is read on. */
export async function isRare<T>(model: Model<T>, { filter, hint }: Range<T>): Promise<boolean> {
  const options = { hint, maxTimeMS: BROAD_READ_MS, limit: RARE_AT_MOST + 1 };
  return (await model.countDocuments(filter, options)) <= RARE_AT_MOST;
}

/** Far more than a read takes that skips few documents, so that a busy database gives up none. */
const GIVE_UP_MS = 1_000;

/** Reads in the first way; if that takes long, in the second one for the rest of a read's time. */
export function orElse<T>(first: ReadPage<T>, second: ReadPage<T>): ReadPage<T> {
  return async (place, { maxTimeMS = BROAD_READ_MS, ...options } = {}) => {
    try {
      return await first(place, { ...options, maxTimeMS: Math.min(maxTimeMS, GIVE_UP_MS) });
    } catch (error) {
      if (!isExpired(error) || maxTimeMS <= GIVE_UP_MS) throw error;
      return second(place, { ...options, maxTimeMS: maxTimeMS - GIVE_UP_MS });
    }
  };
}

/**
 * Plans to read a list by an index of its amounts if few documents have them, else by its own index.
 * @param amounts all documents of the business with the wanted amounts; undefined if any will do
 */
export async function planByAmount<T extends { _id: string }>(
  model: Model<T>,
  { filter, hint }: Range<T>,
  amounts: Range<T> | undefined,
): Promise<ReadPage<T>> {
  const wanted = { $and: [filter, amounts?.filter ?? {}] } as FilterQuery<T>;
  const inList = inOrder(model, { filter: wanted, hint });
  if (amounts === undefined) return inList;
  const byAmount: ReadPage<T> = (...page) =>
    newestOf(model, [{ filter: wanted, hint: amounts.hint }], ...page);
  return (await isRare(model, amounts)) ? byAmount : orElse(inList, byAmount);
}

/** Reads the documents of a range in the order of its index. */
export function inOrder<T extends { _id: string }>(
  model: Model<T>,
  { filter, hint }: Range<T>,
): ReadPage<T> {
  return (place, options) =>
    newestFirst(model, filter, place, { hint, maxTimeMS: BROAD_READ_MS, ...options });
}

/** A page of the documents of several ranges; a document may be in more than one. */
export async function newestOf<T extends { _id: string }>(
  model: Model<T>,
  ranges: Range<T>[],
  { cursor, limit = DEFAULT_LIMIT }: PagePlace,
  { projection, maxTimeMS = BROAD_READ_MS }: ReadOptions<T> = {},
): Promise<FoundPage<T>> {
  const readIds = ({ filter, hint }: Range<T>) =>
    model
      .find({ $and: [filter, before(cursor)] } as FilterQuery<T>, { _id: 1 })
      .hint(hint)
      .maxTimeMS(maxTimeMS)
      .batchSize(inOneReply(limit + 1).batchSize)
      .readConcern("majority")
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<Pick<T, "_id">[]>();
  const found = (await Promise.all(ranges.map(readIds))).flat().map(({ _id }) => _id);
  const ids = [...new Set(found)]
    .toSorted()
    .toReversed()
    .slice(0, limit + 1);
  return cutAt(limit, await readEach(model, ids, projection));
}

/** The documents with these ids, newest first. */
async function readEach<T>(
  model: Model<T>,
  ids: string[],
  projection?: QueryOptions<T>["projection"],
): Promise<T[]> {
  if (ids.length === 0) return [];
  return model
    .find({ _id: { $in: ids } } as FilterQuery<T>, projection, inOneReply(ids.length))
    .readConcern("majority")
    .sort({ _id: -1 })
    .lean<T[]>();
}

/** MongoDB merges up to 200 ranges of an index in the order of `_id`, and sorts those of more. */
export const MERGED_AT_ONCE = 200;

/** The ranges of an index for the values of a field, each of as many values as given. */
export function rangesOf<T>(
  values: string[],
  count: number,
  rangeOf: (some: { $in: string[] }) => Range<T>,
): Range<T>[] {
  const starts = Array.from({ length: Math.ceil(values.length / count) }, (_, i) => i * count);
  return starts.map((start) => rangeOf({ $in: values.slice(start, start + count) }));
}

/** More documents are read for each one that is still wanted, because the matches are uneven. */
const READ_PER_WANTED = 1.5;
const READ_AT_MOST = 1_000;
/** Less than for other reads, because the search before it has taken some of the contract's 5 s. */
const MATCHED_WITHIN_MS = 3_000;

/** How a list finds which of its documents match, when the caller has only some of their fields. */
interface Matching<T> {
  fields: (keyof T)[];
  /** Keeps the order of the documents, which have only their ids and the fields. */
  find(documents: T[]): Promise<T[]>;
}

/**
 * A page of the matching documents of a list, which is read in parts. Each is as long as the matches
 * of the earlier ones let expect.
 * @throws TOO_BROAD if too many documents do not match
 */
export async function newestMatching<T extends { _id: string }>(
  model: Model<T>,
  readPage: ReadPage<T>,
  { fields, find }: Matching<T>,
  { cursor, limit = DEFAULT_LIMIT }: PagePlace,
): Promise<FoundPage<T>> {
  const endsAt = performance.now() + MATCHED_WITHIN_MS;
  const projection = Object.fromEntries(fields.map((field) => [field, 1]));
  const found: T[] = [];
  let next = cursor;
  let perMatch = 1;
  for (let read = 0; ; ) {
    const wanted = limit + 1 - found.length;
    const size = Math.min(Math.ceil(READ_PER_WANTED * perMatch * wanted), READ_AT_MOST);
    const maxTimeMS = Math.ceil(endsAt - performance.now());
    if (maxTimeMS <= 0) fail("TOO_BROAD");
    const part = { cursor: next, limit: size };
    const { documents, nextCursor } = await readPage(part, { projection, maxTimeMS });
    found.push(...(await find(documents)));
    if (found.length > limit || nextCursor === null) break;
    next = nextCursor;
    read += documents.length;
    perMatch = found.length > 0 ? read / found.length : READ_AT_MOST;
  }
  const ids = found.slice(0, limit + 1).map(({ _id }) => _id);
  return cutAt(limit, await readEach(model, ids));
}
