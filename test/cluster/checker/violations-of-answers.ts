// Answers that are or become untrue, for the tests of the checker.

import type { BankPayment } from "../outside/books.ts";
import type { Evidence } from "./evidence.ts";
import { answer, entry, find, type Violations, WALLET } from "./example.ts";

export const OF_ANSWERS: Violations = {
  "an accepted withdrawal does not exist": {
    rules: ["kept"],
    damage: ({ told }) => void told.transactions.shift(),
  },
  "a read does not find what was answered": {
    rules: ["kept"],
    damage: ({ history }) => {
      const about = { transaction: "p1" };
      history.push(entry({ kind: "transaction", op: "p1", about, from: 230, status: 404 }));
    },
  },
  "an accepted withdrawal has no debit": {
    rules: ["kept", "none lost", "statements linear"],
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
    rules: ["refused", "none lost", "balance as answered", "statements linear", "limited"],
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
  "a payout is SUCCESS before the bank told its sum": {
    rules: ["kept"],
    damage: ({ payments }) => {
      find((payments[0] as BankPayment).notes, { what: "told" }).at = 600;
    },
  },
  "a payout is first submitted while its owner is frozen": {
    rules: ["stopped"],
    damage: ({ heard }) => {
      heard.p1 = 26_000;
    },
  },
  "a transfer is done while its wallet's owner is frozen": {
    rules: ["stopped"],
    damage: ({ history }) => {
      for (const each of history.filter(({ kind }) => kind === "control"))
        each.about.subject = "bea";
      Object.assign(find(history, { op: "frozen true" }), { from: -9_000, until: -8_999 });
      find(history, { op: "w6" }).about.payee = "bea";
    },
  },
  "a withdrawal is refused for a stop that nobody asked for": {
    rules: ["stopped"],
    damage: ({ history }) => {
      find(history, { op: "w6" }).from = 36_000;
      find(history, { op: "w6" }).until = 36_001;
    },
  },
  "a limit refuses what it has room for": {
    rules: ["limited"],
    damage: ({ history }) => {
      find(history, { op: "w7" }).body.limit.max = 1_000;
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
};
