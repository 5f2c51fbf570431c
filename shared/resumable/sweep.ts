// Sweeps of the driver and the outbox: a read of the documents that are due, repeated at an
// interval.

import type { mongo } from "mongoose";
import { MAJORITY } from "../database.ts";
import { type Repetition, repeat } from "../repeat.ts";
import type { Log } from "../throttled-warning.ts";
import type { Resumable } from "./document.ts";

/** The documents that are due by the field, the earliest first. */
export async function findDue<T extends Resumable>(
  documents: mongo.Collection<T>,
  field: "nextAttemptAt" | "relayAt",
  now: number,
  limit: number,
): Promise<T[]> {
  const isDue = { [field]: { $lte: now } } as unknown as mongo.Filter<T>;
  const found = documents.find(isDue, MAJORITY).sort({ [field]: 1 });
  return (await found.limit(limit).toArray()) as T[];
}

/** Repeats a sweep. A failure is logged, and the next round tries again. */
export function repeatSweep(everyMs: number, sweep: () => Promise<void>, log: Log): Repetition {
  return repeat(everyMs, sweep, (error) => log.warn("A sweep failed and is tried again", error));
}
