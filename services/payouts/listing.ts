// Reading payouts: lists, details and timelines. Only what was accepted is seen, and only by the
// business whose it is; anybody else's is not there.

import type { Model } from "mongoose";
import { type Caller, call } from "../../shared/actions.ts";
import type { Params, Result } from "../../shared/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { newestFirst } from "../../shared/paging.ts";
import { transactionQuery } from "../../shared/transaction-query.ts";
import { transactionOf } from "./payload.ts";
import { ATTENTION, type Payout } from "./payout.model.ts";

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
  return { items: documents.map(transactionOf), meta: { nextCursor } };
}

/**
 * The payouts of all businesses that need attention, newest first. A payout that is not accepted yet is
 * among them, because an operator has to see where a step does not end.
 */
export async function listAttention(
  payouts: Model<Payout>,
  paging: Params<"payouts.attention">,
): Promise<Result<"payouts.attention">> {
  const filter = { needsAttention: true };
  const { documents, nextCursor } = await newestFirst(payouts, filter, paging, { hint: ATTENTION });
  return { items: documents.map(attentionItemOf), meta: { nextCursor } };
}

function attentionItemOf(payout: Payout): Result<"payouts.attention">["items"][number] {
  const { _id: id, businessId, unknownSince } = payout;
  const { status, amount, currency } = transactionOf(payout);
  return {
    kind: "payout",
    id,
    businessId,
    status,
    amount,
    currency,
    unknownSince: unknownSince === undefined ? null : new Date(unknownSince).toISOString(),
    reason: whyFlagged(payout),
  };
}

function whyFlagged({ step, status }: Payout): string {
  if (step === "submitting" || step === "settle") return "The rail has not told the outcome";
  if (status === "SUCCESS" || status === "FAILED") {
    return `An answer of the rail contradicts ${status}`;
  }
  return `The step ${step} does not end`;
}

/** Everything that became of a payout, gathered from those who know. */
export async function timelineOf(
  caller: Caller,
  { _id: transactionId, businessId, walletId, states, decidedBy }: Payout,
): Promise<Result<"payouts.timeline">> {
  const [entries, deliveries] = await Promise.all([
    call(caller, "wallet-ledger.entriesOf", { walletId, transactionId }),
    call(caller, "webhooks.deliveriesOf", { businessId, transactionIds: [transactionId] }),
  ]);
  const shown = states.map(({ at, ...state }) => ({ ...state, at: new Date(at).toISOString() }));
  const last = shown.at(-1);
  // An admin who confirmed the end entered no state.
  if (last && decidedBy) last.by = decidedBy;
  return { states: shown, entries, deliveries };
}
