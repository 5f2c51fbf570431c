// Bodies: how much of its event a claimed delivery carries. Thousands are held while they wait for
// their turn, so only what is small is carried; a larger body is read when its attempt begins, of
// which there are far fewer at once.

import type { mongo } from "mongoose";
import { gather } from "../../shared/gather.ts";
import type { Event } from "./event.model.ts";

/** What payouts tell has about 600 bytes, what payment links do up to 155 KB. */
const MAX_CARRIED_BYTES = 4_096;
/** A few megabytes at most. */
const MAX_BATCH = 32;

/** The body as a claimed delivery carries it; null where it is large. */
export function carried(body: string): string | null {
  return Buffer.byteLength(body) <= MAX_CARRIED_BYTES ? body : null;
}

/** The same of stored events, by their ids; without those that are gone. What is large is not loaded. */
export async function carriedOf(
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

/** Reads whole bodies by their events' ids; null where the event is gone. */
export function createBodyReader(
  events: mongo.Collection<Event>,
): (eventId: string) => Promise<string | null> {
  return gather(
    async (ids: string[]) => {
      const found = await events
        .find<Pick<Event, "_id" | "body">>(
          { _id: { $in: [...new Set(ids)] } },
          { projection: { body: 1 } },
        )
        .toArray();
      const byId = new Map(found.map(({ _id, body }) => [_id, body]));
      return ids.map((id) => byId.get(id) ?? null);
    },
    { maxItems: MAX_BATCH },
  );
}
