// The numbers of a business's invoices: counted from 1, each given once. A number is taken before
// its invoice is stored. So a gap remains if a process dies in between, if the answer to the count
// is lost, and if two drivers issue the same invoice at the same time; there are no other gaps.

import type { mongo } from "mongoose";
import { gatherPerKey } from "../../../shared/resumable/gather.ts";
import type { InvoiceCount } from "./invoice.model.ts";

const BATCH = { maxItems: 500 };

/** Takes the next number of a business; requests that come together share one update. */
export function gatherNumbers(
  counts: mongo.Collection<InvoiceCount>,
): (businessId: string) => Promise<number> {
  return gatherPerKey(
    (businessId: string) => businessId,
    async (businessId, { length }) => {
      const counted = await counts.findOneAndUpdate(
        { _id: businessId },
        { $inc: { last: length } },
        { upsert: true, returnDocument: "after" },
      );
      const { last } = counted as InvoiceCount;
      return Array.from({ length }, (_, i) => last - length + 1 + i);
    },
    BATCH,
  );
}
