// Contracts of webhooks: endpoints, published events, and their deliveries (deliveries.ts).

import { list, object } from "../compound-fields.ts";
import { nullable, optional } from "../field.ts";
import {
  anything,
  boolean,
  id,
  integer,
  normalised,
  oneOf,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { action, cursored, cursorPage, page, paging, ready } from "./contract.ts";
import {
  DELIVERY_STATUSES,
  delivery,
  ENDED_STATUSES,
  listedDelivery,
  MAX_DELIVERIES_SHOWN,
} from "./deliveries.ts";
import { EVENT_TYPES } from "./events.ts";

const SECRET = { prefix: "whsec_", minBytes: 24, maxBytes: 64 };

/** The secret in its canonical form (Standard Webhooks 1.0); null for any other text. */
function parseSecret(given: string): string | null {
  if (!given.startsWith(SECRET.prefix)) return null;
  const base64 = given.slice(SECRET.prefix.length);
  const key = Buffer.from(base64, "base64");
  const fits = key.length >= SECRET.minBytes && key.length <= SECRET.maxBytes;
  return fits && key.toString("base64") === base64 ? given : null;
}

/** A signing secret that a merchant brings. */
export const webhookSecret = normalised(
  parseSecret,
  `${SECRET.prefix} and the base64 of ${SECRET.minBytes} to ${SECRET.maxBytes} bytes`,
);

const url = text({ max: 2048, example: "https://example.com/webhooks" });
const eventTypes = list(oneOf(EVENT_TYPES), { max: EVENT_TYPES.length });

const endpointFields = {
  id: uuid(),
  url,
  description: nullable(text()),
  eventTypes,
  disabled: boolean(),
  disabledReason: nullable(text()),
  createdAt: timestamp(),
};
const endpoint = object(endpointFields);
const endpointWithSecret = object({
  ...endpointFields,
  secret: text({ note: "whsec_…, shown only once" }),
});

const origin = object({
  requestId: text({ max: 64 }),
  traceId: text({ max: 32 }),
  spanId: optional(text({ max: 16 })),
});

/** An event for delivery; the id is the webhook-id on every endpoint and attempt. */
export const event = object({
  id: uuid(),
  businessId: uuid(),
  transactionId: uuid(),
  paymentLinkId: optional(uuid({ note: "The payment link that caused it" })),
  seq: integer({ min: 1, note: "Order within the transaction" }),
  at: integer({ note: "Epoch ms of the change" }),
  origin: optional(origin),
  body: object({ eventType: oneOf(EVENT_TYPES), status: text(), payload: anything<unknown>() }),
});

export const webhooks = {
  "webhooks.ready": ready,

  "webhooks.createEndpoint": action({
    does: "Registers an endpoint of a business; its secret is shown only once",
    params: {
      businessId: id(),
      url,
      description: optional(text()),
      eventTypes: optional(eventTypes),
    },
    result: endpointWithSecret,
    meta: ["making"],
  }),

  "webhooks.createLinkEndpoint": action({
    does: "Registers an endpoint for the events of one payment link only; the business's own endpoints get these events too. To be called before the link is stored: a wrong URL or secret is refused, and a link that is never stored leaves an endpoint that gets no events. A repeated call with the same values returns the same endpoint",
    params: {
      businessId: uuid(),
      paymentLinkId: uuid(),
      url,
      secret: optional(webhookSecret),
    },
    result: endpointWithSecret,
    errors: ["CONFLICT", "UNREADABLE"],
    callers: ["payment-links"],
  }),

  "webhooks.endpoints": action({
    does: "Lists the endpoints of a business, including those of its payment links",
    params: { businessId: id(), ...paging },
    result: page(endpoint),
  }),

  "webhooks.endpoint": action({
    does: "Shows an endpoint",
    params: { businessId: id(), id: id() },
    result: endpoint,
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.updateEndpoint": action({
    does: "Changes an endpoint",
    params: {
      businessId: id(),
      id: id(),
      url: optional(url),
      description: optional(text()),
      eventTypes: optional(eventTypes),
      disabled: optional(boolean()),
    },
    result: endpoint,
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.deleteEndpoint": action({
    does: "Deletes an endpoint; its pending deliveries are dropped",
    params: { businessId: id(), id: id() },
    result: object({ id: uuid() }),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.rotateSecret": action({
    does: "Gives an endpoint a new secret; for 24 hours the old one signs too",
    params: { businessId: id(), id: id() },
    result: endpointWithSecret,
    meta: ["making"],
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.testEndpoint": action({
    does: "Sends a test event to an endpoint, at most ten in a minute",
    params: { businessId: id(), id: id() },
    result: object({ id: uuid({ note: "The event's id" }) }),
    meta: ["making"],
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED", "RATE_LIMITED"],
  }),

  "webhooks.deliveries": action({
    does: "Lists the deliveries of an endpoint, newest first",
    params: {
      businessId: id(),
      id: id(),
      status: optional(oneOf(DELIVERY_STATUSES)),
      eventType: optional(oneOf(EVENT_TYPES)),
      transactionId: optional(uuid()),
      since: optional(timestamp({ note: "Created then or later" })),
      ...cursored,
    },
    result: cursorPage(listedDelivery),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.delivery": action({
    does: "Shows a delivery with every stored attempt",
    params: { businessId: id(), id: id(), deliveryId: id() },
    result: delivery,
    errors: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND"],
  }),

  "webhooks.replayDelivery": action({
    does: "Sends a delivery again, in any status; a pending one is tried now",
    params: { businessId: id(), id: id(), deliveryId: id() },
    result: delivery,
    meta: ["making"],
    errors: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED"],
  }),

  "webhooks.replay": action({
    does: "Sends the ended deliveries of an endpoint again that were created since a time",
    params: {
      businessId: id(),
      id: id(),
      since: timestamp({ note: "Inclusive, in the past" }),
      status: optional(oneOf(ENDED_STATUSES, { note: "Only those; both by default" })),
    },
    result: object({
      id: uuid({ note: "The endpoint's id" }),
      count: integer({ min: 0, note: "The number of deliveries that will be sent again" }),
    }),
    meta: ["making"],
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED", "WEBHOOK_REPLAY_RUNNING"],
    // It counts the documents, and there may be millions.
    timeoutMs: 15_000,
  }),

  "webhooks.deliveriesOf": action({
    does: "The deliveries of transactions to all endpoints, each transaction's oldest first",
    params: { businessId: uuid(), transactionIds: list(uuid(), { min: 1, max: 500 }) },
    result: list(listedDelivery, { max: MAX_DELIVERIES_SHOWN }),
    callers: ["payouts", "payment-links"],
  }),

  "webhooks.publish": action({
    does: "Stores events and their deliveries; a repeated call with the same ids changes nothing. Acknowledged means stored for good",
    params: { events: list(event, { max: 1_000 }) },
    result: object({}),
    callers: ["payouts", "payment-links"],
  }),
};
