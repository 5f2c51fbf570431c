// Bodies of claimed deliveries. Thousands of deliveries wait in memory, so only a small body is
// held with its delivery; a large one is read when the attempt begins, because far fewer attempts
// run at the same time.

import type { mongo } from "mongoose";
import type { Event } from "./event.model.ts";

/** An event of a payout has about 600 bytes, one of a payment link up to 155 KB. */
const MAX_CARRIED_BYTES = 4_096;

/** The body that is held with a claimed delivery; null for a large one. */
export function carried(body: string): string | null {
  return Buffer.byteLength(body) <= MAX_CARRIED_BYTES ? body : null;
}

/** The same for stored events, by id; removed events are left out. Large bodies are not loaded. */
export async function readCarriedBodies(
  events: mongo.Collection<Event>,
  eventIds: string[],
): Promise<Map<string, string | null>> {
  const isSmall = { $lte: [{ $strLenBytes: "$body" }, MAX_CARRIED_BYTES] };
  const found = await events
    .find<{ _id: string; body: string | null }>(
      { _id: { $in: [...new Set(eventIds)] } },
      { projection: { _id: 1, body: { $cond: [isSmall, "$body", null] } } },
    )
    .toArray();
  return new Map(found.map(({ _id, body }) => [_id, body]));
}
