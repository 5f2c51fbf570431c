// The table of a run: a row for each thing that was measured, what it was measured beside, its figure
// with its aim, and what it means for a user.

import type { Cpu } from "./cpu.ts";
import type { Compared } from "./rate.ts";

/** A row. Without an aim, the figure is only stated. */
export interface AimRow {
  what: string;
  /** What it was measured beside, if the figure is a ratio. */
  baseline?: string;
  /** The ratio to the baseline, or a figure with a unit. */
  figure: number;
  /** The unit of a figure that is not a ratio. */
  unit?: "/s" | "s" | "us" | "MB";
  aim?: { atLeast: number } | { atMost: number };
  /** The rates, times and CPU behind the figure, in words. */
  behind: string;
  /** What the figure means for a user of such a machine, as a sentence. */
  means?: string;
}

/** The row of a subject's rate against a baseline's, both per second. */
export function ratioRow(
  [what, baseline]: [what: string, baseline: string],
  atLeast: number,
  { subject, baseline: rate }: Compared<{ perSecond: number; cpu?: Cpu | null }>,
): AimRow {
  const { perSecond, cpu } = subject;
  const rates = `${formatCount(perSecond)}/s beside ${formatCount(rate)}/s`;
  return {
    what,
    baseline,
    figure: perSecond / rate,
    aim: { atLeast },
    behind: cpu ? `${rates}; ${formatCpu(cpu)}` : rates,
  };
}

/** @returns whether the figure reaches the aim; null without an aim */
export function isReached({ figure, aim }: AimRow): boolean | null {
  if (!aim) return null;
  return "atLeast" in aim ? figure >= aim.atLeast : figure <= aim.atMost;
}

const COLUMNS = ["measured", "beside", "figure", "aim", "behind it"];

/** The table in Markdown, aligned for reading as plain text too. */
export function formatTable(rows: AimRow[]): string {
  const cells = [
    COLUMNS,
    ...rows.map((row) => [
      row.what,
      row.baseline ?? "",
      `${formatFigure(row.figure)}${row.unit ? ` ${row.unit}` : ""}`,
      formatAim(row.aim),
      row.behind,
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

/** What the rows mean for a user, as a list; empty if none of them has a meaning of its own. */
export function formatMeanings(rows: AimRow[]): string {
  const sentences = rows.flatMap(({ means }) => (means ? [`- ${means}`] : []));
  return sentences.length > 0 ? ["For a user of such a machine:", ...sentences].join("\n") : "";
}

/** Above this load average for each core before a run, other work is measured too. */
const QUIET_LOAD = 0.5;

/** @returns the sentence about a machine that was busy before the run; null if it was quiet */
export function findBusy(load: number, cores: number): string | null {
  const most = QUIET_LOAD * cores;
  if (load <= most) return null;
  return `**This is no measurement:** the machine was busy before the run, with a load average of ${load.toFixed(2)} where ${most.toFixed(2)} is quiet.`;
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
