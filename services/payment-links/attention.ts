// The payments, refunds and subscriptions of all businesses that are flagged for an admin. A
// document is flagged if its outcome has not been known for a day, if the ledger has refused it for
// good, or if an acquirer's answer contradicts its stored end.

import type { FilterQuery, Model } from "mongoose";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import { failField } from "../../shared/errors.ts";
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

type Item = Result<"payment-links.attention">["items"][number];
type Page = { cursor?: string; limit: number };

/** The lists of the kinds, in the order of the whole list. */
const LISTS: Record<string, (models: Models, page: Page) => Promise<Item[]>> = {
  payment: ({ payments }, page) => flagged(payments, page, paymentItem),
  refund: ({ payment_refunds }, page) => flagged(payment_refunds, page, refundItem),
  subscription: ({ subscriptions }, page) => flagged(subscriptions, page, subscriptionItem),
};

/**
 * A page of everything that is flagged; the cursor names the kind and the last id of the page
 * before.
 */
export async function listAttention(
  models: Models,
  { cursor, limit = DEFAULT_LIMIT }: Params<"payment-links.attention">,
): Promise<Result<"payment-links.attention">> {
  const [name = "payment", after] = cursor?.split(":") ?? [];
  const lists = Object.entries(LISTS);
  const first = lists.findIndex(([kind]) => kind === name);
  if (first < 0) failField("cursor", "must be a nextCursor of this list");
  const items: Item[] = [];
  for (const [kind, list] of lists.slice(first)) {
    const page = { limit: limit - items.length, ...(kind === name && after && { cursor: after }) };
    items.push(...(await list(models, page)));
    const last = items.at(-1);
    // The next page is empty if this one ends with the last flagged document.
    if (last && items.length >= limit) {
      return { items, meta: { nextCursor: `${last.kind}:${last.id}` } };
    }
  }
  return { items, meta: { nextCursor: null } };
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
  const stuck =
    payment.step === "post"
      ? "The ledger has not posted the captured amount."
      : "The acquirer has not reported the outcome of the charge.";
  return chargedItem("payment", payment, payment.totalMinor, stuck);
}

function refundItem(refund: Refund): Item {
  const stuck =
    refund.step === "ask"
      ? "The acquirer has not reported the outcome of the refund."
      : "The ledger has not posted the refund.";
  return chargedItem("refund", refund, refund.amountMinor, stuck);
}

/** @param stuck the reason, unless the acquirer contradicts a stored outcome */
function chargedItem(
  kind: "payment" | "refund",
  document: Payment | Refund,
  amountMinor: number,
  stuck: string,
): Item {
  const { status, currency, contradicted } = document;
  const question = kind === "payment" ? "charge" : "refund";
  const answer = `The acquirer answered "${contradicted}" to the ${question}`;
  return {
    ...placeAndTime(document),
    kind,
    status: TRANSACTION_STATUS[status],
    amount: toDecimal(amountMinor),
    currency,
    reason: contradicted ? `${answer} after another outcome was stored.` : stuck,
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
    reason: "The outcome of the payment of its open invoice is unknown.",
  };
}

function placeAndTime({ _id: id, businessId, unknownSince }: Resumable) {
  const since = unknownSince === undefined ? null : new Date(unknownSince).toISOString();
  return { id, businessId, unknownSince: since };
}
