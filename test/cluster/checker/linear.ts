// Statements linear: the requests of an account with one owner follow one another, so each balance
// that was read is the sum of what was surely done before and of some of what may have been done;
// and each debit that was refused for funds, or accepted, fits these sums.

import { type Effect, listEffects } from "./effects.ts";
import { type Evidence, type Finding, reachable, toMinor } from "./evidence.ts";
import { debitOf, listOperations, type Operation } from "./operations.ts";
import { checkChain } from "./statements.ts";

/** More effects that may have been done are not combined: the read is not judged. */
const COMBINED_AT_MOST = 14;

export function checkLinear(evidence: Evidence): Finding[] {
  const effects = listEffects(evidence);
  const { history, accounts } = evidence;
  const findings = history
    .filter(({ kind, status }) => kind === "statement" && status === 200)
    .flatMap((entry) => checkChain(entry.body.data, String(entry.about.account)));
  for (const { id, owner } of accounts) {
    if (owner === null) continue;
    const own = effects.filter(({ account }) => account === id);
    findings.push(...checkBalances(evidence, id, own), ...checkDebits(evidence, id, own));
  }
  return findings;
}

function checkBalances({ history }: Evidence, account: string, effects: Effect[]): Finding[] {
  const reads = history.filter(
    ({ kind, status, about }) => kind === "balance" && status === 200 && about.account === account,
  );
  return reads.flatMap((read) => {
    const balance = toMinor(findBalance(read.body.data, account));
    const sure = effects.filter(({ sureAt }) => sureAt < read.from);
    const maybe = effects.filter(
      ({ sureAt, possibleAt }) => sureAt >= read.from && possibleAt <= read.until,
    );
    if (maybe.length > COMBINED_AT_MOST) return [];
    const base = sumOf(sure);
    const amounts = maybe.map(({ amountMinor }) => amountMinor);
    if (reachable(base, amounts).has(balance)) return [];
    const what = `Account ${account} showed ${balance}, not ${base} and some of ${amounts.join()}`;
    return [{ rule: "balance as answered", what, evidence: [read, ...maybe, ...sure.slice(-10)] }];
  });
}

/** A balance is read of a wallet itself, or of the list of collection accounts. */
function findBalance(data: unknown, account: string): unknown {
  const all = (Array.isArray(data) ? data : [data]) as { id: string; balance: string }[];
  return all.find(({ id }) => id === account)?.balance;
}

function checkDebits({ history }: Evidence, account: string, effects: Effect[]): Finding[] {
  const operations = (["withdraw", "transfer", "move", "adjust"] as const)
    .flatMap((kind) => listOperations(history, kind))
    .filter(({ about }) => about.account === account);
  return operations.flatMap((operation): Finding[] => {
    const { kind, op, about, entries, done, refused } = operation;
    const sign = kind === "adjust" ? -1 : 1;
    const debit = kind === "withdraw" ? debitOf(operation) : sign * Number(about.amountMinor);
    const from = entries[0]?.from ?? 0;
    const others = effects.filter((effect) => effect.op !== op);
    if (refused?.body.code === "insufficient_funds") {
      const least = sumOf(others.filter((effect) => mayHold(effect, from, refused.until, "least")));
      if (least < debit) return [];
      const what = `${kind} ${op} of ${debit} was refused with at least ${least} in ${account}`;
      return [{ rule: "refused with funds", what, evidence: entries }];
    }
    if (!done) return [];
    const most = sumOf(others.filter((effect) => mayHold(effect, from, done.until, "most")));
    if (most >= debit || isGivenBack(operation)) return [];
    const what = `${kind} ${op} of ${debit} was accepted with at most ${most} in ${account}`;
    return [{ rule: "accepted without funds", what, evidence: entries }];
  });
}

const isGivenBack = ({ done }: Operation) => done?.body.data.status === "FAILED";

/**
 * Whether an effect counts for the least or the most that an account can have held at a moment
 * between these two.
 */
function mayHold(
  { amountMinor, possibleAt, sureAt }: Effect,
  from: number,
  until: number,
  bound: "least" | "most",
): boolean {
  const isSure = sureAt < from;
  const isPossible = possibleAt <= until;
  return isSure || (isPossible && (bound === "least") === amountMinor < 0);
}

const sumOf = (effects: Effect[]) => effects.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
