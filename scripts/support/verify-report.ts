// What people see of a verification: how far it is and how long it still takes, and what it found.

import type { WriteStream } from "node:tty";
import ansis from "ansis";
import { INVARIANTS, type Rule } from "../../services/wallet-ledger/findings.ts";
import type { Progress } from "../../services/wallet-ledger/verify-books.ts";
import type { VerifyReport } from "../../shared/contracts/wallet-ledger.ts";

const TOLD_EVERY_MS = 1_000;

/** Writes about a line a second, on a terminal one that changes; nothing in the first second. */
export function progressTo(stream: WriteStream) {
  const began = Date.now();
  let told = began;
  let isOpen = false;
  return {
    tell(progress: Progress): void {
      const now = Date.now();
      if (now - told < TOLD_EVERY_MS) return;
      told = now;
      const line = progressLine(progress, now - began);
      isOpen = stream.isTTY;
      stream.write(isOpen ? `\r\u001B[K${line}` : `${line}\n`);
    },
    /** Leaves the terminal at the beginning of a line. */
    end(): void {
      if (isOpen) stream.write("\r\u001B[K");
    },
  };
}

/** What is left is estimated from what the work took until now. */
function progressLine({ phase, done, ofAbout, fraction }: Progress, elapsedMs: number): string {
  const left = duration((elapsedMs * (1 - fraction)) / fraction);
  const percent = Math.floor(100 * fraction);
  return `${percent} %, about ${left} left (${grouped(done)} of about ${grouped(ofAbout)} ${phase})`;
}

/** The report for people: every invariant with what was looked at, and what violates it. */
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

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 100 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
