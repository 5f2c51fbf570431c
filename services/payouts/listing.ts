// Reads payouts: lists, details and timelines. A business sees only its own accepted payouts; for
// any other payout the answer is the same as for one that does not exist.

import type { Model } from "mongoose";
import { type Caller, call } from "../../shared/actions.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { newestFirst } from "../../shared/paging.ts";
import { ATTENTION_INDEX } from "../../shared/resumable/schema.ts";
import { transactionQuery } from "../../shared/transaction-query.ts";
import { toTransaction } from "./payload.ts";
import type { Payout } from "./payout.model.ts";

/** @throws TRANSACTION_NOT_FOUND */
export async function findPayout(
  payouts: Model<Payout>,
  { businessId, id }: { businessId: string; id: string },
): Promise<Payout> {
  const payout = await payouts
    .findOne({ _id: id, businessId, visible: true })
    .readConcern("majority")
    .lean<Payout>();
  return payout ?? fail("TRANSACTION_NOT_FOUND");
}

/** Payouts of a business, newest first; `from` is inclusive, `to` exclusive. */
export async function listPayouts(
  payouts: Model<Payout>,
  { cursor, limit, ...filter }: Params<"payouts.transactions">,
): Promise<Result<"payouts.transactions">> {
  const query = { ...transactionQuery<Payout>(filter), visible: true };
  const { documents, nextCursor } = await newestFirst(payouts, query, { cursor, limit });
  return { items: documents.map(toTransaction), meta: { nextCursor } };
}

/**
 * The payouts of all businesses that need attention, newest first. They include payouts that are
 * not accepted yet, because an admin has to see a step that does not end.
 */
export async function listAttention(
  payouts: Model<Payout>,
  paging: Params<"payouts.attention">,
): Promise<Result<"payouts.attention">> {
  const filter = { needsAttention: true };
  const hint = ATTENTION_INDEX;
  const { documents, nextCursor } = await newestFirst(payouts, filter, paging, { hint });
  return { items: documents.map(toAttentionItem), meta: { nextCursor } };
}

function toAttentionItem(payout: Payout): Result<"payouts.attention">["items"][number] {
  const { _id: id, businessId, unknownSince } = payout;
  const { status, amount, currency } = toTransaction(payout);
  return {
    kind: "payout",
    id,
    businessId,
    status,
    amount,
    currency,
    unknownSince: unknownSince === undefined ? null : new Date(unknownSince).toISOString(),
    reason: attentionReason(payout),
  };
}

function attentionReason({ step, status }: Payout): string {
  if (step === "submitting" || step === "settle") return "The rail has not reported the outcome";
  if (status === "SUCCESS" || status === "FAILED") {
    return `An answer of the rail contradicts ${status}`;
  }
  return `The step ${step} does not end`;
}

/** The history of a payout: its states, its entries in the journal and its webhook deliveries. */
export async function readTimeline(
  caller: Caller,
  { _id: transactionId, businessId, walletId, states, decidedBy }: Payout,
): Promise<Result<"payouts.timeline">> {
  const [entries, deliveries] = await Promise.all([
    call(caller, "wallet-ledger.entriesOf", { walletId, transactionId }),
    call(caller, "webhooks.deliveriesOf", { businessId, transactionIds: [transactionId] }),
  ]);
  const shown = states.map(({ at, ...state }) => ({ ...state, at: new Date(at).toISOString() }));
  const last = shown.at(-1);
  // An admin that confirmed the end has entered no state.
  if (last && decidedBy) last.by = decidedBy;
  return { states: shown, entries, deliveries };
}
