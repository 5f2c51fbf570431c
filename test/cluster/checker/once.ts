// No money twice: the bank paid each withdrawal at most once, the acquirer charged each payment at
// most once and each renewal once for its invoice, and paid back each refund at most once.

import type { BankPayment, CardCharge } from "../outside/books.ts";
import { type Evidence, type Finding, groupBy, toMinor } from "./evidence.ts";
import { listOperations, type Operation } from "./operations.ts";

export function checkOnce(evidence: Evidence): Finding[] {
  return [
    ...checkPayouts(evidence),
    ...checkCharges(evidence),
    ...checkRenewals(evidence),
    ...checkRefunds(evidence),
    ...checkRaces(evidence),
    ...checkJournal(evidence),
  ];
}

export const wasPaid = ({ notes }: BankPayment) => notes.some(({ what }) => what === "settled");
const isCaptured = ({ state }: CardCharge) => state === "captured";

function checkPayouts({ history, payments }: Evidence): Finding[] {
  const operations = new Map(listOperations(history, "withdraw").map((each) => [each.op, each]));
  const findings: Finding[] = [];
  for (const [reference, paid] of groupBy(payments.filter(wasPaid), (each) => each.reference)) {
    const operation = operations.get(reference);
    const entries = operation?.entries ?? [];
    if (paid.length > 1) {
      const what = `The bank paid withdrawal ${reference} ${paid.length} times`;
      findings.push({ rule: "paid once", what, evidence: [...paid, ...entries] });
    }
    for (const payment of paid) {
      if (payment.amountMinor === operation?.about.amountMinor) continue;
      const what = `The bank paid ${payment.amountMinor} for ${reference}, which asked for another`;
      findings.push({ rule: "paid as asked", what, evidence: [payment, ...entries] });
    }
  }
  return findings;
}

function checkCharges({ history, charges }: Evidence): Finding[] {
  const pays = listOperations(history, "pay");
  const captured = groupBy(charges.filter(isCaptured), ({ card }) => card);
  const findings: Finding[] = [];
  for (const { op, about, entries } of pays) {
    const taken = captured.get(String(about.card)) ?? [];
    if (taken.length > 1) {
      const what = `The acquirer charged payment ${op} ${taken.length} times`;
      findings.push({ rule: "charged once", what, evidence: [...taken, ...entries] });
    }
  }
  const once = pays.filter(({ about }) => about.isOnce === 1);
  for (const [link, customers] of groupBy(once, ({ about }) => String(about.link))) {
    const taken = customers.flatMap(({ about }) => captured.get(String(about.card)) ?? []);
    if (taken.length <= 1) continue;
    const what = `Link ${link} is paid once, and was paid ${taken.length} times`;
    const asked = customers.flatMap(({ entries }) => entries);
    findings.push({ rule: "charged once", what, evidence: [...taken, ...asked] });
  }
  return findings;
}

/** A saved card is charged once for each invoice that is told as paid, and for nothing else. */
function checkRenewals({ history, charges, told }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const captured = groupBy(charges.filter(isCaptured), ({ card }) => card);
  for (const setup of listOperations(history, "setup")) {
    const taken = captured.get(String(setup.about.card)) ?? [];
    const subscriptionId = setup.done?.body.data.subscriptionId;
    const invoices = told.invoices.filter((each) => each.subscriptionId === subscriptionId);
    const paid = invoices.filter(({ status, charged }) => status === "paid" && charged !== "0.00");
    if (taken.length !== paid.length) {
      const what = `The card of ${setup.op} was charged ${taken.length} times for ${paid.length} paid invoices`;
      findings.push({ rule: "renewed once", what, evidence: [...taken, ...invoices] });
    }
    const periods = groupBy(invoices, ({ periodStart }) => String(periodStart));
    for (const [periodStart, same] of periods) {
      if (same.length === 1) continue;
      const what = `The period from ${periodStart} of ${subscriptionId} has ${same.length} invoices`;
      findings.push({ rule: "billed once", what, evidence: same });
    }
  }
  return findings;
}

/** What the acquirer paid back of each charge is what payrail tells, refund by refund. */
function checkRefunds({ charges, refunds, told }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const amounts = new Map(charges.map(({ id, amountMinor }) => [id, amountMinor]));
  const paidBack = groupBy(
    refunds.filter(({ state }) => state === "refunded"),
    ({ chargeId }) => chargeId,
  );
  const succeeded = groupBy(
    told.refunds.filter(({ status }) => status === "SUCCEEDED"),
    ({ paymentId }) => String(paymentId),
  );
  for (const id of new Set([...paidBack.keys(), ...succeeded.keys()])) {
    const book = paidBack.get(id) ?? [];
    const claimed = succeeded.get(id) ?? [];
    const inBook = book.map(({ amountMinor }) => amountMinor).toSorted((a, b) => a - b);
    const inClaims = claimed.map(({ amount }) => toMinor(amount)).toSorted((a, b) => a - b);
    if (inBook.join() !== inClaims.join()) {
      const what = `Of payment ${id} the acquirer paid back [${inBook.join()}], not [${inClaims.join()}]`;
      findings.push({ rule: "refunded once", what, evidence: [...book, ...claimed] });
    }
    const sum = inBook.reduce((total, amountMinor) => total + amountMinor, 0);
    if (sum > (amounts.get(id) ?? 0)) {
      const what = `More was paid back of payment ${id} than was charged`;
      findings.push({ rule: "refunded once", what, evidence: book });
    }
  }
  return findings;
}

/** Of two transfers at once from a wallet with money for one, exactly one is done. */
function checkRaces({ history }: Evidence): Finding[] {
  const raced = listOperations(history, "move").filter(({ about }) => about.race !== "");
  return [...groupBy(raced, ({ about }) => String(about.race))].flatMap(([race, both]) => {
    const done = both.filter((each) => each.done);
    if (done.length === 1 || both.some((each) => !each.done && !each.refused)) return [];
    const evidence = both.flatMap(({ entries }) => entries);
    return [{ rule: "one of two", what: `Race ${race} was won by ${done.length}`, evidence }];
  });
}

/** A transfer is journalled once, and a withdrawal is debited once. */
function checkJournal({ history, stored }: Evidence): Finding[] {
  const committed = stored.journal.filter(({ outcome }) => outcome === "committed");
  const findings: Finding[] = [];
  for (const [id, same] of groupBy(committed, (each) => each.id)) {
    if (same.length === 1) continue;
    findings.push({
      rule: "journalled once",
      what: `${id} is in the journal twice`,
      evidence: same,
    });
  }
  const debits = new Set(committed.filter(({ kind }) => kind === "payout").map(({ id }) => id));
  const asked = new Map<string, Operation>(
    listOperations(history, "withdraw").map((each) => [each.op, each]),
  );
  for (const [reason, made] of groupBy(stored.payouts, (each) => each.reason)) {
    const debited = made.filter(({ id }) => debits.has(id));
    if (debited.length <= 1) continue;
    const what = `Withdrawal ${reason} was debited ${debited.length} times`;
    const entries = asked.get(reason)?.entries ?? [];
    findings.push({ rule: "debited once", what, evidence: [...debited, ...entries] });
  }
  return findings;
}
