// Stripe's own list of payrail's charges and refunds, for `npm run compare`.

import type { Stripe } from "stripe";
import type { AcquirerEntry } from "../types.ts";
import { toCurrency } from "./charges.ts";
import { PAYRAIL_ID, PAYRAIL_VOID } from "./intents.ts";

const PER_PAGE = 100;

/**
 * Lists the charges and refunds since a moment that have an end. A charge or refund that is under
 * way, a void without a charge, and what the account has from others than payrail are left out.
 * @param since epoch milliseconds
 */
export async function* list(stripe: Stripe, since: number): AsyncIterable<AcquirerEntry> {
  // Stripe's moments are in seconds.
  const params = { created: { gte: Math.floor(since / 1_000) }, limit: PER_PAGE };
  for await (const intent of stripe.paymentIntents.list(params)) {
    const entry = chargeEntry(intent);
    if (entry && entry.at >= since) yield entry;
  }
  for await (const refund of stripe.refunds.list(params)) {
    const entry = refundEntry(refund);
    if (entry && entry.at >= since) yield entry;
  }
}

function chargeEntry(intent: Stripe.PaymentIntent): AcquirerEntry | null {
  const { metadata, status } = intent;
  if (metadata[PAYRAIL_VOID] !== undefined) return null;
  if (status === "succeeded") {
    return entryOf("charge", "done", { ...intent, amount: intent.amount_received });
  }
  return status === "canceled" ? entryOf("charge", "refused", intent) : null;
}

function refundEntry(refund: Stripe.Refund): AcquirerEntry | null {
  if (refund.status === "succeeded") return entryOf("refund", "done", refund);
  const isOver = refund.status === "failed" || refund.status === "canceled";
  return isOver ? entryOf("refund", "refused", refund) : null;
}

function entryOf(
  kind: AcquirerEntry["kind"],
  state: AcquirerEntry["state"],
  {
    metadata,
    amount: amountMinor,
    currency,
    created,
  }: Pick<Stripe.PaymentIntent | Stripe.Refund, "metadata" | "amount" | "currency" | "created">,
): AcquirerEntry | null {
  const id = metadata?.[PAYRAIL_ID];
  if (id === undefined) return null;
  const at = created * 1_000;
  return { id, kind, state, amountMinor, currency: toCurrency(currency), at };
}
