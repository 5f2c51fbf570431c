// Gathered operations: which items share a batch, and what the failure of a batch leaves alone.

import { gatherPerKey } from "../../shared/resumable/gather.ts";

test("items share a batch with others of their key, and the failure of a key leaves the others", async () => {
  const batches: string[][] = [];
  const double = gatherPerKey(
    (item: string) => item.slice(0, 1),
    async (key, items) => {
      batches.push(items);
      if (key === "b") throw new Error("b fails");
      return items.map((item) => item + item);
    },
    { maxItems: 2 },
  );
  const settled = await Promise.allSettled(["a1", "b1", "a2", "a3", "b2"].map(double));
  expect(settled.map((each) => (each.status === "fulfilled" ? each.value : null))).toEqual([
    "a1a1",
    null,
    "a2a2",
    "a3a3",
    null,
  ]);
  expect(batches.map(String).toSorted()).toEqual(["a1,a2", "a3", "b1,b2"]);
  expect(await double("a4")).toBe("a4a4");
});
