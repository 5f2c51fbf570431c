// Batches of the sandbox's questions: those of one turn of the event loop share a round trip to the
// books.

import DataLoader from "dataloader";

/** The most questions of a batch, which all fit into one command. */
const BATCH_AT_MOST = 500;

/**
 * Turns a question about many items into one about a single item.
 * @param ask gives a result for each item, in order; an Error fails the item. If it throws, every
 *   item of the batch fails, and the outcome of a write is unknown.
 */
export function inBatches<Item, Result>(
  ask: (items: readonly Item[]) => Promise<(Result | Error)[]>,
): (item: Item) => Promise<Result> {
  const loader = new DataLoader<Item, Result>(ask, {
    // The books change, so no answer is kept, and the same item may be in a batch twice.
    cache: false,
    maxBatchSize: BATCH_AT_MOST,
    // By then all requests that have arrived in this turn are read.
    batchScheduleFn: (dispatch) => setImmediate(dispatch),
  });
  return (item) => loader.load(item);
}
