// Finds linked accounts: counts the matches of a request and reads a page by a plan (plan.ts).
// Every read names its index, so that it does not depend on the database's choice. No read scans
// all accounts of a business for a few matches, and none sorts more than SORTED_AT_MOST of them.

import type { Model } from "mongoose";
import { BROAD_READ_MS, isExpired, orTooBroad } from "../../../shared/storage/database.ts";
import { INDEXES, type LinkedAccount } from "../linked-account.model.ts";
import { readCount } from "./counts.ts";
import {
  type AccountQuery,
  buildFilters,
  drivenBy,
  type Filter,
  planReads,
  type ReadPlan,
  sortOrder,
} from "./plan.ts";
import { listName, type ReadList } from "./search-keys.ts";

/** Filters are counted to the first limit, and to the next one while none is rarer. */
const WORTH_COUNTING = [1_000, 10_000, 100_000];

/**
 * A page of linked accounts, without their search keys, and the number of all matches.
 * @throws TOO_BROAD if the search takes too long
 */
export async function findLinked(
  accounts: Model<LinkedAccount>,
  wanted: AccountQuery,
): Promise<{ found: LinkedAccount[]; total: number }> {
  const endsAt = performance.now() + BROAD_READ_MS;
  const timeLeft = () => Math.max(1, Math.ceil(endsAt - performance.now()));
  return orTooBroad(async () => {
    const list = listName(wanted.businessId, wanted.currency);
    const filters = buildFilters(wanted);
    const driver = await findRarest(accounts, list, filters, timeLeft);
    const total = await countMatches(accounts, list, wanted, filters, driver, timeLeft);
    if (wanted.skip >= total) return { found: [], total };
    const plans = planReads(list, wanted, filters, driver, total);
    const found = await firstInTime(accounts, wanted, plans, timeLeft);
    return { found, total };
  });
}

/** The filter with the fewest matches, counted only up to the limits. */
export async function findRarest(
  accounts: Model<LinkedAccount>,
  list: ReadList,
  filters: Filter[],
  timeLeft: () => number,
  bounds = WORTH_COUNTING,
): Promise<Filter | undefined> {
  const drivers = filters.filter(({ index }) => index === "keys" || index === "entityId");
  if (drivers.length < 2) return drivers[0] ?? filters[0];
  let rarest = drivers[0];
  for (const bound of bounds) {
    const counts = await Promise.all(
      drivers.map(({ range, index }) =>
        accounts
          .countDocuments({ list, ...range })
          .hint(INDEXES[index])
          .limit(bound)
          .maxTimeMS(timeLeft()),
      ),
    );
    const least = Math.min(...counts);
    rarest = drivers[counts.indexOf(least)];
    if (least < bound) break;
  }
  return rarest;
}

/** The number of matches: stored for a list or its end users, else counted. */
function countMatches(
  accounts: Model<LinkedAccount>,
  list: string,
  { entityType }: AccountQuery,
  filters: Filter[],
  driver: Filter | undefined,
  timeLeft: () => number,
): Promise<number> {
  if (driver === undefined) return readCount(accounts, list, "accounts");
  if (filters.length === 1 && driver.index === "entityType" && entityType === "USER") {
    return readCount(accounts, list, "ofUsers");
  }
  return accounts
    .countDocuments(drivenBy(list, filters, driver))
    .hint(INDEXES[driver.index])
    .maxTimeMS(timeLeft());
}

async function firstInTime(
  accounts: Model<LinkedAccount>,
  wanted: AccountQuery,
  [{ index, filter, withinMs }, ...others]: [ReadPlan, ...ReadPlan[]],
  timeLeft: () => number,
): Promise<LinkedAccount[]> {
  try {
    return await accounts
      .find({ ...filter, ...wanted.ids }, { keys: 0, folded: 0 })
      .sort(sortOrder(wanted))
      .skip(wanted.skip)
      .limit(wanted.limit)
      .hint(INDEXES[index])
      .maxTimeMS(Math.min(withinMs ?? BROAD_READ_MS, timeLeft()))
      .lean<LinkedAccount[]>();
  } catch (error) {
    const [next, ...rest] = others;
    if (!next || !isExpired(error)) throw error;
    return firstInTime(accounts, wanted, [next, ...rest], timeLeft);
  }
}
