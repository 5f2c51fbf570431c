// The lists of what needs an operator's attention, over all businesses: one form of item and page
// for every service.

import { object } from "./compound-fields.ts";
import { action, currency, cursored, cursorPage, decimal } from "./contract.ts";
import { type Fields, nullable, optional } from "./field.ts";
import { oneOf, text, timestamp, uuid } from "./fields.ts";

export const ATTENTION_KINDS = [
  "payout",
  "payment",
  "refund",
  "subscription",
  "webhook",
  "delivery",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/**
 * Why it is in the list: it is flagged and waits for a decision; its outcome is unknown, and
 * payrail still asks for it; or its next step is overdue, because no process has taken it.
 */
export const ATTENTION_STATES = ["flagged", "unknown", "overdue"] as const;
export type AttentionState = (typeof ATTENTION_STATES)[number];

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
    nextStepAt: optional(
      nullable(
        timestamp({ note: "When its next step is due; null if it has none. Webhooks have none" }),
      ),
    ),
    reason: nullable(
      text({
        max: 500,
        note: "Why it is in the list",
        example: "The rail has not told the outcome",
      }),
    ),
  },
  { name: "AttentionItem", note: "Something that an operator looks at or decides" },
);

/** The filter of a list of several kinds. */
export const byKind = {
  kind: optional(oneOf(ATTENTION_KINDS, { note: "Only things of this kind" })),
};

/** The filter of a list of documents that have steps. */
export const byState = {
  state: optional(
    oneOf(ATTENTION_STATES, {
      note: "Why they are in the list: flagged for a decision; not flagged, but with an unknown outcome; or with a next step that has been due for more than five minutes",
      default: "flagged",
    }),
  ),
};

/** A list of these things; the cursor is the list's own. */
export function attentionAction<F extends Fields>(things: string, filter: F) {
  return action({
    does: `Lists the ${things} of all businesses that need attention, newest first within each kind`,
    params: { ...filter, ...cursored },
    result: cursorPage(attentionItem),
    errors: "state" in filter ? ["TOO_BROAD"] : [],
  });
}
