// Fundings: a wallet is credited from outside. The document is stored before the posting and carries
// its id, so that a repeat, a crash and a sweep all come to "post the same id again": it counts once.

import type { FilterQuery, Model } from "mongoose";
import { isDuplicate } from "../../shared/database.ts";
import { fail } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import { newestFirst } from "../../shared/paging.ts";
import type { BlockLog } from "./block-log.ts";
import type { Funding } from "./funding.model.ts";
import type { WalletView } from "./wallets.ts";

/**
 * Credits a wallet; the same reference has the same result.
 * @param amountMinor in minor units
 * @throws CONFLICT the reference stands for another amount; BALANCE_BOUND the books cannot hold it;
 *   UNAVAILABLE the outcome is not known yet: the same call answers it
 */
export async function fund(
  fundings: Model<Funding>,
  log: BlockLog,
  wallet: WalletView,
  amountMinor: number,
  reference: string,
): Promise<Funding> {
  const funding = await findOrInsert(fundings, wallet, amountMinor, reference);
  if (funding.amountMinor !== amountMinor) fail("CONFLICT");
  return funding.status === "PENDING" ? settle(fundings, log, funding) : told(funding);
}

async function findOrInsert(
  fundings: Model<Funding>,
  { id: walletId, businessId, entityId, currency }: WalletView,
  amountMinor: number,
  reference: string,
): Promise<Funding> {
  const key = { walletId, reference };
  const known = await fundings.findOne(key).lean();
  if (known) return known;
  try {
    const owner = { businessId, entityId, currency };
    const fields = { _id: newId(), ...owner, ...key, amountMinor, status: "PENDING" };
    return (await fundings.create(fields)).toObject();
  } catch (error) {
    const raced = isDuplicate(error) ? await fundings.findOne(key).lean() : null;
    if (raced) return raced;
    throw error;
  }
}

/** Posts a pending funding (again) and stores what the journal says. */
async function settle(fundings: Model<Funding>, log: BlockLog, funding: Funding): Promise<Funding> {
  const { _id: id, walletId, currency, amountMinor } = funding;
  const posting = { id, kind: "funding" as const, walletId, currency, amountMinor };
  const answer = await log.post({ posting, retry: true });
  if (answer.outcome === "failed") fail("UNAVAILABLE");
  const status = answer.outcome === "committed" ? "SUCCESS" : "FAILED";
  const settled = await fundings.findByIdAndUpdate(id, { status }, { new: true }).lean();
  return told(settled as Funding);
}

/** The only reason to decline a credit: the wallet, or the account it comes from, cannot hold it. */
function told(funding: Funding): Funding {
  return funding.status === "FAILED" ? fail("BALANCE_BOUND") : funding;
}

const SWEEP_AFTER_MS = 10_000;
const SWEEP_AT_MOST = 100;

/** Ends the fundings whose process died before it heard of their posting. */
export async function sweepFundings(fundings: Model<Funding>, log: BlockLog): Promise<void> {
  const before = new Date(Date.now() - SWEEP_AFTER_MS);
  const left = await fundings
    .find({ status: "PENDING", createdAt: { $lt: before } })
    .limit(SWEEP_AT_MOST)
    .lean();
  await Promise.allSettled(left.map((funding) => settle(fundings, log, funding)));
}

/** A funding in the shape of a transaction. */
export function transactionOf(funding: Funding) {
  return {
    id: funding._id,
    flow: "FUNDING" as const,
    status: funding.status,
    amount: toDecimal(funding.amountMinor),
    fees: toDecimal(0),
    currency: funding.currency,
    method: null,
    entityId: funding.entityId,
    walletId: funding.walletId,
    linkedAccountId: null,
    reason: funding.reference,
    failureReason: null,
    needsAttention: false,
    createdAt: funding.createdAt.toISOString(),
    updatedAt: funding.updatedAt.toISOString(),
  };
}

export interface FundingFilter {
  businessId: string;
  entityId?: string;
  status?: string;
  from?: string;
  to?: string;
  cursor?: string;
  limit?: number;
}

/** Fundings of a business as transactions, newest first; `from` inclusive, `to` exclusive. */
export async function listFundings(
  fundings: Model<Funding>,
  { businessId, entityId, status, from, to, cursor, limit }: FundingFilter,
) {
  const filter: FilterQuery<Funding> = { businessId };
  if (entityId) filter.entityId = entityId;
  if (status) filter.status = status as Funding["status"];
  if (from || to) {
    filter.createdAt = { ...(from && { $gte: new Date(from) }), ...(to && { $lt: new Date(to) }) };
  }
  const { documents, nextCursor } = await newestFirst(fundings, filter, { cursor, limit });
  return { items: documents.map(transactionOf), meta: { nextCursor } };
}
