// Reads payouts: lists, details and timelines. A business sees only its own accepted payouts, an
// end user only those that it made; for any other payout the answer is the same as for one that
// does not exist. An operator also sees payouts that are not accepted yet.

import type { FilterQuery, Model } from "mongoose";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import {
  attentionItem,
  findForAttention,
  overdueReason,
} from "../../shared/resumable/attention.ts";
import { WAITING_INDEX } from "../../shared/resumable/schema.ts";
import { type Actor, type Caller, call } from "../../shared/rpc/actions.ts";
import { newestFirst } from "../../shared/storage/paging.ts";
import type { FoundPage, PagePlace, ReadPage } from "../../shared/storage/search.ts";
import { allAccepted, asAccepted } from "./accepted.ts";
import type { Deps, IsDebited } from "./deps.ts";
import { toTransaction, toWithdrawal } from "./payload.ts";
import { BY_ACCOUNT, EVERY_STATUS, OWN, type Payout } from "./payout.model.ts";
import { verdictView } from "./review.ts";

/** A declined payout has never become a transaction, so nobody finds it. */
export const NOT_DECLINED = { step: { $ne: "declined" } } as const;

/** The owner of a payout: its business, or the entity that withdrew. */
type Owner = { businessId: string } | { entityId: string; byMerchant?: FilterQuery<Payout> };

/** What a reader needs: the stored payouts, and the ledger's answer about those at `debit`. */
export interface PayoutReading extends Pick<Deps, "isDebited"> {
  payouts: Model<Payout>;
}

/**
 * @param unaccepted whether a payout that is not accepted yet is found too; it has no states
 * @throws TRANSACTION_NOT_FOUND; UNAVAILABLE, or another error, if the ledger does not say whether
 *   the payout is accepted
 */
export async function findPayout(
  reading: PayoutReading,
  { id: _id, unaccepted = false, ...owner }: Owner & { id: string; unaccepted?: boolean },
): Promise<Payout> {
  const isFound = unaccepted ? NOT_DECLINED : { visible: true };
  const payout = await findOne(reading.payouts, { _id, ...owner, ...isFound });
  const asking = asAccepted(reading.isDebited, payout);
  if (!unaccepted) return (await asking) ?? fail("TRANSACTION_NOT_FOUND");
  return (await asking.catch(() => null)) ?? { ...payout, states: [] };
}

/**
 * A payout of any business, also one that is not accepted yet, for an operator.
 * @throws TRANSACTION_NOT_FOUND
 */
export function findAnyPayout(payouts: Model<Payout>, _id: string): Promise<Payout> {
  return findOne(payouts, { _id, ...NOT_DECLINED });
}

async function findOne(payouts: Model<Payout>, filter: FilterQuery<Payout>): Promise<Payout> {
  const payout = await payouts.findOne(filter).readConcern("majority").lean<Payout>();
  return payout ?? fail("TRANSACTION_NOT_FOUND");
}

/** An end user finds the withdrawals that it made; a merchant also those of its end users. */
export function withdrawalOf({ sub, role }: Actor): Owner {
  return role === "merchant" ? { businessId: sub } : { entityId: sub, ...NOT_BY_MERCHANT };
}

/** A payout that the merchant made from an end user's wallet is not that user's withdrawal. */
const NOT_BY_MERCHANT = { byMerchant: { $exists: false } };

/**
 * The withdrawals that the caller itself made, newest first.
 * @throws UNAVAILABLE, or another error, if the ledger does not say whether the payout of a key is
 *   accepted: an empty list would say that it is not
 */
export async function listWithdrawals(
  reading: PayoutReading,
  actor: Actor,
  { status, linkedAccountId, idempotencyKey, ...paging }: Params<"payouts.withdrawals">,
): Promise<Result<"payouts.withdrawals">> {
  const query = {
    ...(idempotencyKey === undefined ? madeBy(actor) : withKey(actor, idempotencyKey)),
    visible: true,
    status: status ?? EVERY_STATUS,
    ...(linkedAccountId !== undefined && { linkedAccountId }),
  };
  // A key has an index of its own, with at most one payout.
  const hint = linkedAccountId === undefined ? OWN : BY_ACCOUNT;
  const options = idempotencyKey === undefined ? { hint } : {};
  const ofQuery: ReadPage<Payout> = (place) => newestFirst(reading.payouts, query, place, options);
  const read = idempotencyKey === undefined ? acceptedPage : decidedPage;
  const { documents, nextCursor } = await read(reading.isDebited, ofQuery, paging);
  return { items: documents.map(toWithdrawal), meta: { nextCursor } };
}

function madeBy({ sub: entityId, role }: Actor): FilterQuery<Payout> {
  return { entityId, ...(role === "user" && NOT_BY_MERCHANT) };
}

/** A merchant's keys of withdrawals and of its payouts from any wallet are apart. */
function withKey({ sub, role }: Actor, key: string): FilterQuery<Payout> {
  const withdrawal = { entityId: sub, idempotencyKey: key };
  if (role === "user") return withdrawal;
  return { $or: [withdrawal, { businessId: sub, merchantKey: key }] };
}

/**
 * A page of accepted payouts, newest first: a whole one, unless the list ends, because a list of
 * several sources is merged of whole pages.
 * @throws UNAVAILABLE, or another error, if the ledger does not say which payouts are accepted
 */
async function decidedPage(
  isDebited: IsDebited,
  read: ReadPage<Payout>,
  { cursor, limit = DEFAULT_LIMIT }: PagePlace,
): Promise<FoundPage<Payout>> {
  const found: Payout[] = [];
  let next = cursor;
  for (;;) {
    const { documents, nextCursor } = await read({ cursor: next, limit: limit - found.length });
    found.push(...(await allAccepted(isDebited, documents)));
    if (found.length === limit || nextCursor === null) return { documents: found, nextCursor };
    next = nextCursor;
  }
}

/**
 * The same page; while the ledger does not answer, one without the payouts at the step `debit`, so
 * that lists are read without the ledger.
 */
export function acceptedPage(
  isDebited: IsDebited,
  read: ReadPage<Payout>,
  place: PagePlace,
): Promise<FoundPage<Payout>> {
  let isAway = false;
  const decide: IsDebited = async (undecided) => {
    if (!isAway) {
      try {
        return await isDebited(undecided);
      } catch {
        isAway = true;
      }
    }
    return undecided.map(() => false);
  };
  return decidedPage(decide, read, place);
}

/**
 * The payouts of all businesses that need attention, newest first. They include payouts that are
 * not accepted yet, because an admin has to see a step that does not end.
 * @throws TOO_BROAD
 */
export async function listAttention(
  payouts: Model<Payout>,
  params: Params<"payouts.attention">,
  now: number,
): Promise<Result<"payouts.attention">> {
  const asked = { ...params, now };
  const { documents, nextCursor } = await findForAttention(payouts, asked, WAITING_INDEX.rail);
  const items = documents.map((payout) => {
    const { status, amount, currency } = toTransaction(payout);
    const reason = params.state === "overdue" ? overdueReason(payout) : whyStuck(payout);
    return { ...attentionItem(payout), kind: "payout" as const, status, amount, currency, reason };
  });
  return { items, meta: { nextCursor } };
}

function whyStuck({ step, status, problem }: Payout): string {
  if (problem !== undefined) return problem;
  if (step === "submitting" || step === "settle") return "The rail has not reported the outcome";
  if (status === "SUCCESS" || status === "FAILED") {
    return `An answer of the rail contradicts ${status}`;
  }
  return `The step ${step} does not end`;
}

/**
 * The history of a payout: its states, its entries in the journal and its webhook deliveries.
 * @param isOperators whether it has what only operators read: the problem and the screening
 */
export async function readTimeline(
  caller: Caller,
  payout: Payout,
  isOperators: boolean,
): Promise<Result<"payouts.timeline">> {
  const { _id: transactionId, businessId, walletId, states, decidedBy, origin } = payout;
  const { problem, verdicts } = payout;
  const [entries, deliveries] = await Promise.all([
    call(caller, "wallet-ledger.entriesOf", { walletId, transactionId }),
    call(caller, "webhooks.deliveriesOf", { businessId, transactionIds: [transactionId] }),
  ]);
  const shown = states.map(({ at, ...state }) => ({ ...state, at: new Date(at).toISOString() }));
  const last = shown.at(-1);
  // An admin that confirmed the end has entered no state.
  if (last && decidedBy) last.by = decidedBy;
  return {
    requestId: origin?.requestId ?? null,
    ...(isOperators && problem !== undefined && { problem }),
    ...(isOperators && verdicts && { screening: verdicts.map(verdictView) }),
    states: shown,
    entries,
    deliveries,
  };
}
