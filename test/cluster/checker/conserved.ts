// None lost: the balance of each account is what came in and went out by the books of the bank and
// of the acquirer, and the sum of the account's legs in the journal, and the end of its statement.

import { type Evidence, type Finding, reachable, toMinor } from "./evidence.ts";
import { collectionFee, debitOf, listOperations, type Operation } from "./operations.ts";
import { checkChain } from "./statements.ts";

export function checkConserved(evidence: Evidence): Finding[] {
  const { accounts, told, stored } = evidence;
  const legs = new Map<string, number>();
  const moved = new Map<string, number>();
  for (const { outcome, legs: each } of stored.journal) {
    if (outcome !== "committed") continue;
    for (const [id, amountMinor] of each) {
      legs.set(id, (legs.get(id) ?? 0) + amountMinor);
      moved.set(id, (moved.get(id) ?? 0) + 1);
    }
  }
  return accounts.flatMap(({ id, kind, businessId }): Finding[] => {
    const balance = toMinor(told.balances[id]);
    const movements = listMovements(evidence, id);
    const sure = movements.filter(({ isSure }) => isSure).map(({ amountMinor }) => amountMinor);
    const rest = movements.filter(({ isSure }) => !isSure).map(({ amountMinor }) => amountMinor);
    const expected = sure.reduce((sum, amountMinor) => sum + amountMinor, 0);
    const inJournal = legs.get(id) ?? 0;
    const name = `${kind} ${id} of ${businessId}`;
    const findings: Finding[] = [];
    if (!reachable(expected, rest).has(balance)) {
      const what = `${name} has ${balance}, and ${expected} by the books outside`;
      findings.push({ rule: "none lost", what, evidence: movements });
    }
    if (inJournal !== balance) {
      const what = `${name} has ${balance}, and ${inJournal} in the journal`;
      findings.push({ rule: "none lost", what, evidence: [] });
    }
    const statement = told.statements[id] ?? [];
    const posted = moved.get(id) ?? 0;
    if (statement.length !== posted) {
      const what = `The statement of ${name} has ${statement.length} entries of ${posted} transfers`;
      findings.push({ rule: "statements linear", what, evidence: statement.slice(0, 5) });
    }
    return [...findings, ...checkChain(statement, name, balance)];
  });
}

interface Movement {
  what: string;
  amountMinor: number;
  /** False if no answer told whether it was done. */
  isSure: boolean;
}

function listMovements(evidence: Evidence, account: string): Movement[] {
  const { history, payments, charges, told } = evidence;
  const of = (kind: Operation["kind"], field = "account") =>
    listOperations(history, kind).filter(({ about }) => about[field] === account);
  const asked = (operation: Operation, sign: 1 | -1): Movement[] => {
    const { kind, op, about, done, refused } = operation;
    // A transfer that failed has given the money back.
    if (refused || done?.body.data.status === "FAILED") return [];
    const isSure = done !== undefined;
    return [{ what: `${kind} ${op}`, amountMinor: sign * Number(about.amountMinor), isSure }];
  };
  const kept = new Map<string, string>();
  for (const { id, reference, state } of payments) if (state === "settled") kept.set(reference, id);
  const captured = charges.filter(({ state }) => state === "captured");
  const cards = new Set([...of("pay"), ...of("setup")].map(({ about }) => about.card));
  const payable = new Set(told.payments.map(({ id }) => id));
  const mine = new Set(
    told.payments.filter((each) => each.collectionAccountId === account).map(({ id }) => id),
  );
  return [
    ...[...of("fund"), ...of("adjust")].flatMap((operation) => asked(operation, 1)),
    ...[...of("transfer"), ...of("move")].flatMap((operation) => asked(operation, -1)),
    ...[...of("transfer", "to"), ...of("move", "to")].flatMap((operation) => asked(operation, 1)),
    ...of("withdraw")
      .filter(({ op }) => kept.has(op))
      .map((operation) => ({
        ...{ what: `withdraw ${operation.op}`, amountMinor: -debitOf(operation), isSure: true },
      })),
    ...captured
      .filter(({ card }) => cards.has(card))
      .map(({ id, amountMinor }) => ({
        what: `charge ${id}${payable.has(id) ? "" : " of a renewal"}`,
        amountMinor: amountMinor - collectionFee(amountMinor),
        isSure: true,
      })),
    ...told.refunds
      .filter(({ status, paymentId }) => status === "SUCCEEDED" && mine.has(String(paymentId)))
      .map(({ id, amount, feesReturned }) => ({
        what: `refund ${id}`,
        amountMinor: toMinor(feesReturned) - toMinor(amount),
        isSure: true,
      })),
  ];
}
