// Prints the figures of a run, and those of many runs, as tables.

import ansis from "ansis";
import {
  type FaultFigures,
  type Figures,
  type KindFigures,
  mean,
  percentile,
  sum,
} from "./figures.ts";

export function formatFigures({ faults, kinds, calmPerSecond }: Figures): string {
  return [
    `${calmPerSecond.toFixed(1)} requests per second without a fault`,
    "",
    ...faultTable(faults),
    "",
    ...table(KIND_COLUMNS, kinds),
  ].join("\n");
}

/** @param runs the figures of each run */
export function formatSum(runs: readonly Figures[]): string {
  const kinds = runs.flatMap((run) => run.kinds);
  const faults = runs.flatMap((run) => run.faults);
  const requests = sum(kinds.map((kind) => kind.requests));
  const unknown = sum(kinds.map((kind) => kind.unknown));
  const hours = sum(runs.map(({ loadMs }) => loadMs)) / 3_600_000;
  const longest = Math.max(...kinds.map(({ longestMs }) => longestMs));
  return [
    `${runs.length} runs, ${hours.toFixed(2)} hours of load, ${requests} requests,`,
    `${unknown} of them with an unknown outcome; the longest took ${seconds(longest)}`,
    `${mean(runs.map((run) => run.calmPerSecond)).toFixed(1)} requests per second without a fault`,
    "",
    ...faultTable(faults),
  ].join("\n");
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** The median, the 90th percentile and the maximum of times; only the one if there is one. */
function spread(times: readonly (number | undefined)[]): string {
  const known = times.filter((time) => time !== undefined);
  if (known.length === 0) return "-";
  const shown = known.length === 1 ? [1] : [0.5, 0.9, 1];
  return shown.map((share) => seconds(percentile(known, share) ?? 0)).join(" / ");
}

type Columns<T> = Record<string, (row: T) => string>;

/** The columns of the faults of one name. */
const FAULT_COLUMNS: Columns<FaultFigures[]> = {
  fault: ([first]) => first?.name ?? "",
  times: (faults) => String(faults.length),
  "req/s before": (faults) => mean(faults.map(({ before }) => before)).toFixed(1),
  during: (faults) => mean(faults.map(({ during }) => during)).toFixed(1),
  after: (faults) => mean(faults.map(({ after }) => after)).toFixed(1),
  "withdrawn after its begin": (faults) => spread(faults.map((each) => each.fromBegin.withdraw)),
  "after its end": (faults) => spread(faults.map((each) => each.fromEnd.withdraw)),
  "paid after its end": (faults) => spread(faults.map((each) => each.fromEnd.pay)),
  "no withdrawal for": (faults) => spread(faults.map(({ silenceMs }) => silenceMs)),
  unknown: (faults) => String(sum(faults.map((each) => each.unknown))),
};

const KIND_COLUMNS: Columns<KindFigures> = {
  request: ({ kind }) => kind,
  count: ({ requests }) => String(requests),
  unknown: ({ unknown }) => String(unknown),
  p50: ({ p50Ms }) => `${p50Ms} ms`,
  p99: ({ p99Ms }) => `${p99Ms} ms`,
  longest: ({ longestMs }) => `${longestMs} ms`,
};

function faultTable(faults: readonly FaultFigures[]): string[] {
  const names = [...new Set(faults.map(({ name }) => name))].toSorted();
  return [
    "Times are the median / the 90th percentile / the longest.",
    ...table(
      FAULT_COLUMNS,
      names.map((name) => faults.filter((fault) => fault.name === name)),
    ),
  ];
}

function table<T>(columns: Columns<T>, rows: T[]): string[] {
  const names = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((column) => column(row)));
  const widths = names.map((name, i) =>
    Math.max(name.length, ...cells.map((line) => line[i]?.length ?? 0)),
  );
  const format = (line: string[]) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ");
  return [ansis.bold(format(names)), ...cells.map(format)];
}
