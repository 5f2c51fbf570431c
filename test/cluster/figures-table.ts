// Prints the figures of a run as tables.

import ansis from "ansis";
import type { FaultFigures, Figures, KindFigures } from "./figures.ts";

export function formatFigures({ faults, kinds, calmPerSecond }: Figures): string {
  return [
    `${calmPerSecond.toFixed(1)} requests per second without a fault`,
    "",
    ...table(FAULT_COLUMNS, faults),
    "",
    ...table(KIND_COLUMNS, kinds),
  ].join("\n");
}

type Columns<T> = Record<string, (row: T) => string>;

const seconds = (ms = 0) => (Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : "never");

const FAULT_COLUMNS: Columns<FaultFigures> = {
  fault: ({ name }) => name,
  times: ({ times }) => String(times),
  "req/s before": ({ before }) => before.toFixed(1),
  during: ({ during }) => during.toFixed(1),
  after: ({ after }) => after.toFixed(1),
  "withdrawn after its begin": ({ fromBegin }) => seconds(fromBegin.withdraw),
  "after its end": ({ fromEnd }) => seconds(fromEnd.withdraw),
  "paid after its end": ({ fromEnd }) => seconds(fromEnd.pay),
  "no withdrawal for": ({ silenceMs }) => seconds(silenceMs),
  unknown: ({ unknown }) => String(unknown),
};

const KIND_COLUMNS: Columns<KindFigures> = {
  request: ({ kind }) => kind,
  count: ({ requests }) => String(requests),
  unknown: ({ unknown }) => String(unknown),
  p50: ({ p50Ms }) => `${p50Ms} ms`,
  p99: ({ p99Ms }) => `${p99Ms} ms`,
  longest: ({ longestMs }) => `${longestMs} ms`,
};

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
