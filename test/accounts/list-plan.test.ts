// The plan of a list's read: which index it reads, and whether it reads in order or sorts.

import {
  type AccountQuery,
  buildFilters,
  GIVE_UP_ORDERED_MS,
  planReads,
  SORTED_AT_MOST,
  SORTED_AT_ONCE,
} from "../../services/accounts/lists/plan.ts";

const BUSINESS: AccountQuery = {
  ...{ businessId: "b", currency: "USD", sortBy: "createdAt", skip: 0, limit: 50 },
};
const BY_NAME = { sortBy: "counterPartyName" } as const;
const BY_LAST4 = { last4: "6789" };

test.each<[string, Partial<AccountQuery>, total: number, indexes: string[]]>([
  ["no filter, by time", {}, 1e6, ["createdAt"]],
  ["no filter, by currency, which a list has one of", { sortBy: "currency" }, 1e6, ["createdAt"]],
  ["no filter, by name", BY_NAME, 1e6, ["counterPartyName"]],
  ["an owner, by time", { entityId: "e" }, 1e6, ["entityId"]],
  ["an owner, by name", { entityId: "e", ...BY_NAME }, SORTED_AT_ONCE, ["entityId"]],
  ["a text without a character", { search: "", ...BY_NAME }, 1e6, ["counterPartyName"]],
  ["few matches, by time", BY_LAST4, SORTED_AT_ONCE, ["keys"]],
  ["many, by time", BY_LAST4, SORTED_AT_ONCE + 1, ["createdAt", "keys"]],
  ["many, by name", { ...BY_LAST4, ...BY_NAME }, SORTED_AT_MOST, ["counterPartyName", "keys"]],
  ["too many to sort", { ...BY_LAST4, ...BY_NAME }, SORTED_AT_MOST + 1, ["counterPartyName"]],
])("%s", (_case, asked, total, indexes) => {
  const wanted = { ...BUSINESS, ...asked };
  const filters = buildFilters(wanted);
  const plans = planReads("b:USD", wanted, filters, filters[0], total);
  expect(plans.map(({ index }) => index)).toEqual(indexes);
  // Only the last plan has all the time.
  const times = indexes.map((_, i) => (i < indexes.length - 1 ? GIVE_UP_ORDERED_MS : undefined));
  expect(plans.map(({ withinMs }) => withinMs)).toEqual(times);
  for (const { filter } of plans) expect(filter.list).toBe("b:USD");
});
