// The list of a business's events for merchants, also of events that no endpoint gets.

import { DEFAULT_LIMIT } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { readUuid } from "../../../shared/ids.ts";
import { FOREIGN_CURSOR, isTooLong } from "../../../shared/storage/paging.ts";
import type { Deps } from "../deps.ts";
import { type Event, OF_BUSINESS } from "../queue/event.model.ts";

type EventView = Result<"webhooks.event">;

/**
 * Lists events, oldest first. A page has fewer than `limit` events if their bodies are long.
 * @throws VALIDATION if the cursor is not one of this list
 */
export async function listEvents(
  { events }: Deps,
  { businessId, since, eventType, cursor, limit = DEFAULT_LIMIT }: Params<"webhooks.events">,
): Promise<Result<"webhooks.events">> {
  const from = cursor === undefined ? null : readCursor(cursor);
  const at = { $gte: since === undefined ? new Date(0) : new Date(since) };
  const found = await events
    .find(
      {
        businessId,
        eventType: { $in: eventType ? [eventType] : [...EVENT_TYPES] },
        at,
        ...(from && {
          $and: [
            { at: { $gte: from.at } },
            { $or: [{ at: { $gt: from.at } }, { _id: { $gt: from.id } }] },
          ],
        }),
      },
      { hint: OF_BUSINESS, readConcern: "majority" },
    )
    .sort({ at: 1, _id: 1 })
    .limit(limit + 1)
    .toArray();
  const views = found.map(eventView);
  const items = fitIntoMessage(views.slice(0, limit));
  const last = found[items.length - 1];
  const isLast = items.length === views.length || !last;
  return { items, meta: { nextCursor: isLast ? null : cursorAfter(last) } };
}

/** The next page begins after the last event, by its time and then by its id. */
function cursorAfter({ at, _id }: Event): string {
  return `${at.getTime()}.${_id}`;
}

/** @throws VALIDATION */
function readCursor(cursor: string): { at: Date; id: string } {
  const [, ms = "", id] = /^(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  const readId = readUuid(id) ?? failField("cursor", FOREIGN_CURSOR);
  return { at: new Date(Number(ms)), id: readId };
}

/** The longest beginning, by halving, that one message can carry; at least one event. */
function fitIntoMessage(views: EventView[]): EventView[] {
  let count = views.length;
  while (count > 1 && isTooLong(views.slice(0, count))) count = Math.ceil(count / 2);
  return views.slice(0, count);
}

/** Reads one event. @throws EVENT_NOT_FOUND */
export async function findEvent(
  { events }: Deps,
  { businessId, eventId }: Params<"webhooks.event">,
): Promise<EventView> {
  return eventView((await events.findOne({ _id: eventId, businessId })) ?? fail("EVENT_NOT_FOUND"));
}

function eventView({ _id, eventType, transactionId, at, body, endpointIds }: Event): EventView {
  return {
    id: _id,
    eventType,
    // An event without a transaction is ordered under its own id.
    transactionId: transactionId === _id ? null : transactionId,
    createdAt: at.toISOString(),
    body,
    endpointIds,
  };
}
