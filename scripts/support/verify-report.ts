// The report of a verification for people.

import ansis from "ansis";
import { INVARIANTS, type Rule, type VerifyReport } from "../../verification/findings.ts";
import { duration, grouped } from "./progress.ts";

/** Formats a report: every invariant, the number of checked items, and its violations. */
export function readable(report: VerifyReport, elapsedMs: number): string {
  const { ok, checked, violated, violations, violationCount } = report;
  const lines: string[] = [];
  for (const [rule, [holds, of]] of Object.entries(INVARIANTS)) {
    const count = violated[rule as Rule] ?? 0;
    const verdict = count === 0 ? ansis.green("ok   ") : ansis.red("WRONG");
    lines.push(`${verdict} ${rule.padEnd(11)} ${holds} (${grouped(checked[of] ?? 0)} ${of})`);
    const listed = violations.filter((violation) => violation.rule === rule);
    for (const { detail } of listed) lines.push(`        ${detail}`);
    if (count > listed.length) lines.push(`        and ${grouped(count - listed.length)} more`);
  }
  const verdict = ok
    ? ansis.green("The books are right.")
    : ansis.red(`The books are wrong: ${grouped(violationCount)} violations.`);
  lines.push(`${verdict} ${grouped(checked.transfers ?? 0)} transfers in ${duration(elapsedMs)}.`);
  return `${lines.join("\n")}\n`;
}
