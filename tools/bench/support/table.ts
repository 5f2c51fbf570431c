// The table of aims: a row for each aim, with its figure and the measurements behind it.

import type { Cpu } from "./cpu.ts";
import type { Compared } from "./rate.ts";

/** A row. Without an aim, the figure is only stated. */
export interface AimRow {
  what: string;
  figure: number;
  /** The unit of a figure that is not a ratio. */
  unit?: "/s" | "s" | "us" | "MB";
  aim?: { atLeast: number } | { atMost: number };
  /** The rates, times and CPU beside the figure, in words. */
  beside: string;
}

/** The row of a subject's rate against a baseline's, both per second. */
export function ratioRow(
  what: string,
  atLeast: number,
  { subject, baseline }: Compared<{ perSecond: number; cpu?: Cpu | null }>,
): AimRow {
  const { perSecond, cpu } = subject;
  const rates = `${formatCount(perSecond)}/s / ${formatCount(baseline)}/s`;
  return {
    what,
    figure: perSecond / baseline,
    aim: { atLeast },
    beside: cpu ? `${rates}; ${formatCpu(cpu)}` : rates,
  };
}

/** @returns whether the figure reaches the aim; null without an aim */
export function isReached({ figure, aim }: AimRow): boolean | null {
  if (!aim) return null;
  return "atLeast" in aim ? figure >= aim.atLeast : figure <= aim.atMost;
}

const COLUMNS = ["row", "figure", "aim", "reached", "beside it"];

/** The table in Markdown, aligned for reading as plain text too. */
export function formatTable(rows: AimRow[]): string {
  const cells = [
    COLUMNS,
    ...rows.map((row) => [
      row.what,
      `${formatFigure(row.figure)}${row.unit ? ` ${row.unit}` : ""}`,
      formatAim(row.aim),
      { true: "yes", false: "**no**", null: "" }[`${isReached(row)}`],
      row.beside,
    ]),
  ];
  // The last column is too long for some rows.
  const widths = COLUMNS.slice(0, -1).map((_, i) =>
    Math.max(...cells.map((line) => line[i]?.length ?? 0)),
  );
  const lines = cells.map(
    (line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`,
  );
  lines.splice(1, 0, `|${COLUMNS.map((_, i) => "-".repeat((widths[i] ?? 1) + 2)).join("|")}|`);
  return lines.join("\n");
}

function formatAim(aim: AimRow["aim"]): string {
  if (!aim) return "";
  return "atLeast" in aim ? `≥ ${formatFigure(aim.atLeast)}` : `≤ ${formatFigure(aim.atMost)}`;
}

/** A shared machine's figures are not precise to more than two digits after the point. */
export function formatFigure(value: number): string {
  return value >= 100 ? formatCount(value) : String(Number(value.toFixed(value < 10 ? 2 : 1)));
}

export function formatCpu({ nodeUs, mongodUs }: Cpu): string {
  return `node ${formatCount(nodeUs)} us, mongod ${formatCount(mongodUs)} us`;
}

/** A number with its thousands apart, and of a small one the first digits. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
