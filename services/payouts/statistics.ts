// The statistics of a business's payouts.

import type { mongo } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { type Counted, countByDay } from "../../shared/storage/statistics.ts";
import { EVERY_FLOW, EVERY_STATUS, OF_BUSINESS, type Payout } from "./payout.model.ts";

/** @param now epoch ms */
export function readStatistics(
  payouts: mongo.Collection<Payout>,
  params: Params<"payouts.statistics">,
  now: number,
): Promise<Result<"payouts.statistics">> {
  const counted: Counted<Payout> = {
    flow: "payouts",
    documents: payouts,
    index: OF_BUSINESS,
    shown: { visible: true, flow: EVERY_FLOW, status: EVERY_STATUS },
    succeeded: "SUCCESS",
    amountMinor: { $add: ["$amountMinor", "$feesMinor"] },
    // The first state is the acceptance, and the last one of these is the success.
    settledMs: { $subtract: [{ $last: "$states.at" }, { $first: "$states.at" }] },
  };
  return countByDay(counted, params, now);
}
