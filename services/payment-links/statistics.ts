// The statistics of a business's payments and refunds.

import type { mongo } from "mongoose";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { type Counted, countByDay } from "../../shared/storage/statistics.ts";
import { OF_BUSINESS, type Payment } from "./payments/payment.model.ts";
import { OF_BUSINESS as REFUNDS_OF_BUSINESS, type Refund } from "./refunds/refund.model.ts";

/** @param now epoch ms */
export async function readStatistics(
  payments: mongo.Collection<Payment>,
  refunds: mongo.Collection<Refund>,
  params: Params<"payment-links.statistics">,
  now: number,
): Promise<Result<"payment-links.statistics">> {
  const collections: Counted<Payment> = {
    flow: "collections",
    documents: payments,
    index: OF_BUSINESS,
    succeeded: "SUCCEEDED",
    amountMinor: "$totalMinor",
  };
  const returned: Counted<Refund> = {
    flow: "refunds",
    documents: refunds,
    index: REFUNDS_OF_BUSINESS,
    shown: { visible: true },
    succeeded: "SUCCEEDED",
    amountMinor: "$amountMinor",
  };
  const [ofPayments, ofRefunds] = await Promise.all([
    countByDay(collections, params, now),
    countByDay(returned, params, now),
  ]);
  return [...ofPayments, ...ofRefunds];
}
