// The statistics of a business's payments and refunds.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { type Counted, countByDay } from "../../shared/storage/statistics.ts";
import { OF_BUSINESS, type Payment } from "./payments/payment.model.ts";
import type { RefundDeps } from "./refunds/deps.ts";
import { OF_BUSINESS as REFUNDS_OF_BUSINESS, type Refund } from "./refunds/refund.model.ts";

export async function readStatistics(
  { clock, payments, refunds }: RefundDeps,
  params: Params<"payment-links.statistics">,
): Promise<Result<"payment-links.statistics">> {
  const collections: Counted<Payment> = {
    flow: "collections",
    documents: payments.documents,
    index: OF_BUSINESS,
    succeeded: "SUCCEEDED",
    amountMinor: "$totalMinor",
  };
  const returned: Counted<Refund> = {
    flow: "refunds",
    documents: refunds.documents,
    index: REFUNDS_OF_BUSINESS,
    shown: { visible: true },
    succeeded: "SUCCEEDED",
    amountMinor: "$amountMinor",
  };
  const now = clock.now();
  const [ofPayments, ofRefunds] = await Promise.all([
    countByDay(collections, params, now),
    countByDay(returned, params, now),
  ]);
  return [...ofPayments, ...ofRefunds];
}
