// Contracts of webhooks: a business's events as they are stored, for receivers that no endpoint
// reaches.

import { list, object } from "./compound-fields.ts";
import { action, businessId, cursored, cursorPage } from "./contract.ts";
import { EVENT_TYPES } from "./events.ts";
import { nullable, optional } from "./field.ts";
import { id, oneOf, text, timestamp, uuid } from "./fields.ts";

/** More than the longest body of an event, in bytes; so at most as many characters. */
const MAX_BODY_BYTES = 262_144;

const event = object(
  {
    id: uuid({ note: "The `webhook-id` of its deliveries" }),
    eventType: oneOf(EVENT_TYPES, { note: "The type of the event" }),
    transactionId: nullable(uuid({ note: "The transaction that the event is about" })),
    createdAt: timestamp({ note: "The time of the change" }),
    body: text({
      max: MAX_BODY_BYTES,
      note: "The text that endpoints receive and that signatures cover, byte for byte",
      example: '{"eventType":"TEST","status":"TEST","payload":{}}',
    }),
    endpointIds: list(uuid(), { max: 1_000, note: "The endpoints that get it" }),
  },
  { name: "Event", note: "As it is stored, with or without endpoints that get it" },
);

export const eventList = {
  "webhooks.events": action({
    does: "Lists the events of a business, oldest first, with or without endpoints that get them. An event can be stored minutes after its time, so a reader that waits for new events asks again for those of the last minutes and knows them by their ids",
    params: {
      businessId,
      since: optional(timestamp({ note: "Only events of that time or later" })),
      eventType: optional(oneOf(EVENT_TYPES, { note: "Only events of this type" })),
      ...cursored,
    },
    result: cursorPage(event),
  }),

  "webhooks.event": action({
    does: "Shows an event",
    params: { businessId, eventId: id({ note: "The id of the event" }) },
    result: event,
    errors: ["EVENT_NOT_FOUND"],
  }),
};
