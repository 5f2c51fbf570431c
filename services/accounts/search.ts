// How linked accounts are found: the plan by which a page of a list and its total are read. Every read names its index, so that none depends on what the database
// guesses; none reads a business's accounts to find the few that match, and none sorts more than
// SORTED_IN_MEMORY of them.

import type { FilterQuery, Model, SortOrder } from "mongoose";
import { fail } from "../../shared/errors.ts";
import type { Currency } from "../../shared/money.ts";
import { countOf } from "./counts.ts";
import { INDEXES, type LinkedAccount, type SortField } from "./linked-account.model.ts";
import { DIGITS, fold, KEY_LENGTH, listOf, TEXTS } from "./search-keys.ts";

/** Up to so many matches are sorted in memory; where there are more, an index in order is read. */
const SORTED_IN_MEMORY = 10_000;

/** Both reads together; less than the contract's 5 s, so that the answer says what happened. */
const MAX_TIME_MS = 4_000;
const MAX_TIME_EXPIRED = 50;

export interface Wanted {
  businessId: string;
  currency: Currency;
  /** Of one entity. */
  entityId?: string | undefined;
  /** Of end users alone. */
  entityType?: "USER" | undefined;
  optionType?: LinkedAccount["optionType"] | undefined;
  /** Parts of the texts; an empty one filters nothing. */
  search?: string | undefined;
  email?: string | undefined;
  bank?: string | undefined;
  /** One to four digits. */
  last4?: string | undefined;
  sortBy: SortField;
  direction: 1 | -1;
  skip: number;
  limit: number;
}

/** A filter, as a range of an index and as it is asked of a document. */
interface Filter {
  /** What the index answers. */
  range: FilterQuery<LinkedAccount>;
  index: keyof typeof INDEXES;
  /** What is asked of a document that another index found. */
  check: FilterQuery<LinkedAccount>;
  /** Whether the range holds nothing but matches. */
  exact: boolean;
}

/**
 * A page of linked accounts, without what is kept only to find them, and how many match in all.
 * @throws TOO_BROAD where it takes longer than it may
 */
export async function findLinked(
  accounts: Model<LinkedAccount>,
  wanted: Wanted,
): Promise<{ found: LinkedAccount[]; total: number }> {
  const deadline = Date.now() + MAX_TIME_MS;
  const timeLeft = () => Math.max(1, deadline - Date.now());
  try {
    const list = listOf(wanted.businessId, wanted.currency);
    const filters = filtersOf(wanted);
    const driver = await rarestOf(accounts, list, filters, timeLeft);
    const total = await totalOf(accounts, list, wanted, filters, driver, timeLeft);
    if (wanted.skip >= total) return { found: [], total };
    const { index, filter } = planOf(list, wanted, filters, driver, total);
    const found = await accounts
      .find(filter, { keys: 0, folded: 0 })
      .sort(orderOf(wanted))
      .skip(wanted.skip)
      .limit(wanted.limit)
      .hint(INDEXES[index])
      .maxTimeMS(timeLeft())
      .lean<LinkedAccount[]>();
    return { found, total };
  } catch (error) {
    if ((error as { code?: unknown }).code === MAX_TIME_EXPIRED) fail("TOO_BROAD");
    throw error;
  }
}

function filtersOf(wanted: Wanted): Filter[] {
  const { entityId, entityType, optionType, last4 } = wanted;
  const filters: Filter[] = [];
  const equal = (index: "entityId" | "entityType" | "optionType", value: string | undefined) => {
    const is = { [index]: value };
    if (value !== undefined) filters.push({ range: is, index, check: is, exact: true });
  };
  equal("entityId", entityId);
  // Whose entity it is says of which type it is; the rarer index is known.
  equal("entityType", entityId === undefined ? entityType : undefined);
  equal("optionType", optionType);
  if (last4) {
    const check = { lastFour: { $regex: `${last4}$` } };
    filters.push({ range: { keys: DIGITS + last4 }, index: "keys", check, exact: true });
  }
  for (const name of ["search", "email", "bank"] as const) {
    const part = fold(wanted[name] ?? "");
    if (part !== "") filters.push(textFilter(TEXTS[name], part));
  }
  return filters;
}

function textFilter({ letter, field }: (typeof TEXTS)[keyof typeof TEXTS], part: string): Filter {
  const characters = Array.from(part);
  const key = characters.slice(0, KEY_LENGTH).join("");
  return {
    range: { keys: { $regex: `^${letter}${literal(key)}` } },
    index: "keys",
    check: { [`folded.${field}`]: { $regex: literal(part) } },
    exact: characters.length <= KEY_LENGTH,
  };
}

/** As a pattern that matches that text alone. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The filter that the fewest accounts pass, as far as it is worth counting. */
async function rarestOf(
  accounts: Model<LinkedAccount>,
  list: string,
  filters: Filter[],
  timeLeft: () => number,
): Promise<Filter | undefined> {
  if (filters.length < 2) return filters[0];
  const counts = await Promise.all(
    filters.map(({ range, index }) =>
      accounts
        .countDocuments({ list, ...range })
        .hint(INDEXES[index])
        .limit(SORTED_IN_MEMORY + 1)
        .maxTimeMS(timeLeft()),
    ),
  );
  return filters[counts.indexOf(Math.min(...counts))];
}

/** How many match: kept where nothing is filtered but the end users, else counted by the index. */
function totalOf(
  accounts: Model<LinkedAccount>,
  list: string,
  { entityType }: Wanted,
  filters: Filter[],
  driver: Filter | undefined,
  timeLeft: () => number,
): Promise<number> {
  if (driver === undefined) return countOf(accounts, list, "accounts");
  if (filters.length === 1 && driver.index === "entityType" && entityType === "USER") {
    return countOf(accounts, list, "ofUsers");
  }
  return accounts
    .countDocuments(drivenBy(list, filters, driver))
    .hint(INDEXES[driver.index])
    .maxTimeMS(timeLeft());
}

/** All filters, of which one is the range that is read. */
function drivenBy(
  list: string,
  filters: Filter[],
  driver: Filter | undefined,
): FilterQuery<LinkedAccount> {
  const checks = filters.filter((filter) => filter !== driver || !filter.exact);
  return Object.assign({ list, ...driver?.range }, ...checks.map(({ check }) => check));
}

/**
 * By the filter's index where it is in the order that is asked for, or the matches are few enough to
 * be sorted; else in order, past what does not match, which is then seldom far.
 */
function planOf(
  list: string,
  { sortBy }: Wanted,
  filters: Filter[],
  driver: Filter | undefined,
  total: number,
): { index: keyof typeof INDEXES; filter: FilterQuery<LinkedAccount> } {
  const byId = sortBy === "createdAt" || sortBy === "currency";
  const inOrder = byId && driver !== undefined && driver.index !== "keys";
  if (driver && (inOrder || total <= SORTED_IN_MEMORY)) {
    return { index: driver.index, filter: drivenBy(list, filters, driver) };
  }
  return { index: byId ? "createdAt" : sortBy, filter: drivenBy(list, filters, undefined) };
}

/** Ids are made in the order of createdAt, and a list has one currency. */
function orderOf({ sortBy, direction }: Wanted): Record<string, SortOrder> {
  if (sortBy === "createdAt" || sortBy === "currency") return { _id: direction };
  return { [sortBy]: direction, _id: direction };
}
