// The due documents of the driver and of the outbox, and the sweeps that read them.

import type { mongo } from "mongoose";
import type { Log } from "../observability/throttled-warning.ts";
import { MAJORITY } from "../storage/database.ts";
import { LEASE_MS } from "./change.ts";
import type { Resumable } from "./document.ts";
import { type Sweep, type SweepParts, startSweep } from "./sweeps.ts";

type DueField = "nextAttemptAt" | "relayAt";

/** The interval of the turns: a lease lasts two. */
export const LOOK_EVERY_MS = LEASE_MS / 2;

/** The earliest moment in the field of all documents; undefined if none has it. */
export async function earliestDue<T extends Resumable>(
  documents: mongo.Collection<T>,
  field: DueField,
): Promise<number | undefined> {
  // The index alone answers it.
  const projection = { _id: 0, [field]: 1 };
  const options = { ...MAJORITY, projection, sort: { [field]: 1 } as const };
  const isSet = { [field]: { $gte: 0 } } as unknown as mongo.Filter<T>;
  const first = await documents.findOne<Pick<Resumable, DueField>>(isSet, options);
  return first?.[field];
}

/** The documents that are due by the field, the earliest first. */
export async function findDue<T extends Resumable>(
  documents: mongo.Collection<T>,
  field: DueField,
  now: number,
  limit: number,
): Promise<T[]> {
  const isDue = { [field]: { $lte: now } } as unknown as mongo.Filter<T>;
  const found = documents.find(isDue, MAJORITY).sort({ [field]: 1 });
  return (await found.limit(limit).toArray()) as T[];
}

/** Starts the sweep of a driver or an outbox. */
export function startDueSweep(
  parts: Pick<SweepParts, "clock" | "turns"> & { log: Log },
  round: SweepParts["round"],
): Sweep {
  const onError = (error: unknown) => parts.log.warn("A sweep failed and is tried again", error);
  return startSweep({ ...parts, round, onError });
}
