// All of it terminal: nothing of the workload is under way or waits for an operator.

import type { BankPayment, Note } from "../outside/books.ts";
import { type Evidence, type Finding, groupBy } from "./evidence.ts";

export function checkEnded({ told, payments }: Evidence): Finding[] {
  const open = [
    ...told.transactions.filter(({ status }) => !["SUCCESS", "FAILED"].includes(String(status))),
    ...[...told.payments, ...told.refunds].filter(({ status }) => status === "PENDING"),
    ...told.invoices.filter(({ status }) => status === "open"),
  ];
  const flagged = [...told.transactions, ...told.payments, ...told.refunds].filter(
    ({ id, needsAttention }) => needsAttention === true && !isPaidAfterRefusal(payments, id),
  );
  const ends = groupBy(told.transactions, ({ id }) => id);
  const returned = payments.filter(
    ({ id, state }) => state === "returned" && ends.get(id)?.[0]?.status !== "FAILED",
  );
  return [
    ...open.map((item) => ({
      ...{ rule: "terminal", what: `${item.id} is ${String(item.status)}`, evidence: [item] },
    })),
    ...flagged.map((item) => ({
      ...{ rule: "terminal", what: `${item.id} needs attention`, evidence: [item] },
    })),
    ...returned.map((payment) => ({
      ...{ rule: "terminal", what: `${payment.id} came back unseen`, evidence: [payment] },
    })),
  ];
}

/** Whether the bank took or paid a payment after it had refused it: an operator has to decide. */
function isPaidAfterRefusal(payments: BankPayment[], id: string): boolean {
  const notes = payments.find((each) => each.id === id)?.notes ?? [];
  const refused = notes.findIndex(isOneOf("rejected", "cancelled"));
  return refused >= 0 && notes.slice(refused).some(isOneOf("accepted", "settled"));
}

const isOneOf =
  (...states: BankPayment["state"][]) =>
  ({ what }: Note) =>
    states.some((state) => state === what);
