// Stores the totals of payouts that were made before lists had filters by amount. A list also finds
// payouts without a total, which the previous release makes beside this one.

import type { mongo } from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";

export async function storeTotals(db: mongo.Db): Promise<void> {
  await db
    .collection<Payout>("payouts")
    .updateMany({ totalMinor: { $exists: false } }, [
      { $set: { totalMinor: { $add: ["$amountMinor", "$feesMinor"] } } },
    ]);
}
