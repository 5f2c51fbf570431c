// Violations that move money wrongly, for the tests of the checker.

import type { BankPayment } from "../outside/books.ts";
import type { Evidence } from "./evidence.ts";
import { answer, COLLECTION, entry, find, type Violations, WALLET } from "./example.ts";

const paidAgain = (payment: BankPayment): BankPayment => ({ ...payment, id: "p9" });

export const OF_MONEY: Violations = {
  "the bank pays a withdrawal under two ids": {
    rules: ["paid once"],
    damage: ({ payments }) => payments.push(paidAgain(payments[0] as BankPayment)),
  },
  "the bank pays another amount": {
    rules: ["paid as asked"],
    damage: ({ payments }) => Object.assign(payments[0] as BankPayment, { amountMinor: 1_001 }),
  },
  "a withdrawal is debited twice": {
    rules: ["debited once", "none lost", "statements linear"],
    damage: ({ stored }) => {
      stored.payouts.push({ id: "p4", reason: "w1" });
      const debit = find(stored.journal, { id: "p1" });
      stored.journal.push({ ...debit, id: "p4" });
    },
  },
  "a transfer is in the journal twice": {
    rules: ["journalled once", "none lost", "statements linear"],
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
  "both of two transfers of one money are done": {
    rules: ["one of two", "none lost", "accepted without funds"],
    damage: (evidence) => {
      const { body } = answer(evidence, "m1", 201);
      Object.assign(answer(evidence, "m2", 400), { status: 201, body });
    },
  },
  "what is used of a limit is not what was paid out": {
    rules: ["limited"],
    damage: ({ told }) => {
      told.used.shop = ["20.00", 2];
    },
  },
  "a limit is exceeded": {
    rules: ["limited"],
    damage: ({ history }) => {
      const limits = [{ scope: "business", per: "month", amount: "5.00" }];
      const request = { limits };
      Object.assign(find(history, { op: "limits 40000" }), {
        from: -9_000,
        until: -8_999,
        request,
      });
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
};
