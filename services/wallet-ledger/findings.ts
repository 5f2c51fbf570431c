// Findings: what a verification looked at and what it found wrong.

import type { VerifyReport } from "../../shared/contracts/wallet-ledger.ts";

const LISTED_AT_MOST = 100;

/** Collects what is wrong and what was looked at. */
export function createReport() {
  const report: VerifyReport = { ok: true, checked: {}, violations: [], violationCount: 0 };
  return {
    report,
    count(what: string, by = 1) {
      report.checked[what] = (report.checked[what] ?? 0) + by;
    },
    violation(rule: string, detail: string) {
      report.ok = false;
      report.violationCount += 1;
      if (report.violations.length < LISTED_AT_MOST) report.violations.push({ rule, detail });
    },
  };
}

export type Findings = ReturnType<typeof createReport>;
