// The lists of documents that need an operator's attention, over all businesses: one form of item
// and page for every service that flags documents.

import { object } from "../compound-fields.ts";
import { nullable } from "../field.ts";
import { oneOf, text, timestamp, uuid } from "../fields.ts";
import { action, currency, cursored, cursorPage, decimal } from "./contract.ts";

export const ATTENTION_KINDS = ["payout", "payment", "refund", "subscription"] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export const attentionItem = object(
  {
    kind: oneOf(ATTENTION_KINDS, { note: "What it is" }),
    id: uuid({ note: "Its id" }),
    businessId: uuid({ note: "The business that it belongs to" }),
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

/** A service's list of its flagged documents; the cursor is the service's own. */
export function attentionAction(things: string) {
  return action({
    does: `Lists the ${things} of all businesses that need attention, newest first within each kind`,
    params: cursored,
    result: cursorPage(attentionItem),
  });
}
