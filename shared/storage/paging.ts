// Pages: by number with totals, oldest first, and by cursor, newest first. Lists that grow without
// end page by cursor only.

import type { FilterQuery, Model, QueryOptions } from "mongoose";
import { DEFAULT_LIMIT } from "../contracts/contract.ts";
import { failField } from "../errors.ts";
import { readUuid } from "../ids.ts";
import { inOneReply } from "./database.ts";

export interface PageMeta {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

export interface CursorMeta {
  nextCursor: string | null;
}

export const FOREIGN_CURSOR = "must be a nextCursor of this list";

/** The start of a page by number, and its meta by the total (docs/integrate/rest-api.md, Lists). */
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

/** How a caller asks for a page of a list that pages in both ways. */
export interface Paging {
  order?: "oldest" | "newest";
  page?: number;
  cursor?: string;
  limit?: number;
}

/**
 * Whether a page is asked for by cursor, and not by number.
 * @throws VALIDATION if it is asked for in both ways
 */
export function isByCursor({ order, page, cursor }: Paging): boolean {
  if (order === "newest") {
    return page === undefined || failField("page", "must be left out with order=newest");
  }
  return cursor !== undefined && failField("cursor", "must be left out without order=newest");
}

/**
 * A page of documents with UUIDs v7 as `_id`: by number and oldest first, so that new documents do
 * not move pages, or by cursor and newest first.
 * @param filter served by an index that ends in `_id`
 * @param options the fields to read, and the longest time of a read
 * @throws VALIDATION
 */
export async function readPage<T extends { _id: string }>(
  model: Model<T>,
  filter: FilterQuery<T>,
  paging: Paging,
  { projection, maxTimeMS }: Pick<QueryOptions<T>, "projection" | "maxTimeMS"> = {},
): Promise<{ documents: T[]; meta: PageMeta | CursorMeta }> {
  if (isByCursor(paging)) {
    const { documents, nextCursor } = await newestFirst(model, filter, paging, {
      projection,
      maxTimeMS,
    });
    return { documents, meta: { nextCursor } };
  }
  const { skip, limit, meta } = pageAt(paging);
  const [documents, total] = await Promise.all([
    model
      .find(filter, projection, { maxTimeMS })
      .readConcern("majority")
      .sort({ _id: 1 })
      .skip(skip)
      .limit(limit)
      .lean(),
    model.countDocuments(filter, { maxTimeMS }).readConcern("majority"),
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
  const documents = (await model
    .find({ $and: [filter, before(cursor)] } as FilterQuery<T>, null, {
      ...inOneReply(limit + 1),
      ...options,
    })
    .readConcern("majority")
    .sort({ _id: -1 })
    .limit(limit + 1)
    .lean()) as T[];
  return cutAt(limit, documents);
}

/**
 * The condition of documents on the page after the cursor.
 * @throws VALIDATION if it is no id
 */
export function before(cursor: string | undefined): { _id?: { $lt: string } } {
  if (cursor === undefined) return {};
  return { _id: { $lt: readUuid(cursor) ?? failField("cursor", FOREIGN_CURSOR) } };
}

/** The same of a list that is oldest first. @throws VALIDATION if the cursor is no id */
export function after(cursor: string | undefined): { _id?: { $gt: string } } {
  if (cursor === undefined) return {};
  return { _id: { $gt: readUuid(cursor) ?? failField("cursor", FOREIGN_CURSOR) } };
}

/** A page of at most `limit` of these documents, which are one more if there is a next page. */
export function cutAt<T extends { _id: string }>(limit: number, documents: T[]) {
  const page = documents.slice(0, limit);
  const last = documents.length > limit ? page.at(-1) : undefined;
  return { documents: page, nextCursor: last?._id ?? null };
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
): Promise<{ items: I[]; meta: CursorMeta }> {
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

/** The views of a list, without their metadata if the list is too long. */
export function withinBound<V extends { metadata?: unknown }>(
  views: V[],
): (Omit<V, "metadata"> & Partial<Pick<V, "metadata">>)[] {
  return isTooLong(views) ? views.map(({ metadata: _metadata, ...view }) => view) : views;
}
