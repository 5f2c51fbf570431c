// The events that payrail sends, as the webhooks of the OpenAPI document
// (docs/integrate/webhooks.md).

import { EVENT_BODIES } from "../../../shared/contracts/events.ts";
import type { Field } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { exampleOf } from "./openapi-examples.ts";

const HEADERS = {
  "webhook-id": text({
    note: "The id of the event. A repeated delivery has the same id: store it, and ignore what you have",
    example: "0193a5c2-7c3e-7d0a-9f6b-2f1d1c8e4b52",
  }),
  "webhook-timestamp": text({
    note: "The time of this delivery in seconds since 1970. Refuse one that is older than five minutes",
    example: "1763757600",
  }),
  "webhook-signature": text({
    note: "One or more signatures, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots. One that fits is enough",
    example: "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  }),
};

const RESPONSES = {
  "2XX": { description: "You have taken the event. Answer within 15 seconds, and work afterwards" },
  "410": { description: "You want no more events: payrail disables the endpoint" },
  default: { description: "You have not taken the event: payrail sends it again later" },
};

/**
 * The webhooks of the document.
 * @param tag the heading under which they are listed
 */
export function describeWebhooks(tag: string): object {
  const entries = Object.entries(EVENT_BODIES).map(([type, body]) => [
    type,
    { post: describeEvent(type, body, tag) },
  ]);
  return Object.fromEntries(entries);
}

function describeEvent(type: string, { schema }: Field, tag: string): object {
  const parameters = Object.entries(HEADERS).map(([name, field]) => {
    const { description, ...rest } = field.schema;
    return { name, in: "header", required: true, description, schema: rest };
  });
  return {
    operationId: `on${type.charAt(0)}${type.slice(1).toLowerCase()}`,
    tags: [tag],
    summary: schema.description,
    description:
      "payrail posts this to your endpoints, signed as Standard Webhooks has it. Ignore types, statuses and fields that you do not know, because more will come.",
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: exampleOf(schema) } },
    },
    responses: RESPONSES,
  };
}
