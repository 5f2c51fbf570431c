// Lists: every item of all pages, fetched page by page as a loop asks for them.

/** A page as payrail answers it. */
export interface Page<T> {
  items: T[];
  meta: PageMeta | CursorMeta;
}

/** Of a list that pages by number. */
export interface PageMeta {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

/** Of a list that pages by cursor; null on the last page. */
export interface CursorMeta {
  nextCursor: string | null;
}

/** The place of a page in its list. */
export interface Place {
  page?: number;
  cursor?: string;
}

/**
 * A list that is fetched when it is read: `for await (const payment of payrail.payments.list())`.
 * Every loop begins at the beginning.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #fetch: (place: Place) => Promise<Page<T>>;

  constructor(fetchPage: (place: Place) => Promise<Page<T>>) {
    this.#fetch = fetchPage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** The same page by page, with each page's `meta`. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let place: Place | null = {};
    while (place !== null) {
      const page: Page<T> = await this.#fetch(place);
      yield page;
      place = following(page.meta);
    }
  }

  /** The items at once; at most `limit` of them, from 1. */
  async toArray({ limit = Number.POSITIVE_INFINITY } = {}): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) {
      items.push(item);
      // Before the loop asks for an item that would need the next page.
      if (items.length >= limit) break;
    }
    return items;
  }
}

function following(meta: PageMeta | CursorMeta): Place | null {
  if ("nextCursor" in meta) return meta.nextCursor === null ? null : { cursor: meta.nextCursor };
  return meta.page < meta.pageCount ? { page: meta.page + 1 } : null;
}
