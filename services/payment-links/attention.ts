// The payments, refunds and subscriptions of all businesses that are flagged for an admin. A
// document is flagged if its outcome has not been known for a day, if the ledger has refused it for
// good, or if an acquirer's answer contradicts its stored end.

import type { FilterQuery, Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts.ts";
import { toDecimal } from "../../shared/money.ts";
import { type NamedList, newestFirst, oneAfterAnother } from "../../shared/paging.ts";
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

type Page = Result<"payment-links.attention">;
type Item = Page["items"][number];

/** A page of everything that is flagged, kind by kind. */
export function listAttention(
  { payments, payment_refunds: refunds, subscriptions }: Models,
  { kind, ...paging }: Params<"payment-links.attention">,
): Promise<Page> {
  const lists = [
    flagged("payment", payments, paymentItem),
    flagged("refund", refunds, refundItem),
    flagged("subscription", subscriptions, subscriptionItem),
  ];
  const wanted = lists.filter(({ name }) => kind === undefined || name === kind);
  return oneAfterAnother(wanted, paging);
}

function flagged<T extends Resumable>(
  name: Item["kind"],
  model: Model<T>,
  toItem: (document: T) => Item,
): NamedList<Item> {
  const filter = { needsAttention: true } as FilterQuery<T>;
  return {
    name,
    async read(page) {
      const { documents, nextCursor } = await newestFirst<T>(model, filter, page);
      return { items: documents.map(toItem), nextCursor };
    },
  };
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
  const { paymentId, amountMinor } = refund;
  return { ...chargedItem("refund", refund, amountMinor, stuck), paymentId };
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
