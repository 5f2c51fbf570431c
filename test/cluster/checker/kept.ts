// No answer that was later untrue: what was accepted exists and goes on, what was refused never
// moves money, repeats get the same answer, and a state that was told never goes back.

import { tellsNothing } from "../workload/client.ts";
import type { Entry, Kind } from "../workload/history.ts";
import { type Evidence, type Finding, groupBy } from "./evidence.ts";
import { wasPaid } from "./once.ts";
import { debitOf, listOperations, type Operation } from "./operations.ts";

export function checkKept(evidence: Evidence): Finding[] {
  return [
    ...checkAnswers(evidence),
    ...checkWithdrawals(evidence),
    ...checkPayments(evidence),
    ...checkRefunds(evidence),
    ...checkSetups(evidence),
    ...checkReads(evidence),
    ...checkExistence(evidence),
  ];
}

const MOVING = [
  "fund",
  "withdraw",
  "pay",
  "refund",
  "setup",
  "clock",
  "transfer",
  "move",
  "adjust",
  "control",
  "limits",
  "token",
] as const;

/** Every answer is documented and in time, and every operation with a key was decided. */
function checkAnswers({ history, incidents }: Evidence): Finding[] {
  const undocumented = history.filter((entry) => entry.undocumented !== undefined);
  const hung = history.filter((entry) => entry.error === "timeout" && !isCutOff(entry));
  /** A frozen gateway cannot answer. */
  function isCutOff({ gateway, from, until }: Entry): boolean {
    return incidents.some(
      (each) =>
        /frozen/.test(each.name) &&
        each.target === gateway &&
        each.from <= until &&
        each.until >= from,
    );
  }
  const undecided = MOVING.flatMap((kind) => listOperations(history, kind)).filter(
    ({ kind, hasKey, done, refused }) => (kind !== "withdraw" || hasKey) && !done && !refused,
  );
  const contradicted = MOVING.flatMap((kind) => listOperations(history, kind)).filter(
    ({ done, refused }) => done && refused,
  );
  const name = ({ method, path }: Entry) => `${method} ${path}`;
  return [
    ...undocumented.map((entry) => ({
      ...{ rule: "documented", what: entry.undocumented as string, evidence: [entry] },
    })),
    ...hung.map((entry) => ({
      ...{ rule: "in time", what: `${name(entry)} was not answered`, evidence: [entry] },
    })),
    ...undecided.map(({ kind, op, entries }) => ({
      ...{ rule: "decided", what: `${kind} ${op} was never decided`, evidence: entries.slice(-5) },
    })),
    ...contradicted.map(({ kind, op, entries }) => ({
      ...{ rule: "kept", what: `${kind} ${op} was done and refused`, evidence: entries },
    })),
  ];
}

function checkWithdrawals({ history, payments, stored }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const paid = new Set(payments.filter(wasPaid).map(({ reference }) => reference));
  const payouts = groupBy(stored.payouts, ({ reason }) => reason);
  const committed = new Set(
    stored.journal.filter(({ outcome }) => outcome === "committed").map(({ id }) => id),
  );
  const isDebited = ({ op }: Operation) =>
    (payouts.get(op) ?? []).some(({ id }) => committed.has(id));
  for (const operation of listOperations(history, "withdraw")) {
    const { op, done, refused, hasKey, entries } = operation;
    const find = (rule: string, what: string) =>
      findings.push({ rule, what: `Withdrawal ${op} ${what}`, evidence: entries });
    const { id, fees, amount } = done?.body.data ?? {};
    const others = entries.filter(({ status, body }) => status === 200 && body.data.id !== id);
    if (others.length > 0) find("kept", "was answered with two ids");
    if (done && !committed.has(id)) find("kept", `was accepted as ${id}, which has no debit`);
    if (done && Math.round(Number(amount) * 100) !== debitOf(operation)) {
      find("kept", `debits ${amount} with a fee of ${fees}`);
    }
    const isAway = !hasKey && entries.some((each) => each.status === 503 || tellsNothing(each));
    const isRefused = (refused || isAway) && !done;
    if (isRefused && paid.has(op)) find("refused", "was refused, and paid");
    if (isRefused && isDebited(operation)) find("refused", "was refused, and debited");
  }
  return findings;
}

function checkPayments({ history, told, charges }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const final = new Map(told.payments.map((payment) => [payment.id, payment]));
  const byCard = groupBy(charges, ({ card }) => card);
  for (const { op, about, entries, done } of listOperations(history, "pay")) {
    const id = done?.body.data.id;
    const reads = history.filter((entry) => entry.kind === "payment" && entry.about.payment === id);
    const answers = [...entries, ...reads].filter(({ status }) => status === 200);
    const find = (what: string) => {
      const evidence = [...answers, ...(byCard.get(String(about.card)) ?? [])];
      findings.push({ rule: "kept", what: `Payment ${op} ${what}`, evidence });
    };
    const statuses = new Set(answers.map(({ body }) => body.data.status));
    if (statuses.has("SUCCEEDED") && statuses.has("FAILED")) find("succeeded and failed");
    if (new Set(answers.map(({ body }) => body.data.id)).size > 1) find("has two ids");
    const taken = (byCard.get(String(about.card)) ?? []).find(({ state }) => state === "captured");
    if (statuses.has("FAILED") && taken) find("failed, and was charged");
    for (const { until } of answers.filter(({ body }) => body.data.status === "SUCCEEDED")) {
      if (!taken || (taken.notes[0]?.at ?? 0) > until) find("succeeded before it was charged");
    }
    const end = id && final.get(id)?.status;
    if (done && !end) find("was answered, and does not exist");
    const said = ["SUCCEEDED", "FAILED"].find((status) => statuses.has(status));
    if (end && said && end !== said) find(`was ${said}, and is ${end}`);
  }
  return findings;
}

function checkRefunds({ history, told }: Evidence): Finding[] {
  const final = new Map(told.refunds.map((refund) => [refund.id, refund]));
  return listOperations(history, "refund").flatMap(({ op, entries }) => {
    const answers = entries.filter(({ status }) => status === 201);
    const ids = new Set(answers.map(({ body }) => body.data.id));
    const wrong = answers.filter(({ body: { data } }) => {
      const end = final.get(data.id)?.status;
      return data.status === "PENDING" ? end === undefined : end !== data.status;
    });
    if (ids.size <= 1 && wrong.length === 0) return [];
    const what = `Refund ${op} is not as it was answered`;
    return [{ rule: "kept", what, evidence: [...entries, ...[...ids].map((id) => final.get(id))] }];
  });
}

/** Each decided setup is one subscription of its link. */
function checkSetups({ history, told }: Evidence): Finding[] {
  const byLink = groupBy(listOperations(history, "setup"), ({ about }) => String(about.link));
  return [...byLink].flatMap(([link, setups]) => {
    const answered = setups.flatMap(({ entries }) =>
      entries.flatMap(({ status, body }) => (status === 200 ? [body.data.subscriptionId] : [])),
    );
    const subscriptions = told.subscriptions.filter(({ paymentLinkId }) => paymentLinkId === link);
    const exist = new Set(subscriptions.map(({ id }) => id));
    const isRight =
      answered.every((id) => exist.has(id)) &&
      new Set(answered).size === setups.filter(({ done }) => done).length &&
      exist.size <= setups.filter(({ refused }) => !refused).length;
    if (isRight) return [];
    const what = `${setups.length} setups of link ${link} made ${exist.size} subscriptions`;
    const entries = setups.flatMap((setup) => setup.entries);
    return [{ rule: "kept", what, evidence: [...subscriptions, ...entries] }];
  });
}

const RANKS = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"];

/** A later read never shows an earlier state, and every end that was read is the bank's. */
function checkReads({ history, payments, told }: Evidence): Finding[] {
  const bank = new Map(payments.map((payment) => [payment.id, payment]));
  const final = new Map(told.transactions.map((each) => [each.id, each]));
  const reads = history.filter(
    ({ kind, status }) => (kind === "transaction" || kind === "cancel") && status === 200,
  );
  const findings: Finding[] = [];
  for (const [id, ofOne] of groupBy(reads, ({ about }) => String(about.transaction))) {
    const rank = ({ body }: Entry) => RANKS.indexOf(body.data.status);
    const find = (what: string, evidence: unknown[]) =>
      findings.push({ rule: "kept", what: `Payout ${id} ${what}`, evidence });
    for (const later of ofOne) {
      const earlier = ofOne.find((each) => each.until < later.from && rank(each) > rank(later));
      if (earlier) find("went back", [earlier, later]);
      const paidAt = bank.get(id)?.notes.find(({ what }) => what === "settled")?.at;
      const isPaid = paidAt !== undefined && paidAt <= later.until;
      if (later.body.data.status === "SUCCESS" && !isPaid) find("was SUCCESS unpaid", [later]);
      const toldAt = bank.get(id)?.notes.find(({ what }) => what === "told")?.at;
      const isTold = toldAt !== undefined && toldAt <= later.until;
      if (later.body.data.status === "SUCCESS" && isPaid && !isTold) {
        find("was SUCCESS, and the bank had not told its sum", [later]);
      }
    }
    const failed = ofOne.find(({ body }) => body.data.status === "FAILED");
    if (failed && bank.get(id)?.state === "settled") find("FAILED, and is paid", [failed]);
    const end = final.get(id);
    if (failed && end?.status !== "FAILED")
      find(`FAILED, and is ${String(end?.status)}`, [failed, end]);
  }
  return findings;
}

/** The kinds whose answers name a transaction. */
const NAMING: Kind[] = ["withdraw", "fund", "adjust", "move", "pay"];

/** What an answer has named is found by every later read, and at the end. */
function checkExistence({ history, told }: Evidence): Finding[] {
  const exists = new Set(told.transactions.map(({ id }) => id));
  const namedAt = new Map<string, number>();
  const findings: Finding[] = [];
  for (const { kind, status, body, until } of history) {
    if (!NAMING.includes(kind) || status >= 300) continue;
    const id = body?.data?.id;
    if (id) namedAt.set(id, Math.min(until, namedAt.get(id) ?? until));
    if (!id || exists.has(id)) continue;
    findings.push({
      rule: "kept",
      what: `${kind} ${id} does not exist at the end`,
      evidence: [body],
    });
  }
  const lost = history.filter(
    ({ status, about, from }) =>
      status === 404 && (namedAt.get(String(about.transaction ?? about.payment)) ?? from) < from,
  );
  const what = "A read after the answer did not find what it had named";
  return [...findings, ...lost.map((entry) => ({ rule: "kept", what, evidence: [entry] }))];
}
