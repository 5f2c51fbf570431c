// The backlog of one kind of document, for the metrics: overdue and flagged documents. Each read
// goes by an index and ends at a bound.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { type Gauge, gauge } from "../observability/metrics.ts";
import type { Resumable } from "./document.ts";
import { earliestDue } from "./due.ts";
import { ATTENTION_INDEX, DUE_INDEX } from "./schema.ts";

const COUNTED_AT_MOST = 10_000;

/** @param kind a label, such as "payout" */
export async function readBacklog<T extends Resumable>(
  documents: mongo.Collection<T>,
  kind: string,
  clock: Clock,
): Promise<Gauge[]> {
  const now = clock.now();
  const bound = { limit: COUNTED_AT_MOST };
  const isDue = { nextAttemptAt: { $lte: now } } as unknown as mongo.Filter<T>;
  const isFlagged = { needsAttention: true } as unknown as mongo.Filter<T>;
  const [overdue, flagged, dueAt] = await Promise.all([
    documents.countDocuments(isDue, { ...bound, hint: DUE_INDEX }),
    documents.countDocuments(isFlagged, { ...bound, hint: ATTENTION_INDEX }),
    earliestDue(documents, "nextAttemptAt"),
  ]);
  const ageMs = Math.max(0, now - (dueAt ?? now));
  return [
    gauge("payrail_documents_overdue", overdue, { kind }),
    gauge("payrail_documents_oldest_overdue_seconds", ageMs / 1_000, { kind }),
    gauge("payrail_documents_flagged", flagged, { kind }),
  ];
}
