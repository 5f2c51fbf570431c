// Finding a thing by its id, over all businesses, for operators: one form of answer for every
// service.

import { object } from "./compound-fields.ts";
import { action } from "./contract.ts";
import { optional } from "./field.ts";
import { id, oneOf, uuid } from "./fields.ts";

export const FOUND_KINDS = [
  "business",
  "entity",
  "api-client",
  "linked-account",
  "wallet",
  "funding",
  "transfer",
  "payout",
  "payment-link",
  "payment",
  "refund",
  "subscription",
  "invoice",
  "webhook",
  "delivery",
  "event",
] as const;

const found = object(
  {
    kind: oneOf(FOUND_KINDS, { note: "The kind of the thing" }),
    id: uuid({ note: "Its id" }),
    businessId: uuid({ note: "The business that it belongs to" }),
    endpointId: optional(uuid({ note: "The webhook of a delivery; other kinds have none" })),
    paymentId: optional(uuid({ note: "The payment of a refund; other kinds have none" })),
  },
  { name: "Found", note: "A thing with an id, and the business that has it" },
);

/** Tells which business has one of these things. Its name is not moleculer-db's own `find`. */
export function whereIsAction(things: string) {
  return action({
    does: `Finds ${things} of any business by its id`,
    params: { id: id({ note: "The id" }) },
    result: found,
    errors: ["NOT_FOUND"],
  });
}
