// Reads of long lists, newest first, by filters that the list's own index does not have: by the
// ranges of other indexes, which have few documents, or by reading the list on until enough of its
// documents match. The time of a read does not grow with the list, only with the matches that it
// has to sort, up to RARE_AT_MOST.

import type { FilterQuery, Model } from "mongoose";
import { DEFAULT_LIMIT } from "../contracts/contract.ts";
import { fail } from "../errors.ts";
import { BROAD_READ_MS } from "./database.ts";
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

/** Reads a page of a list, newest first. */
export type ReadPage<T> = (place: PagePlace) => Promise<FoundPage<T>>;

/** Up to this many documents are sorted in memory. */
const RARE_AT_MOST = 5_000;

/** Whether a range has so few documents that they are sorted faster than the list is read on. */
export async function isRare<T>(model: Model<T>, { filter, hint }: Range<T>): Promise<boolean> {
  const options = { hint, maxTimeMS: BROAD_READ_MS, limit: RARE_AT_MOST + 1 };
  return (await model.countDocuments(filter, options)) <= RARE_AT_MOST;
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
  if (amounts && (await isRare(model, amounts))) {
    return (place) => newestOf(model, [{ filter: wanted, hint: amounts.hint }], place);
  }
  return (place) => newestFirst(model, wanted, place, { hint, maxTimeMS: BROAD_READ_MS });
}

/** A page of the documents of several ranges; a document may be in more than one. */
export async function newestOf<T extends { _id: string }>(
  model: Model<T>,
  ranges: Range<T>[],
  { cursor, limit = DEFAULT_LIMIT }: PagePlace,
): Promise<FoundPage<T>> {
  const readIds = ({ filter, hint }: Range<T>) =>
    model
      .find({ $and: [filter, before(cursor)] } as FilterQuery<T>, { _id: 1 })
      .hint(hint)
      .maxTimeMS(BROAD_READ_MS)
      .readConcern("majority")
      .sort({ _id: -1 })
      .limit(limit + 1)
      .lean<Pick<T, "_id">[]>();
  const found = (await Promise.all(ranges.map(readIds))).flat().map(({ _id }) => _id);
  const ids = [...new Set(found)]
    .toSorted()
    .toReversed()
    .slice(0, limit + 1);
  if (ids.length === 0) return { documents: [], nextCursor: null };
  const documents = await model
    .find({ _id: { $in: ids } } as FilterQuery<T>)
    .readConcern("majority")
    .sort({ _id: -1 })
    .lean<T[]>();
  return cutAt(limit, documents);
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

/** The documents that are read before the first question, for each one that is wanted. */
const READ_PER_WANTED = 2;
const READ_AT_MOST = 1_000;

/**
 * A page of the matching documents of a list, which is read in growing parts.
 * @param findMatching asks which documents match, and keeps their order
 * @throws TOO_BROAD if too many documents do not match
 */
export async function newestMatching<T extends { _id: string }>(
  readPage: ReadPage<T>,
  findMatching: (documents: T[]) => Promise<T[]>,
  { cursor, limit = DEFAULT_LIMIT }: PagePlace,
): Promise<FoundPage<T>> {
  const endsAt = performance.now() + BROAD_READ_MS;
  const found: T[] = [];
  let next = cursor;
  for (let size = READ_PER_WANTED * (limit + 1); ; size = Math.min(2 * size, READ_AT_MOST)) {
    const { documents, nextCursor } = await readPage({ cursor: next, limit: size });
    found.push(...(await findMatching(documents)));
    if (found.length > limit || nextCursor === null) return cutAt(limit, found);
    if (performance.now() > endsAt) fail("TOO_BROAD");
    next = nextCursor;
  }
}
