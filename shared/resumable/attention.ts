// The documents of all businesses that an operator looks at: flagged ones, which wait for the
// operator's decision, ones with an unknown outcome, and ones with an overdue step.

import type { FilterQuery, Model } from "mongoose";
import type { AttentionState } from "../contracts/attention.ts";
import { isoOrNull } from "../iso-time.ts";
import { BROAD_READ_MS, orTooBroad } from "../storage/database.ts";
import { newestFirst } from "../storage/paging.ts";
import { nextStepAt, type Resumable } from "./document.ts";
import { ATTENTION_INDEX, DUE_INDEX, type WAITING_INDEX } from "./schema.ts";

/** As in the alert PayrailDocumentsOverdue. */
const OVERDUE_AFTER_MS = 300_000;

interface Asked {
  state?: AttentionState;
  /** By the clock of the documents' driver. */
  now: number;
  cursor?: string;
  limit?: number;
}

/**
 * A page of the documents in a state, newest first. Only flagged documents have an index in that
 * order; the others are few while all works, and are sorted.
 * @param waiting the index of the documents with an unknown outcome; null if their unknown outcomes
 *   are those of other documents, which are listed
 * @throws TOO_BROAD
 */
export async function findForAttention<T extends Resumable>(
  model: Model<T>,
  { state = "flagged", now, ...page }: Asked,
  waiting: (typeof WAITING_INDEX)[keyof typeof WAITING_INDEX] | null,
): Promise<{ documents: T[]; nextCursor: string | null }> {
  const read = (filter: object, hint: object) =>
    orTooBroad(() =>
      newestFirst(model, filter as FilterQuery<T>, page, { hint, maxTimeMS: BROAD_READ_MS }),
    );
  switch (state) {
    case "flagged":
      return read({ needsAttention: true }, ATTENTION_INDEX);
    case "unknown":
      if (waiting === null) return { documents: [], nextCursor: null };
      return read({ unknownSince: { $gte: 0 }, needsAttention: false }, waiting);
    case "overdue":
      return read({ nextAttemptAt: { $lte: now - OVERDUE_AFTER_MS } }, DUE_INDEX);
  }
}

/** The parts of an item that every document has. */
export function attentionItem(document: Resumable) {
  const { _id: id, businessId, unknownSince } = document;
  return {
    id,
    businessId,
    unknownSince: isoOrNull(unknownSince),
    nextStepAt: isoOrNull(nextStepAt(document)),
  };
}

/** Why an overdue document is in the list. */
export function overdueReason({ step, stepAt }: Resumable): string {
  return stepAt !== undefined
    ? "No process has relayed its events"
    : `No process has taken the step ${step}`;
}
