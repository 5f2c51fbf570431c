// The statistics of a business, for charts, and of all businesses: each service counts its own
// transactions.

import { action } from "../../../shared/contracts/contract.ts";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import {
  allStatisticsParams,
  statisticsParams,
  statisticsRows,
} from "../../../shared/contracts/statistics.ts";
import { ADMIN, type Call, composed, OWN_BUSINESS, type Route } from "../http/route.ts";

const statistics = action({
  does: "Shows the statistics of a business by day. For each day in UTC and each of payouts, collections and refunds it counts what was created on the day, by its outcome until now",
  params: statisticsParams,
  result: statisticsRows,
  errors: ["TOO_BROAD"],
});

const allStatistics = {
  ...statistics,
  does: "Shows the statistics of all businesses by day, as those of one business. They have no times to settlement",
  params: allStatisticsParams,
};

async function getStatistics(
  params: Params<"payouts.statistics">,
  call: Call,
): Promise<Result<"payouts.statistics">> {
  const rows = await Promise.all([
    call("payouts.statistics", params),
    call("payment-links.statistics", params),
  ]);
  return rows.flat().toSorted((a, b) => a.day.localeCompare(b.day));
}

const ROW = {
  day: "2026-01-05",
  currency: "USD",
  succeeded: 0,
  failed: 0,
  open: 0,
  amount: "0.00",
  fees: "0.00",
  secondsToSettle: null,
};

const EXAMPLES = [
  { ...ROW, flow: "payouts", succeeded: 117, failed: 2, open: 1, amount: "2954.25", fees: "29.25" },
  { ...ROW, flow: "collections", succeeded: 40, amount: "1000.00", fees: "41.00" },
  { ...ROW, flow: "refunds", succeeded: 1, amount: "25.00", fees: "1.03" },
];
const secondsToSettle = { median: 86_412.5, p95: 172_800 };

export const statisticsRoute: Route = composed(
  "GET /v1/business/:businessId/statistics",
  OWN_BUSINESS,
  "getStatistics",
  statistics,
  getStatistics,
  {
    example: {
      response: {
        success: true,
        data: EXAMPLES.map((row) => (row.flow === "payouts" ? { ...row, secondsToSettle } : row)),
      },
    },
  },
);

export const allStatisticsRoute: Route = composed(
  "GET /v1/admin/statistics",
  ADMIN,
  "getStatisticsOfAll",
  allStatistics,
  getStatistics,
  { example: { response: { success: true, data: EXAMPLES } } },
);
