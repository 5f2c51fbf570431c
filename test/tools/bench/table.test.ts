// The bench's table, what it means for a user, and whether a run was a measurement.

import {
  type AimRow,
  findBusy,
  formatMeanings,
  formatTable,
  isReached,
} from "../../../tools/bench/support/table.ts";

const ROWS: AimRow[] = [
  {
    what: "posts",
    baseline: "update",
    figure: 12.345,
    aim: { atLeast: 12 },
    behind: "24,690/s beside 2,000/s",
  },
  {
    what: "p50",
    baseline: "insert",
    figure: 3.456,
    aim: { atMost: 3 },
    behind: "6.9 ms beside 2 ms",
    means: "A caller waits 6.9 ms.",
  },
  {
    what: "invoices",
    figure: 2_499.6,
    unit: "/s",
    aim: { atLeast: 2_500 },
    behind: "",
  },
  { what: "start", figure: 5.5, unit: "s", behind: "" },
];

test("a figure reaches an aim from the right side", () => {
  expect(ROWS.map(isReached)).toEqual([true, false, false, null]);
});

test("the table is Markdown with a line for each row", () => {
  expect(formatTable(ROWS)).toMatchInlineSnapshot(`
   "| measured | beside | figure   | aim     | behind it |
   |----------|--------|----------|---------|---|
   | posts    | update | 12.3     | ≥ 12    | 24,690/s beside 2,000/s |
   | p50      | insert | 3.46     | ≤ 3     | 6.9 ms beside 2 ms |
   | invoices |        | 2,500 /s | ≥ 2,500 |  |
   | start    |        | 5.5 s    |         |  |"
  `);
});

test("the rows with a meaning for a user are a list", () => {
  expect(formatMeanings(ROWS)).toBe("For a user of such a machine:\n- A caller waits 6.9 ms.");
  expect(formatMeanings([])).toBe("");
});

test("a run on a busy machine is no measurement", () => {
  expect(findBusy(1, 2)).toBeNull();
  expect(findBusy(1.01, 2)).toContain("This is no measurement");
});
