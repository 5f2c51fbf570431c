// Finding things by an id or by a text, over all businesses, for operators: one form of answer for
// every service.

import { list, object } from "./compound-fields.ts";
import { action } from "./contract.ts";
import { optional } from "./field.ts";
import { id, oneOf, text, uuid } from "./fields.ts";

export const FOUND_KINDS = [
  "business",
  "entity",
  "api-client",
  "linked-account",
  "wallet",
  "funding",
  "adjustment",
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

/** The greatest number of things that a text finds. */
export const FOUND_AT_MOST = 100;
export const foundThings = list(found, { max: FOUND_AT_MOST, note: "The things, newest first" });

/** The newest of these things that have a text. @param by the field that has it */
export function whereAreAction(things: string, by: string) {
  return action({
    does: `Finds the newest ${things} of any business by ${by}`,
    params: { text: text({ note: "The whole text" }) },
    result: foundThings,
    errors: ["TOO_BROAD"],
  });
}
