// The bench's table of aims.

import { type AimRow, formatTable, isReached } from "../../../tools/bench/support/table.ts";

const ROWS: AimRow[] = [
  {
    what: "posts",
    figure: 12.345,
    aim: { atLeast: 12 },
    beside: "24,690/s / 2,000/s",
  },
  { what: "p50", figure: 3.456, aim: { atMost: 3 }, beside: "6.9 ms / 2 ms" },
  {
    what: "invoices",
    figure: 2_499.6,
    unit: "/s",
    aim: { atLeast: 2_500 },
    beside: "",
  },
  { what: "start", figure: 5.5, unit: "s", beside: "" },
];

test("a figure reaches an aim from the right side", () => {
  expect(ROWS.map(isReached)).toEqual([true, false, false, null]);
});

test("the table is Markdown with a line for each row", () => {
  expect(formatTable(ROWS)).toMatchInlineSnapshot(`
   "| row      | figure   | aim     | reached | beside it |
   |----------|----------|---------|---------|---|
   | posts    | 12.3     | ≥ 12    | yes     | 24,690/s / 2,000/s |
   | p50      | 3.46     | ≤ 3     | **no**  | 6.9 ms / 2 ms |
   | invoices | 2,500 /s | ≥ 2,500 | **no**  |  |
   | start    | 5.5 s    |         |         |  |"
  `);
});
