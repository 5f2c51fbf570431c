// The checker names each kind of violation in a small run that is made by hand, and finds nothing
// in the same run without it.

import { check } from "./checker/check.ts";
import type { Evidence } from "./checker/evidence.ts";
import { arrival, COLLECTION, entry, makeEvidence, WALLET } from "./checker/example.ts";
import type { BankPayment } from "./outside/books.ts";
import type { Entry } from "./workload/history.ts";

const rulesOf = (evidence: Evidence) => [...new Set(check(evidence).map(({ rule }) => rule))];

/** The item of a list that has these fields. */
function find<T extends object>(items: T[], fields: Partial<T>): T {
  const found = items.find((item) =>
    Object.entries(fields).every(([name, value]) => item[name as keyof T] === value),
  );
  if (!found) throw new Error(`The example has nothing with ${JSON.stringify(fields)}`);
  return found;
}

const answer = ({ history }: Evidence, op: string, status = 200): Entry =>
  find(history, { op, status });

test("a run without a violation has no findings", () => {
  expect(check(makeEvidence())).toEqual([]);
});

const paidAgain = (payment: BankPayment): BankPayment => ({ ...payment, id: "p9" });

/** Each violation, and the rules that name it. */
const VIOLATIONS: Record<string, { rules: string[]; damage: (evidence: Evidence) => void }> = {
  "the bank pays a withdrawal under two ids": {
    rules: ["paid once"],
    damage: ({ payments }) => payments.push(paidAgain(payments[0] as BankPayment)),
  },
  "the bank pays another amount": {
    rules: ["paid as asked"],
    damage: ({ payments }) => Object.assign(payments[0] as BankPayment, { amountMinor: 1_001 }),
  },
  "a withdrawal is debited twice": {
    rules: ["debited once", "none lost", "balance as answered", "refused", "kept"],
    damage: ({ stored }) => {
      stored.payouts.push({ id: "p4", reason: "w1" });
      const debit = find(stored.journal, { id: "p1" });
      stored.journal.push({ ...debit, id: "p4" });
    },
  },
  "a transfer is in the journal twice": {
    rules: ["journalled once", "none lost"],
    damage: ({ stored }) => stored.journal.push(find(stored.journal, { id: "f1" })),
  },
  "a customer is charged twice": {
    rules: ["charged once", "none lost"],
    damage: ({ charges }) => charges.push({ ...find(charges, { id: "c1" }), id: "c9" }),
  },
  "a link that is paid once is paid by two customers": {
    rules: ["charged once", "none lost", "decided"],
    damage: ({ history, charges }) => {
      const { about } = answer({ history } as Evidence, "pay1");
      const card = "card_other_good";
      history.push(
        entry({ kind: "pay", op: "pay2", about: { ...about, card }, from: 700, status: 0 }),
      );
      charges.push({ ...find(charges, { id: "c1" }), id: "c9", card });
    },
  },
  "a renewal is charged twice": {
    rules: ["renewed once", "none lost", "balance as answered"],
    damage: ({ charges }) => charges.push({ ...find(charges, { id: "c2" }), id: "c9" }),
  },
  "a period has two invoices": {
    rules: ["billed once"],
    damage: ({ told }) => {
      told.invoices.push({ id: "i2", subscriptionId: "sub1", periodStart: "2030", status: "void" });
    },
  },
  "a refund is paid back twice": {
    rules: ["refunded once"],
    damage: ({ refunds }) => refunds.push({ ...find(refunds, { id: "rk1" }), id: "rk2" }),
  },
  "more is paid back than was charged": {
    rules: ["refunded once", "none lost", "balance as answered"],
    damage: ({ refunds, told }) => {
      find(refunds, { id: "rk1" }).amountMinor = 2_600;
      find(told.refunds, { id: "rf1" }).amount = "26.00";
    },
  },
  "money is lost": {
    rules: ["none lost", "statements linear"],
    damage: ({ told }) => {
      told.balances[WALLET] = "69.50";
    },
  },
  "the journal has another sum": {
    rules: ["none lost"],
    damage: ({ stored }) => {
      find(stored.journal, { id: "rf1" }).legs[0] = [COLLECTION, -478];
    },
  },
  "an accepted withdrawal does not exist": {
    rules: ["kept"],
    damage: ({ told }) => void told.transactions.shift(),
  },
  "an accepted withdrawal has no debit": {
    rules: ["kept", "none lost"],
    damage: ({ stored }) => {
      stored.journal = stored.journal.filter(({ id }) => id !== "p1");
    },
  },
  "a repeat is answered with another id": {
    rules: ["kept"],
    damage: ({ history }) => {
      const first = answer({ history } as Evidence, "w1");
      const body = { data: { ...first.body.data, id: "p2" } };
      history.push({ ...first, from: 260, until: 261, body });
    },
  },
  "a withdrawal is accepted and refused": {
    rules: ["kept"],
    damage: ({ history }) => {
      const first = answer({ history } as Evidence, "w1");
      const body = { code: "wallet_disabled" };
      history.push({ ...first, from: 260, until: 261, status: 400, body });
    },
  },
  "a refused withdrawal is paid": {
    rules: ["refused", "none lost"],
    damage: ({ payments }) => {
      const paid = payments[0] as BankPayment;
      payments.push({ ...paid, id: "p3", reference: "w3", amountMinor: 7_000 });
    },
  },
  "a withdrawal without a key is debited after a 503": {
    rules: ["refused", "none lost", "balance as answered"],
    damage: ({ history, stored }) => {
      const about = { account: WALLET, amountMinor: 100, method: "ACH" };
      history.push(entry({ kind: "withdraw", op: "w4", about, from: 50, status: 503 }));
      stored.payouts.push({ id: "p4", reason: "w4" });
      stored.journal.push({ ...find(stored.journal, { id: "p1" }), id: "p4" });
    },
  },
  "a payment that failed was charged": {
    rules: ["kept"],
    damage: (evidence) => {
      answer(evidence, "pay1").body.data.status = "FAILED";
    },
  },
  "a payment that succeeded was not charged": {
    rules: ["kept", "none lost", "balance as answered"],
    damage: ({ charges }) => {
      find(charges, { id: "c1" }).state = "voided";
    },
  },
  "a refund that was answered as done failed": {
    rules: ["kept", "refunded once", "none lost", "every end told"],
    damage: ({ told }) => {
      find(told.refunds, { id: "rf1" }).status = "FAILED";
    },
  },
  "a setup made two subscriptions": {
    rules: ["kept", "every end told"],
    damage: ({ told }) => told.subscriptions.push({ id: "sub2", paymentLinkId: "l2" }),
  },
  "a status goes back": {
    rules: ["kept"],
    damage: ({ history }) => {
      const read = answer({ history } as Evidence, "p1");
      const body = { data: { id: "p1", status: "PENDING" } };
      history.push({ ...read, from: 510, until: 511, body });
    },
  },
  "a payout is SUCCESS before the bank paid it": {
    rules: ["kept"],
    damage: (evidence) => {
      Object.assign(answer(evidence, "p1"), { from: 300, until: 301 });
    },
  },
  "a FAILED payout is paid": {
    rules: ["told the truth", "none lost"],
    damage: ({ payments }) => {
      const paid = payments[1] as BankPayment;
      paid.state = "settled";
      paid.notes.push({ at: 450, what: "settled" });
    },
  },
  "an answer is not documented": {
    rules: ["documented"],
    damage: (evidence) => {
      answer(evidence, "pay1").undocumented = "POST answered 502, which is not documented";
    },
  },
  "a request hangs": {
    rules: ["in time"],
    damage: ({ history }) => {
      find(history, { status: 0 }).error = "timeout";
    },
  },
  "an operation is never decided": {
    rules: ["decided"],
    damage: ({ history }) => {
      const about = { account: WALLET, amountMinor: 100, method: "ACH" };
      const never = { kind: "withdraw" as const, op: "w5", key: "w5", about, from: 1_200 };
      history.push(entry({ ...never, status: 500, body: { code: "withdrawal_outcome_unknown" } }));
    },
  },
  "a balance is read without an acknowledged debit": {
    rules: ["balance as answered"],
    damage: ({ history }) => {
      find(history, { kind: "balance", from: 310 }).body.data.balance = "89.75";
    },
  },
  "a balance is read without the money of a payout that was told as FAILED": {
    rules: ["balance as answered"],
    damage: ({ history }) => {
      find(history, { kind: "balance", from: 600 }).body.data.balance = "69.50";
    },
  },
  "a debit is refused that the balance covers": {
    rules: ["refused with funds"],
    damage: ({ history }) => {
      find(history, { op: "w3" }).about.amountMinor = 6_900;
    },
  },
  "a debit is accepted that the balance does not cover": {
    rules: ["accepted without funds", "kept", "none lost", "balance as answered", "paid as asked"],
    damage: ({ history }) => {
      for (const each of history.filter(({ op }) => op === "w1")) each.about.amountMinor = 20_000;
    },
  },
  "a statement breaks": {
    rules: ["statements linear"],
    damage: ({ told }) => {
      (told.statements[WALLET]?.[2] as Record<string, unknown>).balance = "89.74";
    },
  },
  "a page of a statement breaks": {
    rules: ["statements linear"],
    damage: ({ history }) => {
      find(history, { kind: "statement" }).body.data[0].amount = "20.24";
    },
  },
  "an event is not signed": {
    rules: ["signed"],
    damage: ({ arrivals }) => {
      find(arrivals, { id: "e1" }).isSigned = false;
    },
  },
  "a state is told under two ids": {
    rules: ["told once"],
    damage: ({ arrivals }) => arrivals.push({ ...find(arrivals, { id: "e1" }), id: "e9" }),
  },
  "a message comes with another body": {
    rules: ["told once"],
    damage: ({ arrivals }) => {
      const first = find(arrivals, { id: "e1" });
      arrivals.push({ ...first, text: first.text.replace("}", ',"more":1}') });
    },
  },
  "an event comes before its predecessor was taken": {
    rules: ["told in order"],
    damage: ({ arrivals }) => {
      find(arrivals, { id: "p1 PENDING" }).answered = 500;
      arrivals.push({ ...find(arrivals, { id: "p1 PENDING" }), at: 460, answered: 200 });
    },
  },
  "a state is left out": {
    rules: ["told in order"],
    damage: (evidence) => {
      evidence.arrivals = evidence.arrivals.filter(({ id }) => id !== "p1 PROCESSING_PAY_OUT");
    },
  },
  "SUCCESS is told before the bank paid": {
    rules: ["told the truth"],
    damage: ({ arrivals }) => {
      find(arrivals, { id: "p1 SUCCESS" }).at = 390;
    },
  },
  "an end is never told": {
    rules: ["every end told"],
    damage: (evidence) => {
      evidence.arrivals = evidence.arrivals.filter(({ id }) => id !== "e2");
    },
  },
  "a payment is told with two ends": {
    rules: ["every end told"],
    damage: ({ arrivals }) => {
      const payload = { transactionId: "c1" };
      const event = { eventType: "COLLECTION", status: "FAILED", payload };
      arrivals.push(arrival(730, "e9", event));
    },
  },
  "a payout does not end": {
    rules: ["terminal", "told in order"],
    damage: ({ told, history }) => {
      find(told.transactions, { id: "p1" }).status = "PROCESSING_PAY_OUT";
      find(history, { op: "p1" }).body.data.status = "PROCESSING_PAY_OUT";
    },
  },
  "a payout needs attention": {
    rules: ["terminal"],
    damage: ({ told }) => {
      find(told.transactions, { id: "p1" }).needsAttention = true;
    },
  },
  "a returned payment stays SUCCESS": {
    rules: ["terminal", "none lost"],
    damage: ({ payments }) => {
      (payments[0] as BankPayment).state = "returned";
    },
  },
};

test.each(Object.entries(VIOLATIONS))("%s", (_name, { rules, damage }) => {
  const evidence = makeEvidence();
  damage(evidence);
  const found = rulesOf(evidence);
  expect(found).toContain(rules[0]);
  for (const rule of found) expect(rules).toContain(rule);
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
