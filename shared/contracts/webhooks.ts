// Contracts of webhooks: endpoints, published events, and their deliveries (deliveries.ts).

import { attentionAction, byKind } from "./attention.ts";
import { list, object } from "./compound-fields.ts";
import {
  action,
  businessId,
  created,
  cursored,
  cursorPage,
  page,
  paging,
  ready,
} from "./contract.ts";
import {
  DELIVERY_STATUSES,
  delivery,
  ENDED_STATUSES,
  listedDelivery,
  MAX_DELIVERIES_SHOWN,
  MAX_URL_LENGTH,
  transactionDelivery,
} from "./deliveries.ts";
import { EVENT_TYPES } from "./events.ts";
import { nullable, optional } from "./field.ts";
import { anything, boolean, id, integer, oneOf, text, timestamp, uuid } from "./fields.ts";
import { whereIsAction } from "./find.ts";
import { webhookSecret } from "./webhook-secret.ts";

const url = text({
  max: MAX_URL_LENGTH,
  note: "The address of the endpoint; https outside development",
  example: "https://example.com/webhooks",
});
const eventTypes = list(oneOf(EVENT_TYPES), {
  max: EVENT_TYPES.length,
  note: "The types of events that it gets; if left out, all but LEDGER, and future ones too",
  keywords: { minItems: 1 },
});

/** The greatest number of waiting deliveries that an endpoint's health shows. */
export const MAX_WAITING_COUNTED = 10_000;

const health = object(
  {
    failingSince: nullable(
      timestamp({ note: "When its failures began; null if its last attempt succeeded" }),
    ),
    lastSuccessAt: nullable(
      timestamp({
        note: "When it last took a delivery that is still stored; null if there is none",
      }),
    ),
    waiting: integer({
      min: 0,
      note: `The number of pending deliveries; ${MAX_WAITING_COUNTED} also stands for more`,
      example: 3,
    }),
  },
  { name: "WebhookHealth", note: "Whether a webhook endpoint takes its deliveries" },
);
const endpointFields = {
  id: uuid({ note: "The id of the endpoint" }),
  url,
  description: nullable(
    text({ note: "Your name for the endpoint", example: "Payouts to our books" }),
  ),
  eventTypes,
  disabled: boolean({ note: "Whether it gets no events" }),
  disabledReason: nullable(
    text({ note: "Why payrail has disabled it", example: "It answered 410" }),
  ),
  createdAt: created,
  // A node of the previous release leaves it out.
  health: optional(health),
};
const endpoint = object(endpointFields, { name: "Webhook", note: "A webhook endpoint" });
const endpointWithSecret = object(
  {
    ...endpointFields,
    secret: text({
      note: "The secret that signs the deliveries, shown only once",
      example: "whsec_NWEyYjljMDEzZjFkNWEyYjljMDEzZjFkNWEyYjljMDE=",
    }),
  },
  { name: "WebhookWithSecret", note: "A webhook endpoint with its secret" },
);

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

const webhookId = id({ note: "The id of the webhook endpoint" });
const deliveryId = id({ note: "The id of the delivery" });
const description = optional(
  text({ note: "Your name for the endpoint", example: "Payouts to our books" }),
);

export const webhooks = {
  "webhooks.ready": ready,

  "webhooks.createEndpoint": action({
    does: "Registers a webhook endpoint. Its secret is shown only in this answer",
    params: {
      businessId,
      url,
      description,
      eventTypes: optional(eventTypes),
    },
    result: endpointWithSecret,
    meta: ["creation"],
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
    does: "Lists the webhook endpoints of a business, including those of its payment links",
    params: { businessId, ...paging },
    result: page(endpoint),
  }),

  "webhooks.endpoint": action({
    does: "Shows a webhook endpoint",
    params: { businessId, id: webhookId },
    result: endpoint,
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.updateEndpoint": action({
    does: "Changes a webhook endpoint",
    params: {
      businessId,
      id: webhookId,
      url: optional(url),
      description,
      eventTypes: optional(eventTypes),
      disabled: optional(boolean({ note: "Whether it is to get no events" })),
    },
    result: endpoint,
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.enableEndpoint": action({
    does: "Enables a webhook endpoint. It gets events again",
    params: { businessId, id: webhookId },
    result: endpoint,
    meta: ["creation"],
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.deleteEndpoint": action({
    does: "Deletes a webhook endpoint. Its pending deliveries are dropped",
    params: { businessId, id: webhookId },
    result: object({ id: uuid({ note: "The id of the deleted endpoint" }) }),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.rotateSecret": action({
    does: "Gives a webhook endpoint another secret. It is shown only in this answer. For 24 hours both sign",
    params: { businessId, id: webhookId },
    result: endpointWithSecret,
    meta: ["creation"],
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.testEndpoint": action({
    does: "Sends a test event to a webhook endpoint. It does so at most ten times in a minute",
    params: { businessId, id: webhookId },
    result: object({ id: uuid({ note: "The webhook-id of the test event" }) }),
    meta: ["creation"],
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED", "RATE_LIMITED"],
  }),

  "webhooks.deliveries": action({
    does: "Lists the deliveries to a webhook endpoint, newest first",
    params: {
      businessId,
      id: webhookId,
      status: optional(oneOf(DELIVERY_STATUSES, { note: "Only deliveries in this status" })),
      eventType: optional(oneOf(EVENT_TYPES, { note: "Only deliveries of events of this type" })),
      transactionId: optional(uuid({ note: "Only deliveries of events of this transaction" })),
      since: optional(timestamp({ note: "Only deliveries created then or later" })),
      ...cursored,
    },
    result: cursorPage(listedDelivery),
    errors: ["WEBHOOK_NOT_FOUND"],
  }),

  "webhooks.delivery": action({
    does: "Shows a delivery with every stored attempt",
    params: { businessId, id: webhookId, deliveryId },
    result: delivery,
    errors: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND"],
  }),

  "webhooks.replayDelivery": action({
    does: "Sends a delivery again, in any status. A pending one is tried now",
    params: { businessId, id: webhookId, deliveryId },
    result: delivery,
    meta: ["creation"],
    errors: ["WEBHOOK_NOT_FOUND", "DELIVERY_NOT_FOUND", "WEBHOOK_DISABLED"],
  }),

  "webhooks.replay": action({
    does: "Sends deliveries of a webhook endpoint again. These are the ended ones that were created since a time",
    params: {
      businessId,
      id: webhookId,
      since: timestamp({ note: "Deliveries created then or later; in the past" }),
      status: optional(
        oneOf(ENDED_STATUSES, { note: "Only deliveries in this status; both if left out" }),
      ),
    },
    result: object({
      id: uuid({ note: "The id of the endpoint" }),
      count: integer({
        min: 0,
        note: "The number of deliveries that will be sent again",
        example: 12,
      }),
    }),
    meta: ["creation"],
    errors: ["WEBHOOK_NOT_FOUND", "WEBHOOK_DISABLED", "WEBHOOK_REPLAY_RUNNING"],
    // It counts the documents, and there may be millions.
    timeoutMs: 15_000,
  }),

  "webhooks.whereIs": whereIsAction("a webhook endpoint, a delivery or an event"),

  "webhooks.attention": attentionAction("disabled webhooks and dead letters", byKind),

  "webhooks.deliveriesOf": action({
    does: "The deliveries of transactions to all endpoints, each transaction's oldest first",
    params: { businessId: uuid(), transactionIds: list(uuid(), { min: 1, max: 500 }) },
    result: list(transactionDelivery, { max: MAX_DELIVERIES_SHOWN }),
    callers: ["gateway", "payouts", "payment-links"],
  }),

  "webhooks.publish": action({
    does: "Stores events and their deliveries; a repeated call with the same ids changes nothing. Acknowledged means stored for good",
    params: { events: list(event, { max: 1_000 }) },
    result: object({}),
    callers: ["payouts", "payment-links", "wallet-ledger"],
  }),
};
