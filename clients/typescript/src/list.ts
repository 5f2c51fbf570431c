// Lists: a loop reads the items of all pages. The client fetches each page when the loop needs it.

/** A page of a list. */
export interface Page<T> {
  items: T[];
  meta: PageMeta | CursorMeta;
}

/** The position of a page in a list that pages by number. */
export interface PageMeta {
  page: number;
  pageSize: number;
  pageCount: number;
  total: number;
}

/** The cursor of the next page, in a list that pages by cursor; null on the last page. */
export interface CursorMeta {
  nextCursor: string | null;
}

/** The parameters that request a page; the first page needs none. */
export interface Place {
  page?: number;
  cursor?: string;
}

/**
 * A list that fetches its pages while a loop reads it:
 * `for await (const payment of payrail.payments.list())`. Every loop starts at the first page.
 * A loop throws PayrailError if a page cannot be fetched.
 */
export class List<T> implements AsyncIterable<T> {
  readonly #fetch: (place: Place) => Promise<Page<T>>;

  constructor(fetchPage: (place: Place) => Promise<Page<T>>) {
    this.#fetch = fetchPage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** Reads the list page by page, with each page's `meta`. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let place: Place | null = {};
    while (place !== null) {
      const page: Page<T> = await this.#fetch(place);
      yield page;
      place = following(page.meta);
    }
  }

  /**
   * Reads the list into an array.
   * @param options `limit`: the greatest number of items, at least 1; by default all
   * @throws PayrailError
   */
  async toArray({ limit = Number.POSITIVE_INFINITY } = {}): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) {
      items.push(item);
      // The next item could cost a request for another page.
      if (items.length >= limit) break;
    }
    return items;
  }
}

/** The page after this one; null after the last. */
export function following(meta: PageMeta | CursorMeta): Place | null {
  if ("nextCursor" in meta) return meta.nextCursor === null ? null : { cursor: meta.nextCursor };
  return meta.page < meta.pageCount ? { page: meta.page + 1 } : null;
}
