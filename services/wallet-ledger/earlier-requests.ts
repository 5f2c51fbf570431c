// Requests of the previous release, which have no driver. Those that a process of it left pending
// become resumable documents here; those that have ended stay as they are. The next release drops
// this file and its index.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { newResumable } from "../../shared/resumable/document.ts";
import type { Referenced } from "./referenced.model.ts";

/** The pending ones, oldest first. */
export const BY_EARLIER_RELEASE = { createdAt: 1 } as const;
export const earlierPending = { partialFilterExpression: { status: "PENDING" } };

const LEFT = { status: "PENDING", v: { $exists: false } } as mongo.Filter<mongo.Document>;

/** A process of the previous release settles its own requests within this time. */
const LEFT_AFTER_MS = 10_000;
const ADOPTED_AT_ONCE = 100;

/** Makes a request of the previous release resumable: due now. One that has ended does not change. */
export async function adopt<T extends Referenced>(
  documents: mongo.Collection<T>,
  clock: Clock,
  id: string,
): Promise<void> {
  const { _id, ...fields } = newResumable(id);
  await documents.updateOne(
    { _id, ...LEFT } as unknown as mongo.Filter<T>,
    { $set: { ...fields, step: "post", nextAttemptAt: clock.now() } } as never,
  );
}

/**
 * Adopts the requests that a process of the previous release has left.
 * @returns the moment from which a younger one is left, epoch ms; undefined if there is none
 */
export async function adoptLeft<T extends Referenced>(
  documents: mongo.Collection<T>,
  clock: Clock,
): Promise<number | undefined> {
  const pending = await documents
    .find(LEFT as mongo.Filter<T>, { projection: { createdAt: 1 } })
    .sort(BY_EARLIER_RELEASE)
    .limit(ADOPTED_AT_ONCE)
    .toArray();
  const now = clock.now();
  for (const { _id, createdAt } of pending as unknown as T[]) {
    const leftAt = createdAt.getTime() + LEFT_AFTER_MS;
    if (leftAt >= now) return leftAt;
    await adopt(documents, clock, _id);
  }
  return pending.length === ADOPTED_AT_ONCE ? now : undefined;
}
