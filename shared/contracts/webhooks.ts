// Contracts of webhooks: endpoints, the events that are handed over, and their deliveries.

import {
  anything,
  boolean,
  id,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  text,
  timestamp,
  uuid,
} from "../fields.ts";
import { action, cursored, cursorPage, page, paging } from "./contract.ts";

export const EVENT_TYPES = [
  "WITHDRAWAL",
  "COLLECTION",
  "REFUND",
  "SUBSCRIPTION",
  "INVOICE",
  "ENDPOINT",
  "TEST",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const DELIVERY_STATUSES = ["PENDING", "DELIVERED", "DEAD_LETTER"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Why a delivery is not tried any more: its attempts are used up, it kept back a later one for too
 * long, its destination may not be reached, its endpoint was disabled or deleted.
 */
export const DEAD_LETTER_REASONS = [
  "exhausted",
  "superseded",
  "refused",
  "disabled",
  "deleted",
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/** Most deliveries of one transaction that are shown. */
export const MAX_DELIVERIES_SHOWN = 1_000;

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
  secret: text({ note: "whsec_…, shown this once" }),
});

/** What is handed over for delivery; the id is the webhook-id on every endpoint and attempt. */
const event = object({
  id: uuid(),
  businessId: uuid(),
  transactionId: uuid(),
  seq: integer({ min: 1, note: "Order within the transaction" }),
  at: integer({ note: "Epoch ms of the change" }),
  body: object({ eventType: oneOf(EVENT_TYPES), status: text(), payload: anything<unknown>() }),
});

const delivery = object({
  id: uuid(),
  eventId: uuid(),
  eventType: oneOf(EVENT_TYPES),
  transactionId: nullable(uuid()),
  status: oneOf(DELIVERY_STATUSES),
  deadLetterReason: nullable(oneOf(DEAD_LETTER_REASONS)),
  createdAt: timestamp(),
  nextAttemptAt: nullable(timestamp()),
  attempts: list(
    object({
      at: timestamp(),
      statusCode: nullable(integer()),
      durationMs: integer(),
      error: nullable(text({ max: 1024 })),
    }),
    { max: 100 },
  ),
});

export const webhooks = {
  "webhooks.ready": action({
    does: "Answers while the service and its database work",
    params: {},
    result: object({}),
  }),

  "webhooks.createEndpoint": action({
    does: "Registers an endpoint of a business; its secret is shown this once",
    params: {
      businessId: id(),
      url,
      description: optional(text()),
      eventTypes: optional(eventTypes),
    },
    result: endpointWithSecret,
  }),

  "webhooks.endpoints": action({
    does: "Lists the endpoints of a business",
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
    does: "Deletes an endpoint; what is pending for it is not delivered any more",
    params: { businessId: id(), id: id() },
    result: object({ id: uuid() }),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.rotateSecret": action({
    does: "Gives an endpoint a new secret; the old one signs beside it for 24 hours",
    params: { businessId: id(), id: id() },
    result: endpointWithSecret,
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.testEndpoint": action({
    does: "Sends a test event to an endpoint",
    params: { businessId: id(), id: id() },
    result: object({ id: uuid({ note: "The event's id" }) }),
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED"],
  }),

  "webhooks.deliveries": action({
    does: "Lists the deliveries of an endpoint, newest first",
    params: { businessId: id(), id: id(), ...cursored },
    result: cursorPage(delivery),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.deliveriesOf": action({
    does: "The deliveries of one transaction to all endpoints, oldest first",
    params: { businessId: uuid(), transactionId: uuid() },
    result: list(delivery, { max: MAX_DELIVERIES_SHOWN }),
  }),

  "webhooks.publish": action({
    does: "Stores events and their deliveries; asked again with the same ids it changes nothing. Acknowledged means stored for good",
    params: { events: list(event, { max: 1_000 }) },
    result: object({}),
  }),
};
