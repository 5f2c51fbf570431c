// Retired indexes: no model names them any more, because other indexes serve their queries.

import type { Index } from "../../shared/storage/indexes.ts";

export interface RetiredIndex {
  collection: string;
  index: Pick<Index, "key" | "partialFilterExpression">;
  /**
   * The first SCHEMA_VERSION whose code does not use it. It is dropped by the first release that
   * runs beside no older code, which its READABLE_FROM says.
   */
  unusedSince: number;
}

const visible = { partialFilterExpression: { visible: true } };

/** The lists of a business by each filter; payout.model.ts has the one that serves all. */
const LISTS_OF_A_BUSINESS: Index["key"][] = [
  { businessId: 1, _id: -1 },
  { businessId: 1, status: 1, _id: -1 },
  { businessId: 1, entityId: 1, _id: -1 },
  { businessId: 1, flow: 1, _id: -1 },
];

/** The list of an entity's withdrawals to an account; the accounts' own index serves it. */
const OWN_BY_ACCOUNT = { entityId: 1, linkedAccountId: 1, _id: -1 };

export const RETIRED: RetiredIndex[] = [
  ...LISTS_OF_A_BUSINESS.map((key) => ({
    collection: "payouts",
    index: { key, ...visible },
    unusedSince: 4,
  })),
  { collection: "payouts", index: { key: OWN_BY_ACCOUNT, ...visible }, unusedSince: 6 },
];
