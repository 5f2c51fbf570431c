// Gather: while one batch is in flight the next one fills. No timer, so a caller that is alone waits
// for nobody; many share one round trip. Each item has its own result or error.

import { types } from "node:util";

/** A result for each item of the batch, in order; an Error stands for the failure of its item. */
export type RunBatch<Item, Result> = (items: Item[]) => Promise<(Result | Error)[]>;

export interface GatherBounds<Item> {
  /** Most items of one batch. */
  maxItems: number;
  /** Most bytes of one batch by `bytesOf`; an item alone may be larger. */
  maxBytes?: number;
  bytesOf?: (item: Item) => number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns an operation on many items into one on a single item that shares round trips with its peers.
 * A batch that fails as a whole rejects each of its items: for a write, its outcome is unknown.
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
      const batch = waiting.splice(0, fitting(waiting, bounds));
      try {
        const results = await run(batch.map(({ item }) => item));
        settle(batch, results);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Begun in a microtask, so that what is asked for in one go travels together.
      if (!running) {
        running = true;
        queueMicrotask(() => void drain());
      }
    });
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

/** How many from the front fit into one batch; at least one. */
function fitting<Item>(
  waiting: { item: Item }[],
  { maxItems, maxBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 }: GatherBounds<Item>,
): number {
  let bytes = 0;
  let count = 0;
  for (const { item } of waiting) {
    bytes += bytesOf(item);
    if (count === maxItems || (count > 0 && bytes > maxBytes)) break;
    count += 1;
  }
  return count;
}
