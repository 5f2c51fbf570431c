// All of it terminal: nothing of the workload is under way or waits for an operator.

import { type Evidence, type Finding, groupBy } from "./evidence.ts";

export function checkEnded({ told, payments }: Evidence): Finding[] {
  const open = [
    ...told.transactions.filter(({ status }) => !["SUCCESS", "FAILED"].includes(String(status))),
    ...[...told.payments, ...told.refunds].filter(({ status }) => status === "PENDING"),
    ...told.invoices.filter(({ status }) => status === "open"),
  ];
  const flagged = [...told.transactions, ...told.payments, ...told.refunds].filter(
    ({ needsAttention }) => needsAttention === true,
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
