// The query of a list of transactions: every service that has transactions filters them in this one way.

import type { FilterQuery } from "mongoose";
import { lowestIdAt } from "./ids.ts";

/** The parameters of a list; each that is left out lets everything pass. */
interface Filter {
  businessId: string;
  status?: string;
  entityId?: string;
  flow?: string;
  needsAttention?: boolean;
  /** ISO 8601, inclusive. */
  from?: string;
  /** ISO 8601, exclusive. */
  to?: string;
}

/** The field that says when a transaction was made, and a moment (epoch ms) in the form of the field. */
interface MadeBy {
  field: string;
  at(ms: number): unknown;
}

const BY_ID: MadeBy = { field: "_id", at: lowestIdAt };
/** For documents with a date, which lists show, beside their id. */
export const BY_CREATED_AT: MadeBy = { field: "createdAt", at: (ms) => new Date(ms) };

/** The documents that a filter lets pass, as a query. */
export function transactionQuery<T>(
  { from, to, ...fields }: Filter,
  { field, at }: MadeBy = BY_ID,
): FilterQuery<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const made = {
    ...(from && { $gte: at(Date.parse(from)) }),
    ...(to && { $lt: at(Date.parse(to)) }),
  };
  return {
    ...Object.fromEntries(given),
    ...(Object.keys(made).length > 0 && { [field]: made }),
  } as FilterQuery<T>;
}
