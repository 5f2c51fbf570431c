// The query for a list of transactions, the same for every service that has transactions.

import type { FilterQuery } from "mongoose";
import { lowestIdAt } from "../ids.ts";

/** The parameters of a list; an absent one filters nothing. */
interface Filter {
  businessId: string;
  /** ISO 8601, inclusive. */
  from?: string;
  /** ISO 8601, exclusive. */
  to?: string;
  [field: string]: unknown;
}

/**
 * The field with the time of creation, and the conversion of a time (epoch ms) to the field's form.
 */
interface MadeBy {
  field: string;
  at(ms: number): unknown;
}

/** The bounds of a list's amounts as a condition on minor units; undefined without bounds. */
export function amountsWithin({
  amountFrom,
  amountTo,
}: {
  amountFrom?: string;
  amountTo?: string;
}): { $gte?: number; $lte?: number } | undefined {
  if (amountFrom === undefined && amountTo === undefined) return undefined;
  return {
    ...(amountFrom !== undefined && { $gte: minorOf(amountFrom) }),
    ...(amountTo !== undefined && { $lte: minorOf(amountTo) }),
  };
}

/** @param amount a decimal with at most two places */
function minorOf(amount: string): number {
  return Math.round(Number(amount) * 100);
}

const BY_ID: MadeBy = { field: "_id", at: lowestIdAt };
/** For documents with a creation date of their own, which lists show. */
export const BY_CREATED_AT: MadeBy = { field: "createdAt", at: (ms) => new Date(ms) };

/** The query for the documents that pass a filter. */
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
