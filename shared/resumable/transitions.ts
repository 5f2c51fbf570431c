// Transitions change resumable documents. Each is one update of one document, a compare-and-set on
// its version (grouped-cas.ts). Transitions are gathered; a change with a waiting caller is written
// alone.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { applyChange } from "./change.ts";
import type { Change, Resumable } from "./document.ts";
import { gather } from "./gather.ts";
import { compareAndSetAll } from "./grouped-cas.ts";

/**
 * Changes a document.
 * @returns the changed document; null if another writer changed it first, or if the result of the
 *   write is unknown: the caller reads the document again
 */
export type Transition<T extends Resumable> = (document: T, change: Change<T>) => Promise<T | null>;

const BATCH = { maxItems: 500 };

export function gatherTransitions<T extends Resumable>(
  documents: mongo.Collection<T>,
  clock: Clock,
  newId: () => string,
): Transition<T> {
  async function writeAll(items: { document: T; change: Change<T> }[]): Promise<(T | null)[]> {
    const now = clock.now();
    const applied = items.map(({ document, change }) => {
      const { _id, v } = document;
      return { _id, v, ...applyChange(document, change, now) };
    });
    const stamps = await compareAndSetAll(documents, applied, newId);
    return applied.map(({ after }, i) => {
      const stamp = stamps[i];
      return stamp ? { ...after, ...stamp } : null;
    });
  }
  const gathered = gather(writeAll, BATCH);
  return async (document, change) => {
    const item = { document, change };
    return change.isAlone ? ((await writeAll([item]))[0] as T | null) : gathered(item);
  };
}
