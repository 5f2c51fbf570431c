// The running balances of a statement.

import { type Finding, toMinor } from "./evidence.ts";

/** Each entry of a statement, newest first, begins with the balance of the entry before it. */
export function checkChain(
  entries: Record<string, unknown>[],
  name: string,
  balanceMinor?: number,
): Finding[] {
  const broken = entries.filter((entry, i) => {
    const sign = entry.entry === "CREDIT" ? 1 : -1;
    const before = toMinor(entry.balance) - sign * toMinor(entry.amount);
    const older = entries[i + 1];
    // The first entry of a whole statement begins with nothing; a page ends anywhere.
    const expected = older ? toMinor(older.balance) : balanceMinor === undefined ? before : 0;
    return before !== expected;
  });
  const findings = broken.map((entry) => ({
    ...{ rule: "statements linear", what: `The statement of ${name} breaks`, evidence: [entry] },
  }));
  const [newest] = entries;
  if (balanceMinor === undefined || toMinor(newest?.balance ?? 0) === balanceMinor) return findings;
  const what = `The statement of ${name} ends with another balance than ${balanceMinor}`;
  return [...findings, { rule: "statements linear", what, evidence: [newest] }];
}
