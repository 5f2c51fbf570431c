// Every list of payouts of a business has an index for each filter, so that a page of a large
// business is read without a scan.

import { payoutSchema } from "../../services/payouts/payout.model.ts";
import { cursored } from "../../shared/contracts/contract.ts";
import { contracts } from "../../shared/contracts.ts";

/** `from` and `to` are bounds of the `_id`, which every index has. */
const WITHOUT_INDEX = ["businessId", "from", "to", ...Object.keys(cursored)];

const lists = Object.entries(contracts)
  .filter(([name, { params }]) => {
    return name.startsWith("payouts.") && "businessId" in params && "cursor" in params;
  })
  .map(([name, { params }]) => ({
    name,
    filters: Object.keys(params).filter((field) => !WITHOUT_INDEX.includes(field)),
  }));

test.each(lists)("each filter of $name has an index", ({ filters }) => {
  const indexed = payoutSchema.indexes().map(([fields]) => Object.keys(fields).join());
  expect(
    filters.map((field) => `businessId,${field},_id`).filter((index) => !indexed.includes(index)),
  ).toEqual([]);
});
