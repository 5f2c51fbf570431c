// The lists of what needs an operator's attention, over all businesses: one form of item and page
// for every service.

import { object } from "../compound-fields.ts";
import { type Fields, nullable, optional } from "../field.ts";
import { oneOf, text, timestamp, uuid } from "../fields.ts";
import { action, currency, cursored, cursorPage, decimal } from "./contract.ts";

export const ATTENTION_KINDS = [
  "payout",
  "payment",
  "refund",
  "subscription",
  "webhook",
  "delivery",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

const attentionItem = object(
  {
    kind: oneOf(ATTENTION_KINDS, { note: "What it is" }),
    id: uuid({ note: "Its id" }),
    businessId: uuid({ note: "The business that it belongs to" }),
    // Not `webhookId`, because the header `webhook-id` has the id of an event.
    endpointId: optional(uuid({ note: "The webhook of a delivery; other kinds have none" })),
    paymentId: optional(uuid({ note: "The payment of a refund; other kinds have none" })),
    status: text({ note: "Its status", example: "PROCESSING_PAY_OUT" }),
    amount: nullable(decimal),
    currency: nullable(currency),
    unknownSince: nullable(timestamp({ note: "Since when the outcome is unknown" })),
    reason: nullable(
      text({ note: "Why it was flagged", example: "The rail has not told the outcome" }),
    ),
  },
  { name: "AttentionItem", note: "Something that waits for an operator's decision" },
);

/** The filter of a list of several kinds. */
export const byKind = {
  kind: optional(oneOf(ATTENTION_KINDS, { note: "Only things of this kind" })),
};

/** A list of these things; the cursor is the list's own. */
export function attentionAction<F extends Fields>(things: string, filter: F) {
  return action({
    does: `Lists the ${things} of all businesses that need attention, newest first within each kind`,
    params: { ...filter, ...cursored },
    result: cursorPage(attentionItem),
  });
}
