// Gathers single items into batches: while one batch is in flight, the next one fills. There is no
// timer, so a single caller never waits for others, and many callers share one round trip. Each
// item has its own result or error. A batch works for the requests of all its items (origin.ts).
//
// A batch leaves at the end of the event loop's turn. So the requests that arrive together share
// it, and so do the callers of the batch before, because many return immediately with another item:
// otherwise two half batches would take turns.

import { types } from "node:util";
import { endOfTurn } from "../observability/event-loop.ts";
import { type Origin, origins, uniteOrigins, workFor } from "../rpc/origin.ts";

/** A result for each item of the batch, in order; an Error means that this item failed. */
export type RunBatch<Item, Result> = (items: Item[]) => Promise<(Result | Error)[]>;

export interface GatherBounds<Item> {
  maxItems: number;
  /** Most bytes of one batch by `estimateBytes`; an item alone may be larger. */
  maxBytes?: number;
  estimateBytes?: (item: Item) => number;
}

interface Waiting<Item, Result> {
  item: Item;
  origins: readonly Origin[];
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns an operation on many items into one on a single item that shares its round trip with
 * others. If a batch fails as a whole, each of its items is rejected; the outcome of a write is
 * then unknown.
 */
export function gather<Item, Result>(
  run: RunBatch<Item, Result>,
  bounds: GatherBounds<Item>,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      await endOfTurn();
      const batch = waiting.splice(0, fitting(waiting, bounds));
      try {
        const all = uniteOrigins(batch.map((each) => each.origins));
        const results = await workFor(all, () => run(batch.map(({ item }) => item)));
        settle(batch, results);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, origins: origins(), resolve, reject });
      if (!running) void drain();
    });
}

/** Turns a write of many items, which has no result for each, into one of a single item. */
export function gatherWrites<Item>(
  write: (items: Item[]) => Promise<unknown>,
  bounds: GatherBounds<Item>,
): (item: Item) => Promise<void> {
  return gather(async (items) => {
    await write(items);
    return items.map(() => undefined);
  }, bounds);
}

/**
 * Turns an operation on many items with the same key into one on a single item, which shares its
 * batch with others of its key. The batches of different keys do not wait for one another.
 */
export function gatherPerKey<Item, Result>(
  keyOf: (item: Item) => string,
  run: (key: string, items: Item[]) => ReturnType<RunBatch<Item, Result>>,
  bounds: GatherBounds<Item>,
): (item: Item) => Promise<Result> {
  /** The gathers with items under way. */
  const open = new Map<string, { add: (item: Item) => Promise<Result>; items: number }>();

  return async (item) => {
    const key = keyOf(item);
    const own = open.get(key) ?? { add: gather((all) => run(key, all), bounds), items: 0 };
    open.set(key, own);
    own.items += 1;
    try {
      return await own.add(item);
    } finally {
      own.items -= 1;
      if (own.items === 0) open.delete(key);
    }
  };
}

function settle<Item, Result>(batch: Waiting<Item, Result>[], results: (Result | Error)[]): void {
  if (results.length !== batch.length) {
    throw new Error(`A batch of ${batch.length} was answered with ${results.length} results`);
  }
  batch.forEach(({ resolve, reject }, i) => {
    const result = results[i] as Result | Error;
    if (types.isNativeError(result)) reject(result);
    else resolve(result);
  });
}

/** The number of items from the front that fit into one batch; at least one. */
function fitting<Item>(
  waiting: { item: Item }[],
  { maxItems, maxBytes = Number.POSITIVE_INFINITY, estimateBytes = () => 0 }: GatherBounds<Item>,
): number {
  let bytes = 0;
  let count = 0;
  for (const { item } of waiting) {
    bytes += estimateBytes(item);
    if (count === maxItems || (count > 0 && bytes > maxBytes)) break;
    count += 1;
  }
  return count;
}
