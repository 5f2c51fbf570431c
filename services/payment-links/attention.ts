// The payments, refunds and subscriptions of all businesses that operators look at. A document is
// flagged if its outcome has not been known for a day, if the ledger has refused it for good, or if
// an acquirer's answer contradicts its stored end.

import type { Model } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { toDecimal } from "../../shared/money.ts";
import {
  attentionItem,
  findForAttention,
  overdueReason,
} from "../../shared/resumable/attention.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import { WAITING_INDEX } from "../../shared/resumable/schema.ts";
import { type NamedList, oneAfterAnother } from "../../shared/storage/paging.ts";
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

/** A page of everything in a state, kind by kind. */
export function listAttention(
  { clock }: { clock: Clock },
  { payments, payment_refunds: refunds, subscriptions }: Models,
  { kind, state, ...paging }: Params<"payment-links.attention">,
): Promise<Page> {
  const now = clock.now();
  const listOf = <T extends Resumable>(
    name: Item["kind"],
    model: Model<T>,
    waiting: typeof WAITING_INDEX.acquirer | null,
    toItem: (document: T) => Item,
  ): NamedList<Item> => ({
    name,
    async read(page) {
      const asked = { state, now, ...page };
      const { documents, nextCursor } = await findForAttention<T>(model, asked, waiting);
      const items = documents.map((document) => {
        const item = toItem(document);
        return state === "overdue" ? { ...item, reason: overdueReason(document) } : item;
      });
      return { items, nextCursor };
    },
  });
  const lists = [
    listOf("payment", payments, WAITING_INDEX.acquirer, paymentItem),
    listOf("refund", refunds, WAITING_INDEX.acquirer, refundItem),
    // The unknown outcome of a subscription is that of its payment, which is listed.
    listOf("subscription", subscriptions, null, subscriptionItem),
  ];
  const wanted = lists.filter(({ name }) => kind === undefined || name === kind);
  return oneAfterAnother(wanted, paging);
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
  const { status, currency, contradicted, step } = document;
  const question = kind === "payment" ? "charge" : "refund";
  const answer = `The acquirer answered "${contradicted}" to the ${question}`;
  const amount = toDecimal(amountMinor);
  // Before its end only another sum contradicts it.
  const isOfOtherSum = step === "charge" || step === "ask";
  const contradiction = isOfOtherSum
    ? `${answer} of ${amount} ${currency}.`
    : `${answer} after another outcome was stored.`;
  return {
    ...attentionItem(document),
    kind,
    status: TRANSACTION_STATUS[status],
    amount,
    currency,
    reason: contradicted ? contradiction : stuck,
  };
}

function subscriptionItem(subscription: Subscription): Item {
  const { status, plan } = subscription;
  return {
    ...attentionItem(subscription),
    kind: "subscription",
    status,
    amount: null,
    currency: plan.currency,
    reason: "The outcome of the payment of its open invoice is unknown.",
  };
}
