// Balances, statements and events that are wrong, and ends that do not come, for the tests of the
// checker.

import type { BankPayment } from "../outside/books.ts";
import { arrival, COLLECTION, find, type Violations, WALLET } from "./example.ts";

export const OF_EVENTS: Violations = {
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
    rules: [
      ...["accepted without funds", "kept", "none lost", "balance as answered", "paid as asked"],
      "limited",
    ],
    damage: ({ history }) => {
      for (const each of history.filter(({ op }) => op === "w1")) each.about.amountMinor = 20_000;
    },
  },
  "a statement breaks": {
    rules: ["statements linear"],
    damage: ({ told }) => {
      Object.assign(told.statements[WALLET]?.[2] ?? {}, { balance: "89.74" });
    },
  },
  "an entry is not in the statement": {
    rules: ["statements linear"],
    damage: ({ told }) => void told.statements[COLLECTION]?.splice(1, 1),
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
  "a payout that the bank first accepted and then refused needs attention": {
    rules: ["terminal"],
    damage: ({ told }) => {
      find(told.transactions, { id: "p2" }).needsAttention = true;
    },
  },
  "a returned payment stays SUCCESS": {
    rules: ["terminal", "none lost"],
    damage: ({ payments }) => {
      (payments[0] as BankPayment).state = "returned";
    },
  },
};
