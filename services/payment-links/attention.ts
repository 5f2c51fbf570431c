// The payments, refunds and subscriptions of all businesses that are flagged for an admin. A
// document is flagged where its outcome has not been known for a day, where the ledger has refused
// it for good, and where an acquirer's answer contradicts its stored end.

import type { FilterQuery, Model } from "mongoose";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { toDecimal } from "../../shared/money.ts";
import { newestFirst } from "../../shared/paging.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import type { Subscription } from "./billing/subscription.model.ts";
import type { Payment } from "./payments/payment.model.ts";
import { TRANSACTION_STATUS } from "./payments/payment-views.ts";
import type { Refund } from "./refunds/refund.model.ts";

interface Models {
  payments: Model<Payment>;
  payment_refunds: Model<Refund>;
  subscriptions: Model<Subscription>;
}

/** In the order of the list. */
const ATTENTION_KINDS = ["payment", "refund", "subscription"] as const;
type AttentionKind = (typeof ATTENTION_KINDS)[number];

type Item = Result<"payment-links.attention">["items"][number];

/** A page of everything that is flagged; the cursor names the kind and the last id of the page before. */
export async function listAttention(
  models: Models,
  { cursor, limit = DEFAULT_LIMIT }: Params<"payment-links.attention">,
): Promise<Result<"payment-links.attention">> {
  const [first, after] = cursor === undefined ? [ATTENTION_KINDS[0]] : readCursor(cursor);
  const items: Item[] = [];
  for (const kind of ATTENTION_KINDS.slice(ATTENTION_KINDS.indexOf(first))) {
    const page = { limit: limit - items.length, ...(kind === first && after && { cursor: after }) };
    items.push(...(await listFlagged(models, kind, page)));
    const last = items.at(-1);
    // The next page may be empty, where this one ends with the last that is flagged.
    if (last && items.length >= limit) return toPage(items, `${last.kind}:${last.id}`);
  }
  return toPage(items, null);
}

function toPage(items: Item[], nextCursor: string | null) {
  return { items, meta: { nextCursor } };
}

/** @throws VALIDATION */
function readCursor(cursor: string): [AttentionKind, string] {
  const [name, id = ""] = cursor.split(":");
  const kind = ATTENTION_KINDS.find((each) => each === name);
  return kind ? [kind, id] : fail("VALIDATION", "cursor must be a nextCursor of this list");
}

type Page = { cursor?: string; limit: number };

function listFlagged(models: Models, kind: AttentionKind, page: Page): Promise<Item[]> {
  switch (kind) {
    case "payment":
      return flagged(models.payments, page, paymentItem);
    case "refund":
      return flagged(models.payment_refunds, page, refundItem);
    case "subscription":
      return flagged(models.subscriptions, page, subscriptionItem);
  }
}

async function flagged<T extends Resumable>(
  model: Model<T>,
  page: Page,
  toItem: (document: T) => Item,
): Promise<Item[]> {
  const filter = { needsAttention: true } as FilterQuery<T>;
  const { documents } = await newestFirst<T>(model, filter, page);
  return documents.map(toItem);
}

function paymentItem(payment: Payment): Item {
  const { step, status, totalMinor, currency, contradicted } = payment;
  const stuck =
    step === "post"
      ? "The ledger has not taken what was captured."
      : "The acquirer has not said what became of the charge.";
  return {
    ...placeAndTime(payment),
    kind: "payment",
    status: TRANSACTION_STATUS[status],
    amount: toDecimal(totalMinor),
    currency,
    reason: contradicted ? contradictionReason("charge", contradicted) : stuck,
  };
}

function refundItem(refund: Refund): Item {
  const { step, status, amountMinor, currency, contradicted } = refund;
  const stuck =
    step === "ask"
      ? "The acquirer has not said what became of the refund."
      : "The ledger has not taken the refund.";
  return {
    ...placeAndTime(refund),
    kind: "refund",
    status: TRANSACTION_STATUS[status],
    amount: toDecimal(amountMinor),
    currency,
    reason: contradicted ? contradictionReason("refund", contradicted) : stuck,
  };
}

function subscriptionItem(subscription: Subscription): Item {
  const { status, plan } = subscription;
  return {
    ...placeAndTime(subscription),
    kind: "subscription",
    status,
    amount: null,
    currency: plan.currency,
    reason: "What became of the payment of its open invoice is not known.",
  };
}

function placeAndTime({ _id: id, businessId, unknownSince }: Resumable) {
  const since = unknownSince === undefined ? null : new Date(unknownSince).toISOString();
  return { id, businessId, unknownSince: since };
}

function contradictionReason(question: string, answer: string): string {
  return `The acquirer answered "${answer}" to the ${question} after another outcome was stored.`;
}
