// Transitions change resumable documents. Each is one update of one document, a compare-and-set on
// its version (grouped-cas.ts).

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import type { Metrics } from "../observability/metrics.ts";
import { applyChange } from "./change.ts";
import type { Change, Resumable } from "./document.ts";
import { gather } from "./gather.ts";
import { compareAndSetAll } from "./grouped-cas.ts";
import type { Outlet } from "./relay.ts";

/**
 * Changes a document.
 * @returns the changed document; null if another writer changed it first, or if the result of the
 *   write is unknown: the caller reads the document again
 */
export type Transition<T extends Resumable> = (document: T, change: Change<T>) => Promise<T | null>;

export interface Transitions<T extends Resumable> {
  /** Shares its round trip with the transitions of other documents. */
  transition: Transition<T>;
  /**
   * Has a round trip of its own, for a caller that waits for the answer whether its change was
   * made. In a batch with losers a winner may not find out that it won, if another node has changed
   * its document since.
   */
  transitionAlone: Transition<T>;
}

export interface TransitionParts<T extends Resumable> {
  documents: mongo.Collection<T>;
  clock: Clock;
  newId(): string;
  /** The label of the documents in the metrics, which count the statuses that they enter. */
  kind: string;
  metrics: Metrics;
  /** Left out for documents without events. */
  outlet?: Pick<Outlet<T>, "counts">;
}

const BATCH = { maxItems: 500 };

export function gatherTransitions<T extends Resumable>({
  documents,
  clock,
  newId,
  kind,
  metrics,
  outlet,
}: TransitionParts<T>): Transitions<T> {
  async function writeAll(items: { document: T; change: Change<T> }[]): Promise<(T | null)[]> {
    const now = clock.now();
    const applied = items.map(({ document, change }) => {
      const { _id, v } = document;
      return { _id, v, enter: change.enter, ...applyChange(document, change, now, outlet?.counts) };
    });
    const stamps = await compareAndSetAll(documents, applied, newId);
    return applied.map(({ enter = [], after }, i) => {
      const stamp = stamps[i];
      if (!stamp) return null;
      for (const status of enter) metrics.count("payrail_document_changes_total", { kind, status });
      return { ...after, ...stamp };
    });
  }
  const gathered = gather(writeAll, BATCH);
  return {
    transition: (document, change) => gathered({ document, change }),
    transitionAlone: async (document, change) => {
      const [changed] = await writeAll([{ document, change }]);
      return changed as T | null;
    },
  };
}
