// Pages: by number with totals for short lists, by cursor for lists that grow without end.

import type { FilterQuery, Model, ProjectionType, QueryOptions } from "mongoose";
import { DEFAULT_LIMIT } from "./contracts/contract.ts";
import { failField } from "./errors.ts";
import { isUuid } from "./ids.ts";

export interface PageMeta {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

const FOREIGN_CURSOR = "must be a nextCursor of this list";

/** The start of a page by number, and its meta by the total (docs/rest-api.md, Lists). */
export function pageAt({ page = 1, limit = DEFAULT_LIMIT }: { page?: number; limit?: number }) {
  return {
    skip: (page - 1) * limit,
    limit,
    meta: (total: number): PageMeta => ({
      page,
      pageSize: limit,
      pageCount: Math.ceil(total / limit),
      total,
    }),
  };
}

/**
 * A page of documents with UUIDs v7 as `_id`, oldest first, so that new documents do not move
 * pages.
 * @param filter served by an index that ends in `_id`
 * @param projection the fields to read; all of them by default
 */
export async function oldestFirst<T extends { _id: string }>(
  model: Model<T>,
  filter: FilterQuery<T>,
  paging: { page?: number; limit?: number },
  projection: ProjectionType<T> | null = null,
): Promise<{ documents: T[]; meta: PageMeta }> {
  const { skip, limit, meta } = pageAt(paging);
  const [documents, total] = await Promise.all([
    model
      .find(filter, projection)
      .readConcern("majority")
      .sort({ _id: 1 })
      .skip(skip)
      .limit(limit)
      .lean(),
    model.countDocuments(filter).readConcern("majority"),
  ]);
  return { documents: documents as T[], meta: meta(total) };
}

/**
 * A page of documents with UUIDs v7 as `_id`, newest first; the cursor is the last id of the page.
 * @param filter served by an index that ends in `_id`
 * @param options the index, if several could serve; the fields to read
 */
export async function newestFirst<T extends { _id: string }>(
  model: Model<T>,
  filter: FilterQuery<T>,
  { cursor, limit = DEFAULT_LIMIT }: { cursor?: string; limit?: number },
  options: QueryOptions<T> = {},
): Promise<{ documents: T[]; nextCursor: string | null }> {
  if (cursor !== undefined && !isUuid(cursor)) {
    failField("cursor", FOREIGN_CURSOR);
  }
  const before = cursor === undefined ? {} : { _id: { $lt: cursor } };
  const documents = (await model
    .find({ $and: [filter, before] } as FilterQuery<T>, null, options)
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean()) as T[];
  const more = documents.length > limit;
  if (more) documents.pop();
  return { documents, nextCursor: more ? (documents.at(-1)?._id ?? null) : null };
}

/** A list by cursor, which a longer list contains under its name. */
export interface NamedList<I> {
  name: string;
  read(page: {
    cursor?: string;
    limit: number;
  }): Promise<{ items: I[]; nextCursor: string | null }>;
}

/** Limits the reads of one page, because a list may drop items after it has read them. */
const READS_AT_MOST = 10;

/**
 * A page of several lists, one after the other; it may be short. The cursor contains the name of
 * the list that the next page begins at, and that list's cursor.
 */
export async function oneAfterAnother<I>(
  lists: NamedList<I>[],
  { cursor, limit = DEFAULT_LIMIT }: { cursor?: string; limit?: number },
): Promise<{ items: I[]; meta: { nextCursor: string | null } }> {
  let [list, inside] = cursor === undefined ? [lists[0]] : readCursor(cursor, lists);
  const items: I[] = [];
  for (let i = 0; list && items.length < limit && i < READS_AT_MOST; i++) {
    const page = { limit: limit - items.length, ...(inside && { cursor: inside }) };
    const { items: found, nextCursor } = await list.read(page);
    items.push(...found);
    inside = nextCursor ?? undefined;
    if (inside === undefined) list = lists[lists.indexOf(list) + 1];
  }
  return { items, meta: { nextCursor: list ? `${list.name}:${inside ?? ""}` : null } };
}

/** @throws VALIDATION if the cursor does not belong to these lists */
function readCursor<I>(cursor: string, lists: NamedList<I>[]): [NamedList<I>, string] {
  const end = cursor.indexOf(":");
  const list = lists.find(({ name }) => name === cursor.slice(0, end));
  return list ? [list, cursor.slice(end + 1)] : failField("cursor", FOREIGN_CURSOR);
}

/** Less than the bytes of one message (large-answers.ts), because services add fields to a list. */
const MAX_LIST_BYTES = 700_000;

/** Whether a list is too long for one message, so that its items are shown without details. */
export function isTooLong(items: unknown[]): boolean {
  return Buffer.byteLength(JSON.stringify(items)) > MAX_LIST_BYTES;
}
