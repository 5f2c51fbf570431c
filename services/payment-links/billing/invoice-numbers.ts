// The numbers of a business's invoices: counted from 1, each given once. A number is taken before
// its invoice is stored. So a gap remains if a process dies in between, if the answer to the count
// is lost, and if two drivers issue the same invoice at once; there are no other gaps.

import type { mongo } from "mongoose";
import { gather } from "../../../shared/resumable/gather.ts";
import type { InvoiceCount } from "./invoice.model.ts";

const MOST_AT_ONCE = 500;

/** Takes the next number of a business; requests that come together share one update. */
export function gatherNumbers(
  counts: mongo.Collection<InvoiceCount>,
): (businessId: string) => Promise<number> {
  return gather<string, number>(
    async (businesses) => {
      const places = Map.groupBy(businesses.keys(), (i) => businesses[i] as string);
      const numbers: (number | Error)[] = [];
      await Promise.all(
        [...places].map(async ([business, asking]) => {
          const last = await take(counts, business, asking.length).catch((e: Error) => e);
          for (const [i, place] of asking.entries()) {
            numbers[place] = typeof last === "number" ? last - asking.length + 1 + i : last;
          }
        }),
      );
      return numbers;
    },
    { maxItems: MOST_AT_ONCE },
  );
}

/** @returns the last number taken */
async function take(
  counts: mongo.Collection<InvoiceCount>,
  businessId: string,
  count: number,
): Promise<number> {
  const counted = await counts.findOneAndUpdate(
    { _id: businessId },
    { $inc: { last: count } },
    { upsert: true, returnDocument: "after" },
  );
  return (counted as InvoiceCount).last;
}
