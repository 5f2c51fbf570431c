// The statistics of the business by day.

import { call, type Data } from "../api.ts";
import type { Currency } from "./currencies.ts";

export type DayRow = Data<"GET /v1/business/{businessId}/statistics">[number];

/** The same days, oldest first, of each kind. */
export interface Statistics {
  payouts: DayRow[];
  collections: DayRow[];
  refunds: DayRow[];
}

const DAY_MS = 86_400_000;

/** The beginning of today in UTC, epoch ms. */
export function startOfToday(): number {
  return Math.floor(Date.now() / DAY_MS) * DAY_MS;
}

/** The rows of today, of several currencies. */
export async function readToday(currencies: string[]): Promise<DayRow[]> {
  const all = await Promise.all(currencies.map((currency) => readStatistics(currency, 1)));
  return all.flatMap(({ payouts, collections }) => [...payouts, ...collections]);
}

/** @param days how many, today included; days are UTC's */
export async function readStatistics(currency: string, days: number): Promise<Statistics> {
  const rows = await call("GET /v1/business/{businessId}/statistics", {
    from: new Date(startOfToday() - (days - 1) * DAY_MS).toISOString(),
    currency: currency as Currency,
  });
  const of = (flow: DayRow["flow"]) => rows.filter((row) => row.flow === flow);
  return { payouts: of("payouts"), collections: of("collections"), refunds: of("refunds") };
}
