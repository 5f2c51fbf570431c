// The statistics of a business's payouts.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { type Counted, countByDay } from "../../shared/storage/statistics.ts";
import { allAccepted } from "./accepted.ts";
import type { Deps } from "./deps.ts";
import { EVERY_FLOW, EVERY_STATUS, OF_BUSINESS, type Payout } from "./payout.model.ts";

/** @param now epoch ms */
export function readStatistics(
  deps: Pick<Deps, "payouts" | "isDebited">,
  params: Params<"payouts.statistics">,
  now: number,
): Promise<Result<"payouts.statistics">> {
  const counted: Counted<Payout> = {
    flow: "payouts",
    documents: deps.payouts,
    index: OF_BUSINESS,
    shown: { visible: true, flow: EVERY_FLOW, status: EVERY_STATUS },
    undecided: {
      step: "debit",
      fields: ["step", "visible", "walletId"],
      // While the ledger does not answer, no undecided payout is counted.
      decide: (payouts) =>
        allAccepted(deps.isDebited, payouts as Payout[]).then(
          ({ length }) => length,
          () => 0,
        ),
    },
    succeeded: "SUCCESS",
    amountMinor: { $add: ["$amountMinor", "$feesMinor"] },
    // The first state is from the payout's insert, and the last one of these is the success.
    settledMs: { $subtract: [{ $last: "$states.at" }, { $first: "$states.at" }] },
  };
  return countByDay(counted, params, now);
}
