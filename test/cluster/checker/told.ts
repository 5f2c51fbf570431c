// Every end told, in order: the receiver of a business got each state of each of its transactions,
// first in the order of the states, under one id for each, signed, and true.

import type { Arrival } from "../outside/books.ts";
import { type Evidence, type Finding, groupBy } from "./evidence.ts";

interface Heard extends Arrival {
  eventType: string;
  status: string;
  transactionId: string;
}

export function checkTold(evidence: Evidence): Finding[] {
  const heard = evidence.arrivals.map((arrival): Heard => {
    const { eventType, status, payload } = JSON.parse(arrival.text);
    // A refund's events name its payment as the transaction.
    return {
      ...arrival,
      eventType,
      status,
      transactionId: payload.refundId ?? payload.transactionId,
    };
  });
  const byTransaction = groupBy(heard, ({ transactionId }) => transactionId);
  return [
    ...checkMessages(heard),
    ...checkOrder(byTransaction),
    ...checkPayouts(evidence, byTransaction),
    ...checkOthers(evidence, byTransaction),
  ];
}

/** A message is signed, and has the same body each time. */
function checkMessages(heard: Heard[]): Finding[] {
  const findings: Finding[] = [];
  for (const [id, same] of groupBy(heard, (each) => each.id)) {
    const unsigned = same.filter(({ isSigned }) => !isSigned);
    if (unsigned.length > 0) {
      findings.push({ rule: "signed", what: `${id} has no valid signature`, evidence: unsigned });
    }
    if (new Set(same.map(({ text }) => text)).size > 1) {
      findings.push({ rule: "told once", what: `${id} came with two bodies`, evidence: same });
    }
  }
  return findings;
}

/** An event comes first after its predecessor was taken, and a state has one id. */
function checkOrder(byTransaction: Map<string, Heard[]>): Finding[] {
  const findings: Finding[] = [];
  for (const [transaction, heard] of byTransaction) {
    const ids = new Set(heard.map(({ id }) => id));
    const states = new Set(heard.map(({ eventType, status }) => `${eventType} ${status}`));
    const isRepeated = heard.every(({ eventType }) => eventType === "INVOICE");
    if (ids.size !== states.size && !isRepeated) {
      const what = `${transaction} has ${ids.size} events of ${states.size} states`;
      findings.push({ rule: "told once", what, evidence: heard });
    }
    const taken = new Set<string>();
    const begun = new Set<string>();
    for (const { id, answered } of heard) {
      const waiting = [...begun].filter((each) => each !== id && !taken.has(each));
      if (!begun.has(id) && waiting.length > 0) {
        const what = `${transaction}: ${id} came before ${waiting.join()} was taken`;
        findings.push({ rule: "told in order", what, evidence: heard });
      }
      begun.add(id);
      if (answered === 200) taken.add(id);
    }
  }
  return findings;
}

/** The states that a payout may enter (docs/integrate/rest-api.md, Payout states). */
const OF_NETWORKS =
  /^PENDING (PROCESSING_PAY_OUT )?FAILED$|^PENDING PROCESSING_PAY_OUT SUCCESS( FAILED)?$/;
const OF_OTHERS = /^PENDING (FAILED|SUCCESS( FAILED)?)$/;

function checkPayouts(
  { told, payments }: Evidence,
  byTransaction: Map<string, Heard[]>,
): Finding[] {
  const bank = new Map(payments.map((payment) => [payment.id, payment]));
  const payouts = told.transactions.filter(({ flow }) => flow === "PAYOUT" || flow === "PAYMENT");
  return payouts.flatMap(({ id, status, method }): Finding[] => {
    const heard = byTransaction.get(id) ?? [];
    const statuses = [...new Set(heard.map((each) => each.status))];
    const isNetwork = /ACH|RTP/.test(String(method));
    const path = isNetwork ? OF_NETWORKS : OF_OTHERS;
    const taken = heard.filter(({ answered }) => answered === 200).map((each) => each.status);
    const missing = statuses.filter((each) => !taken.includes(each));
    const findings: Finding[] = [];
    const find = (rule: string, what: string) =>
      findings.push({ rule, what: `Payout ${id} ${what}`, evidence: [bank.get(id), ...heard] });
    if (!path.test(statuses.join(" ")) || statuses.at(-1) !== status || missing.length > 0) {
      const how = `${statuses.join()}; not taken: ${missing.join()}`;
      find("told in order", `is ${String(status)}, and was told as ${how}`);
    }
    const paidAt = bank.get(id)?.notes.find(({ what }) => what === "settled")?.at;
    const early = heard.find(
      (each) => each.status === "SUCCESS" && !((paidAt ?? each.at + 1) <= each.at),
    );
    if (early) find("told the truth", "was told as SUCCESS before the bank paid it");
    const isFailed = heard.some((each) => each.status === "FAILED");
    if (isFailed && bank.get(id)?.state === "settled") {
      find("told the truth", "was told as FAILED, and the bank paid it");
    }
    return findings;
  });
}

/** The ends of payments and refunds, paid invoices, and new subscriptions: one event each. */
function checkOthers(
  { told, incidents }: Evidence,
  byTransaction: Map<string, Heard[]>,
): Finding[] {
  // The previous release tells no events of fundings.
  const isTold = incidents.every(({ name }) => !/previous release/.test(name));
  const moved = ["ADJUSTMENT", "TRANSFER", ...(isTold ? ["FUNDING"] : [])];
  const expected = [
    ...told.payments
      .filter(({ subscriptionId }) => subscriptionId === null)
      .map(({ id, status }) => ({ id, eventType: "COLLECTION", status })),
    ...told.refunds.map(({ id, status }) => ({ id, eventType: "REFUND", status })),
    ...told.invoices
      .filter(({ status }) => status === "paid")
      .map(({ id }) => ({ id, eventType: "INVOICE", status: "paid" })),
    ...told.transactions
      .filter(({ flow }) => moved.includes(String(flow)))
      .map(({ id, flow }) => ({ id, eventType: String(flow), status: "SUCCEEDED" })),
    ...told.subscriptions.map(({ id }) => ({ id, eventType: "SUBSCRIPTION", status: "created" })),
  ];
  return expected.flatMap(({ id, eventType, status }) => {
    const heard = (byTransaction.get(id) ?? []).filter((each) => each.eventType === eventType);
    const taken = heard.filter(({ answered }) => answered === 200).map((each) => each.status);
    const ends = new Set(heard.map((each) => each.status));
    if (taken.includes(String(status)) && (ends.size === 1 || eventType === "INVOICE")) return [];
    const what = `${eventType} ${id} is ${String(status)}, and was told as ${[...ends].join()}`;
    return [{ rule: "every end told", what, evidence: heard }];
  });
}
