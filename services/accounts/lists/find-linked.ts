// Finds linked accounts: plans how a page of a list and its total are read. Every read names its
// index, so that it does not depend on the database's choice. No read scans all accounts of a
// business for a few matches, and none sorts more than SORTED_AT_MOST of them.

import type { FilterQuery, Model, SortOrder } from "mongoose";
import { ENTITY_TYPES } from "../../../shared/contracts/accounts.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import type { SORTED_BY } from "../../../shared/contracts/linked-account-lists.ts";
import { OPTION_TYPES } from "../../../shared/contracts/linked-accounts.ts";
import { readEmail } from "../../../shared/email.ts";
import { BROAD_READ_MS, isExpired, orTooBroad } from "../../../shared/storage/database.ts";
import type { before } from "../../../shared/storage/paging.ts";
import { readCount } from "./counts.ts";
import { INDEXES, type LinkedAccount } from "../linked-account.model.ts";
import { DIGITS, fold, KEY_LENGTH, listName, TEXTS } from "./search-keys.ts";

/** Up to this many matches are sorted in memory; up to SORTED_AT_MOST after a slow ordered read. */
const SORTED_AT_ONCE = 10_000;
const SORTED_AT_MOST = 100_000;
const IN_ORDER_MS = 250;

/** Filters are counted to the first limit; to the second if none is rarer. */
const WORTH_COUNTING = [1_000, 100_000];

/** The owner: a business, the end users of a business, or one entity. */
export interface AccountOwner {
  businessId: string;
  entityType?: "USER";
  entityId?: string;
}

type Filters = "currency" | "optionType" | "search" | "email" | "bank" | "last4";

/** An empty `search`, `email` or `bank` matches everything. */
export interface AccountQuery
  extends AccountOwner,
    Pick<Params<"accounts.linkedAccounts">, Filters | "sortDirection"> {
  sortBy: (typeof SORTED_BY)[number];
  /** Only accounts with this condition on their ids. */
  ids?: ReturnType<typeof before>;
  skip: number;
  limit: number;
}

/** A filter in two forms: a range of an index, and a condition on a document. */
interface Filter {
  range: FilterQuery<LinkedAccount>;
  index: keyof typeof INDEXES;
  check: FilterQuery<LinkedAccount>;
  /** Whether every document in the range matches. */
  exact: boolean;
}

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

/** The filters of a request; likely rare ones come first, common ones last. */
function buildFilters({
  entityId,
  entityType,
  optionType,
  last4,
  ...wanted
}: AccountQuery): Filter[] {
  // Before the keys in their index, because there they cost no space and save a read.
  const kinds = {
    entityType: entityType ?? { $in: ENTITY_TYPES },
    optionType: optionType ?? { $in: OPTION_TYPES },
  };
  const filters: Filter[] = [];
  for (const name of ["search", "email", "bank"] as const) {
    const text = wanted[name] ?? "";
    const part = fold(name === "email" ? emailAsStored(text) : text);
    if (part !== "") filters.push(textFilter(TEXTS[name], part, kinds));
  }
  if (last4) {
    const range = { ...kinds, keys: DIGITS + last4 };
    const check = { lastFour: { $regex: `${last4}$` } };
    filters.push({ range, index: "keys", check, exact: true });
  }
  for (const [index, value] of Object.entries({ entityId, optionType, entityType })) {
    const is = { [index]: value };
    if (value) filters.push({ range: is, index: index as "entityId", check: is, exact: true });
  }
  return filters;
}

/** A whole address with a domain in Unicode is stored with its A-labels. */
function emailAsStored(part: string): string {
  const address = readEmail(part);
  return typeof address === "string" ? address : part;
}

function textFilter(
  { letter, field }: (typeof TEXTS)[keyof typeof TEXTS],
  part: string,
  kinds: FilterQuery<LinkedAccount>,
): Filter {
  const characters = Array.from(part);
  const key = characters.slice(0, KEY_LENGTH).join("");
  return {
    range: { ...kinds, keys: { $regex: `^${letter}${literal(key)}` } },
    index: "keys",
    check: { [`folded.${field}`]: { $regex: literal(part) } },
    exact: characters.length <= KEY_LENGTH,
  };
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The filter with the fewest matches, counted only up to the limits. */
async function findRarest(
  accounts: Model<LinkedAccount>,
  list: string,
  filters: Filter[],
  timeLeft: () => number,
): Promise<Filter | undefined> {
  const drivers = filters.filter(({ index }) => index === "keys" || index === "entityId");
  if (drivers.length < 2) return drivers[0] ?? filters[0];
  let rarest = drivers[0];
  for (const bound of WORTH_COUNTING) {
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

/** All filters: one as the range that is read, the others as conditions. */
function drivenBy(
  list: string,
  filters: Filter[],
  driver: Filter | undefined,
): FilterQuery<LinkedAccount> {
  const checks = filters.filter((filter) => filter !== driver || !filter.exact);
  return Object.assign({ list, ...driver?.range }, ...checks.map(({ check }) => check));
}

interface Plan {
  index: keyof typeof INDEXES;
  filter: FilterQuery<LinkedAccount>;
  /** The plan is abandoned after this time, and the next one is tried. */
  withinMs?: number;
}

/**
 * Reads by the filter's index if it is in the requested order, or if there are few matches. With
 * many matches it first reads in the requested order and skips documents that do not match. It
 * seldom skips many, unless the order is related to the filter (the emails of all Marias are
 * adjacent): then it sorts the matches, up to a limit.
 */
function planReads(
  list: string,
  { sortBy }: AccountQuery,
  filters: Filter[],
  driver: Filter | undefined,
  total: number,
): [Plan, ...Plan[]] {
  const inOrder: Plan = {
    index: isById(sortBy) ? "createdAt" : sortBy,
    filter: drivenBy(list, filters, undefined),
  };
  if (!driver) return [inOrder];
  const driven: Plan = { index: driver.index, filter: drivenBy(list, filters, driver) };
  if ((isById(sortBy) && driver.index !== "keys") || total <= SORTED_AT_ONCE) return [driven];
  if (total > SORTED_AT_MOST) return [inOrder];
  return [{ ...inOrder, withinMs: IN_ORDER_MS }, driven];
}

async function firstInTime(
  accounts: Model<LinkedAccount>,
  wanted: AccountQuery,
  [{ index, filter, withinMs }, ...others]: [Plan, ...Plan[]],
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

/** Ids are made in the order of createdAt, and a list has one currency. */
function isById(sortBy: AccountQuery["sortBy"]): sortBy is "createdAt" | "currency" {
  return sortBy === "createdAt" || sortBy === "currency";
}

function sortOrder({ sortBy, sortDirection }: AccountQuery): Record<string, SortOrder> {
  const direction = sortDirection === "DESC" ? -1 : 1;
  return isById(sortBy) ? { _id: direction } : { [sortBy]: direction, _id: direction };
}
