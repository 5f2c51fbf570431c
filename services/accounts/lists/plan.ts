// The plan of a read of linked accounts: from the filters of a request and the counts of their
// matches to an index, a range of it and the conditions on its documents. Pure.

import type { FilterQuery, SortOrder } from "mongoose";
import { ENTITY_TYPES } from "../../../shared/contracts/accounts.ts";
import type { Params } from "../../../shared/contracts/contracts.ts";
import type { SORTED_BY } from "../../../shared/contracts/linked-account-lists.ts";
import { OPTION_TYPES } from "../../../shared/contracts/linked-accounts.ts";
import type { before } from "../../../shared/storage/paging.ts";
import { exactPattern } from "../../../shared/texts.ts";
import type { INDEXES, LinkedAccount } from "../linked-account.model.ts";
import { DIGITS, emailAsStored, fold, keyOf, type ReadList, TEXTS } from "./search-keys.ts";

/** Up to this many matches are sorted in memory. */
export const SORTED_AT_ONCE = 10_000;
/** Up to this many are sorted in memory if an ordered read has been given up. */
export const SORTED_AT_MOST = 100_000;
/** An ordered read that takes longer skips more documents than was estimated. */
export const GIVE_UP_ORDERED_MS = 250;

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
export interface Filter {
  range: FilterQuery<LinkedAccount>;
  index: keyof typeof INDEXES;
  check: FilterQuery<LinkedAccount>;
  /** Whether every document in the range matches. */
  exact: boolean;
}

/** The filters of a request; likely rare ones come first, common ones last. */
export function buildFilters({
  entityId,
  entityType,
  optionType,
  last4,
  ...wanted
}: Omit<AccountOwner, "businessId"> & Pick<AccountQuery, Exclude<Filters, "currency">>): Filter[] {
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

function textFilter(
  { letter, field }: (typeof TEXTS)[keyof typeof TEXTS],
  part: string,
  kinds: FilterQuery<LinkedAccount>,
): Filter {
  const { key, isWhole } = keyOf(part);
  return {
    range: { ...kinds, keys: { $regex: `^${letter}${exactPattern(key)}` } },
    index: "keys",
    check: { [`folded.${field}`]: { $regex: exactPattern(part) } },
    exact: isWhole,
  };
}

/** All filters: one as the range that is read, the others as conditions. */
export function drivenBy(
  list: ReadList,
  filters: Filter[],
  driver: Filter | undefined,
): FilterQuery<LinkedAccount> {
  const checks = filters.filter((filter) => filter !== driver || !filter.exact);
  return Object.assign({ list, ...driver?.range }, ...checks.map(({ check }) => check));
}

export interface ReadPlan {
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
export function planReads(
  list: string,
  { sortBy }: AccountQuery,
  filters: Filter[],
  driver: Filter | undefined,
  total: number,
): [ReadPlan, ...ReadPlan[]] {
  const inOrder: ReadPlan = {
    index: isById(sortBy) ? "createdAt" : sortBy,
    filter: drivenBy(list, filters, undefined),
  };
  if (!driver) return [inOrder];
  const driven: ReadPlan = { index: driver.index, filter: drivenBy(list, filters, driver) };
  if ((isById(sortBy) && driver.index !== "keys") || total <= SORTED_AT_ONCE) return [driven];
  if (total > SORTED_AT_MOST) return [inOrder];
  return [{ ...inOrder, withinMs: GIVE_UP_ORDERED_MS }, driven];
}

/** Ids are made in the order of createdAt, and a list has one currency. */
function isById(sortBy: AccountQuery["sortBy"]): sortBy is "createdAt" | "currency" {
  return sortBy === "createdAt" || sortBy === "currency";
}

export function sortOrder({ sortBy, sortDirection }: AccountQuery): Record<string, SortOrder> {
  const direction = sortDirection === "DESC" ? -1 : 1;
  return isById(sortBy) ? { _id: direction } : { [sortBy]: direction, _id: direction };
}
