// All of it terminal: nothing of the workload is under way or waits for an operator.

import type { BankPayment } from "../outside/books.ts";
import { type Evidence, type Finding, groupBy } from "./evidence.ts";

export function checkEnded({ told, payments }: Evidence): Finding[] {
  const open = [
    ...told.transactions.filter(({ status }) => !["SUCCESS", "FAILED"].includes(String(status))),
    ...[...told.payments, ...told.refunds].filter(({ status }) => status === "PENDING"),
    ...told.invoices.filter(({ status }) => status === "open"),
  ];
  const flagged = [...told.transactions, ...told.payments, ...told.refunds].filter(
    ({ id, needsAttention }) => needsAttention === true && !isRefusedLater(payments, id),
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

/**
 * Whether the bank accepted a payment before it refused or cancelled it. If `accepted` reaches
 * payrail last, payrail flags the payout (docs/payouts.md), because it cannot tell which came first.
 */
function isRefusedLater(payments: BankPayment[], id: string): boolean {
  const payment = payments.find((each) => each.id === id);
  const isAccepted = payment?.notes.some(({ what }) => what === "accepted") ?? false;
  return isAccepted && (payment?.state === "cancelled" || payment?.state === "rejected");
}
