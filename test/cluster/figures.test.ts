// The figures of a small history that is made by hand, of one run and of two.

import ansis from "ansis";
import type { Incident } from "./contract.ts";
import { computeFigures, percentile, TWO_AT_ONCE } from "./figures.ts";
import { formatSum } from "./figures-table.ts";
import type { Entry, Kind } from "./workload/history.ts";

const entry = (kind: Kind, from: number, until: number, status: number): Entry => ({
  ...{ client: "payer-0", kind, op: `${kind}-${from}`, about: {}, gateway: "gateway-0" },
  ...{ method: "POST", path: "/", from, until, status },
});

const incident = (name: string, from: number, until: number): Incident => ({
  ...{ name, target: "mongo-0", from, until },
});

/** A withdrawal each second but in a fault from 10 s to 14 s, in which one ends unknown. */
const HISTORY = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((s) => entry("withdraw", s * 1_000, s * 1_000 + 100, 201)),
  entry("withdraw", 10_000, 13_000, 503),
  entry("withdraw", 13_500, 15_500, 201),
  entry("pay", 15_000, 15_200, 200),
  ...[16, 17, 18, 19, 20].map((s) => entry("withdraw", s * 1_000, s * 1_000 + 100, 201)),
];

test("a fault has its rates, its recovery and its unknown outcomes", () => {
  const { faults, loadMs } = computeFigures(HISTORY, [incident("cut", 10_000, 14_000)]);
  expect(faults).toEqual([
    {
      name: "cut",
      before: 1,
      during: 0,
      after: 1,
      fromBegin: { withdraw: 5_500, pay: 5_200 },
      fromEnd: { withdraw: 2_100, pay: 1_200 },
      silenceMs: 5_500,
      unknown: 1,
    },
  ]);
  expect(loadMs).toBe(19_100);
});

test("faults that overlap count as one, under a name of their own", () => {
  const { faults } = computeFigures(HISTORY, [
    incident("cut", 10_000, 12_000),
    incident("killed", 10_001, 14_000),
    incident("killed", 19_000, 20_050),
  ]);
  expect(faults.map(({ name }) => name)).toEqual([TWO_AT_ONCE, "killed"]);
  expect(faults[0]?.fromEnd).toEqual({ withdraw: 2_100, pay: 1_200 });
});

test("a recovery that the clients did not live to see is not counted", () => {
  const { faults } = computeFigures(HISTORY, [incident("cut", 19_000, 20_050)]);
  expect(faults[0]?.fromEnd).toEqual({});
});

test.each([
  [[3, 1, 2], 0.5, 2],
  [[1, 2], 0.5, 1],
  [[1, 2], 0.9, 2],
  [[7], 0.5, 7],
  [[], 0.5, undefined],
])("of %j the percentile %d is %s", (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

test("the figures of several runs are those of all their faults", () => {
  const sum = ansis.strip(
    formatSum([
      computeFigures(HISTORY, [incident("cut", 10_000, 14_000)]),
      computeFigures(HISTORY, [
        incident("cut", 10_000, 13_400),
        incident("killed", 17_500, 18_500),
      ]),
    ]),
  );
  expect(sum).toContain("2 runs, 0.01 hours of load, 34 requests,");
  expect(sum).toContain("2 of them with an unknown outcome; the longest took 3.0 s");
  expect(sum).toMatch(/^cut +2 .* 5\.5 s \/ 5\.5 s \/ 5\.5 s +2\.1 s \/ 2\.1 s \/ 2\.1 s /m);
  expect(sum).toMatch(/^killed +1 .* 0\.6 s +0\.6 s +- /m);
});
