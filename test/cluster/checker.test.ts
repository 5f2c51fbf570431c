// The checker names each kind of violation in a small run that is made by hand, and finds nothing
// in the same run without it.

import { check } from "./checker/check.ts";
import type { Evidence } from "./checker/evidence.ts";
import { find, makeEvidence } from "./checker/example.ts";
import { OF_ANSWERS } from "./checker/violations-of-answers.ts";
import { OF_EVENTS } from "./checker/violations-of-events.ts";
import { OF_MONEY } from "./checker/violations-of-money.ts";

const rulesOf = (evidence: Evidence) => [...new Set(check(evidence).map(({ rule }) => rule))];

test("a run without a violation has no findings", () => {
  expect(check(makeEvidence())).toEqual([]);
});

test.each(Object.entries({ ...OF_MONEY, ...OF_ANSWERS, ...OF_EVENTS }))(
  "%s",
  (_name, { rules, damage }) => {
    const evidence = makeEvidence();
    damage(evidence);
    const found = rulesOf(evidence);
    expect(found).toContain(rules[0]);
    for (const rule of found) expect(rules).toContain(rule);
  },
);

test("a payout that the bank paid after its refusal may need attention", () => {
  const evidence = makeEvidence();
  find(evidence.told.transactions, { id: "p2" }).needsAttention = true;
  expect(rulesOf(evidence)).toEqual(["terminal"]);
  const payment = find(evidence.payments, { id: "p2" });
  payment.state = "settled";
  payment.notes.push({ at: 450, what: "settled" });
  // The checker still finds that the money went out twice.
  expect(rulesOf(evidence)).toEqual(["none lost", "told the truth"]);
});

test("a frozen gateway's requests may hang", () => {
  const evidence = makeEvidence();
  find(evidence.history, { status: 0 }).error = "timeout";
  evidence.incidents.push({
    name: "a process is frozen",
    target: "gateway-0",
    from: 150,
    until: 250,
  });
  expect(check(evidence)).toEqual([]);
});
