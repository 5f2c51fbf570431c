// Webhook deliveries: their statuses and attempts, and the bounds of the stored and shown parts.

import { list, object } from "./compound-fields.ts";
import { created } from "./contract.ts";
import { EVENT_TYPES } from "./events.ts";
import { nullable, optional } from "./field.ts";
import { integer, oneOf, text, timestamp, uuid } from "./fields.ts";

export const DELIVERY_STATUSES = ["PENDING", "DELIVERED", "DEAD_LETTER"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
/** The statuses of deliveries that are not tried any more, and can be replayed. */
export const ENDED_STATUSES = ["DELIVERED", "DEAD_LETTER"] as const;

/**
 * The reasons why a delivery is not tried any more: its attempts are used up, it blocked a later
 * one for too long, its destination is not allowed, its endpoint was disabled or deleted, its event
 * was removed by retention before it could be sent.
 */
export const DEAD_LETTER_REASONS = [
  "exhausted",
  "superseded",
  "refused",
  "disabled",
  "deleted",
  "expired",
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

/**
 * The reasons why an attempt failed: the host name was not resolved, its address is not allowed, no
 * connection or a broken one, no secure connection, a timeout, an answer that is not HTTP, an
 * answer other than 2xx, no secret to sign with.
 */
export const ERROR_CLASSES = [
  "dns",
  "address",
  "connection",
  "tls",
  "timeout",
  "protocol",
  "status",
  "secret",
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** The greatest stored part of an answer's body, in bytes; so at most as many characters. */
export const MAX_RESPONSE_BYTES = 1_024;

/** The greatest length of an endpoint's URL. */
export const MAX_URL_LENGTH = 2_048;

/** The greatest number of deliveries of one transaction that are shown. */
export const MAX_DELIVERIES_SHOWN = 1_000;
/** The last attempts of a delivery: the number that is stored, and the number that a list shows. */
export const MAX_ATTEMPTS_KEPT = 100;
export const MAX_ATTEMPTS_LISTED = 10;

const attempt = object(
  {
    at: timestamp({ note: "When the attempt began" }),
    statusCode: nullable(
      integer({ note: "The status of your answer; null without an answer", example: 204 }),
    ),
    durationMs: integer({ note: "How long it took, in milliseconds", example: 84 }),
    error: nullable(
      text({ max: 1024, note: "Why the attempt failed", example: "The answer was 500" }),
    ),
    errorClass: nullable(
      oneOf(ERROR_CLASSES, { note: "The kind of the failure; null after an answer with 2xx" }),
    ),
    response: nullable(
      text({
        max: MAX_RESPONSE_BYTES,
        note: "The beginning of the answer's body, as text",
        example: "OK",
      }),
    ),
  },
  { name: "DeliveryAttempt", note: "An attempt to deliver an event" },
);
const deliveryFields = {
  id: uuid({ note: "The id of the delivery" }),
  // A node of the previous release leaves it out.
  endpointId: optional(uuid({ note: "The webhook endpoint that it is to" })),
  eventId: uuid({ note: "The webhook-id of the event" }),
  eventType: oneOf(EVENT_TYPES, { note: "The type of the event" }),
  transactionId: nullable(uuid({ note: "The transaction that the event is about" })),
  status: oneOf(DELIVERY_STATUSES, {
    note: "Whether it was delivered; a dead letter is not tried any more",
  }),
  deadLetterReason: nullable(oneOf(DEAD_LETTER_REASONS, { note: "Why it is not tried any more" })),
  createdAt: created,
  nextAttemptAt: nullable(timestamp({ note: "When it is tried again" })),
};
export const delivery = object(
  {
    ...deliveryFields,
    attempts: list(attempt, { max: MAX_ATTEMPTS_KEPT, note: "The last attempts, oldest first" }),
  },
  { name: "Delivery", note: "The delivery of an event to an endpoint" },
);
const listedFields = {
  ...deliveryFields,
  attempts: list(attempt, {
    max: MAX_ATTEMPTS_LISTED,
    note: "The last attempts. If a list would be too long, their responses are left out, then all except the last attempt",
  }),
};
export const listedDelivery = object(listedFields, {
  name: "ListedDelivery",
  note: "A delivery, as lists show it",
});
export const transactionDelivery = object(
  {
    ...listedFields,
    // A node of the previous release leaves it out, too.
    endpointUrl: optional(
      nullable(
        text({
          max: MAX_URL_LENGTH,
          note: "The URL of the endpoint; null once it is deleted, left out if a list would be too long",
          example: "https://example.com/webhooks",
        }),
      ),
    ),
  },
  { name: "TransactionDelivery", note: "A delivery, as the timeline of a transaction shows it" },
);
