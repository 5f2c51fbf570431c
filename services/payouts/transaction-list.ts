// The list of a business's payouts as transactions, by any combination of filters. Each list
// is read by the index that likely has the fewest payouts that the list leaves out; MongoDB checks
// on each payout the filters that the index does not have.

import type { FilterQuery, Model } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { STATUSES } from "../../shared/contracts/transactions.ts";
import { fail } from "../../shared/errors.ts";
import { orTooBroad } from "../../shared/storage/database.ts";
import { withinBound } from "../../shared/storage/paging.ts";
import {
  inOrder,
  isRare,
  MERGED_AT_ONCE,
  newestMatching,
  newestOf,
  orElse,
  type Range,
  type ReadPage,
  rangesOf,
} from "../../shared/storage/search.ts";
import { amountsWithin, transactionQuery } from "../../shared/storage/transaction-query.ts";
import { acceptedPage, type PayoutReading } from "./listing.ts";
import { toTransaction } from "./payload.ts";
import {
  BY_ACCOUNT,
  BY_AMOUNT,
  BY_REFERENCE,
  EVERY_FLOW,
  EVERY_STATUS,
  FLAGGED_OF_BUSINESS,
  OF_BUSINESS,
  OWN,
  type Payout,
} from "./payout.model.ts";

type Within = NonNullable<ReturnType<typeof amountsWithin>>;
type Asked = Params<"payouts.transactions">;
type Filter = Omit<Asked, "cursor" | "limit">;
type Parties = NonNullable<Asked["parties"]>;
type Alternative = NonNullable<Parties["alternatives"]>[number];

export interface TransactionReading extends PayoutReading {
  /** Finds the parties among those of some payouts. */
  findParties(asked: Params<"accounts.findParties">): Promise<Result<"accounts.findParties">>;
}

/**
 * Payouts of a business, newest first; `from` is inclusive, `to` exclusive. Every payout is a
 * WITHDRAWAL, and its own flow is PAYMENT or PAYOUT.
 * @throws TOO_BROAD
 */
export function listPayouts(
  reading: TransactionReading,
  { cursor, limit, ...filter }: Asked,
): Promise<Result<"payouts.transactions">> {
  return orTooBroad(async () => {
    const read = await planRead(reading, filter);
    const { documents, nextCursor } = await acceptedPage(reading.isDebited, read, {
      cursor,
      limit,
    });
    return { items: withinBound(documents.map(toTransaction)), meta: { nextCursor } };
  });
}

/** The filters as conditions; those of the amount and of the parties may be ranges of an index. */
interface Conditions {
  /** The conditions of every plan: the equal fields, and the range of the ids. */
  wanted: FilterQuery<Payout>;
  /** The payouts with a stored total, and the older ones. */
  amounts?: [{ totalMinor: Within }, FilterQuery<Payout>];
  alternatives?: Alternative[];
}

async function planRead(reading: TransactionReading, filter: Filter): Promise<ReadPage<Payout>> {
  const { payouts } = reading;
  const { businessId, parties } = filter;
  const read = await chooseRead(payouts, filter, conditionsOf(filter));
  if (!parties || parties.alternatives) return read;
  const { alternatives: _, ...searched } = parties;
  const paid = {
    fields: ["linkedAccountId", "entityId"] satisfies (keyof Payout)[],
    find: (found: Payout[]) => matching(reading, { businessId, ...searched }, found),
  };
  return (place) => newestMatching(payouts, read, paid, place);
}

function conditionsOf({ flow, parties, amountFrom, amountTo, ...equal }: Filter): Conditions {
  const within = amountsWithin({ amountFrom, amountTo });
  return {
    wanted: {
      ...transactionQuery<Payout>(equal),
      ...(flow !== undefined && flow !== "WITHDRAWAL" && { flow }),
      visible: true,
    },
    ...(within && { amounts: [{ totalMinor: within }, ofOlder(within)] }),
    ...(parties?.alternatives && { alternatives: parties.alternatives }),
  };
}

/** The payouts without a stored total, whose parts have a sum within bounds. */
function ofOlder(within: Within): FilterQuery<Payout> {
  const sum = { $add: ["$amountMinor", "$feesMinor"] };
  const bounds = Object.entries(within).map(([operator, bound]) => ({ [operator]: [sum, bound] }));
  return { totalMinor: null, $expr: { $and: bounds } };
}

/** Reads by the index that likely has the fewest payouts that the list leaves out. */
async function chooseRead(
  payouts: Model<Payout>,
  { businessId, reference, needsAttention, linkedAccountId, entityId }: Filter,
  conditions: Conditions,
): Promise<ReadPage<Payout>> {
  const { wanted, amounts, alternatives } = conditions;
  const every = { status: EVERY_STATUS, flow: EVERY_FLOW };
  const filter = { $and: [every, all(conditions)] } as FilterQuery<Payout>;
  const inOrderOf = (hint: Range<Payout>["hint"]) => inOrder(payouts, { filter, hint });
  const inRanges =
    (ranges: Range<Payout>[]): ReadPage<Payout> =>
    (...page) =>
      newestOf(payouts, ranges, ...page);

  if (reference !== undefined) return inOrderOf(BY_REFERENCE);
  if (needsAttention) return inOrderOf(FLAGGED_OF_BUSINESS);
  let read = inOrderOf(entityId === undefined ? OF_BUSINESS : OWN);
  if (amounts) {
    const others = all({ wanted, alternatives });
    const ranges = amounts.map((amount) => ({
      filter: { $and: [amount, others] } as FilterQuery<Payout>,
      hint: BY_AMOUNT,
    }));
    const [withTotal] = amounts;
    const ofAmount = { filter: { businessId, visible: true, ...withTotal }, hint: BY_AMOUNT };
    if (await isRare(payouts, ofAmount)) return inRanges(ranges);
    // The payouts of one amount are in the order of the list.
    const { $gte, $lte } = withTotal.totalMinor;
    read = $gte === $lte ? orElse(inRanges(ranges), read) : orElse(read, inRanges(ranges));
  }
  if (linkedAccountId !== undefined) read = orElse(inOrderOf(BY_ACCOUNT), read);
  if (!alternatives) return read;
  const others = all({ wanted, amounts });
  return orElse(inRanges(alternatives.flatMap((each) => rangesFor(each, others))), read);
}

function all({ wanted, amounts, alternatives }: Conditions): FilterQuery<Payout> {
  const either = [amounts, alternatives?.map(conditionOf)].flatMap((each) =>
    each ? [{ $or: each }] : [],
  );
  return { $and: [wanted, ...either] };
}

function conditionOf({ linkedAccountIds, entityIds }: Alternative): FilterQuery<Payout> {
  return {
    ...(linkedAccountIds && { linkedAccountId: { $in: linkedAccountIds } }),
    ...(entityIds && { entityId: { $in: entityIds } }),
  };
}

/** The payouts to the accounts, or else those of the entities. */
function rangesFor(alternative: Alternative, others: FilterQuery<Payout>): Range<Payout>[] {
  const { linkedAccountIds, entityIds = [] } = alternative;
  if (linkedAccountIds) {
    const rest = { $and: [others, conditionOf({ ...alternative, linkedAccountIds: undefined })] };
    return rangesOf(linkedAccountIds, MERGED_AT_ONCE, (some) => ({
      filter: { ...rest, linkedAccountId: some } as FilterQuery<Payout>,
      hint: BY_ACCOUNT,
    }));
  }
  // Each entity has a range for each status.
  return rangesOf(entityIds, MERGED_AT_ONCE / STATUSES.length, (some) => ({
    filter: { $and: [others, { status: EVERY_STATUS }], entityId: some } as FilterQuery<Payout>,
    hint: OWN,
  }));
}

/** The payouts to parties that a search finds. */
async function matching(
  { findParties }: TransactionReading,
  searched: Params<"accounts.findParties">,
  found: Payout[],
): Promise<Payout[]> {
  if (found.length === 0) return [];
  const { alternatives } = await findParties({
    ...searched,
    amongAccounts: [...new Set(found.map(({ linkedAccountId }) => linkedAccountId))],
    amongEntities: [...new Set(found.map(({ entityId }) => entityId))],
  });
  if (alternatives === null) fail("TOO_BROAD");
  const sets = alternatives.map(({ linkedAccountIds, entityIds }) => ({
    accounts: linkedAccountIds && new Set(linkedAccountIds),
    entities: entityIds && new Set(entityIds),
  }));
  return found.filter(({ linkedAccountId, entityId }) =>
    sets.some(
      ({ accounts, entities }) =>
        (accounts?.has(linkedAccountId) ?? true) && (entities?.has(entityId) ?? true),
    ),
  );
}
