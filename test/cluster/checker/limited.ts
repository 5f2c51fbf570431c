// Limits hold: from five seconds after its answer until the next one is asked for, no limit has more
// payouts than it allows, by what was accepted and cannot have been given back; and what a limit
// refused would have been above it. At the end, what is used of the limits is the sum of all answers.

import type { Account, Entry } from "../workload/history.ts";
import { begun, listWithdrawn, type Withdrawn } from "./effects.ts";
import { type Evidence, type Finding, groupBy, toMinor } from "./evidence.ts";
import { listOperations, type Operation } from "./operations.ts";
import { type Spans, spansOf } from "./spans.ts";

/** A limit as the workload sets them: of a month, or of one payout, by all methods. */
interface Limit {
  scope: "business" | "entity";
  per: "month" | "payout";
  amount?: string;
  count?: number;
}

interface Held extends Spans {
  businessId: string;
  limit: Limit;
}

export function checkLimited(evidence: Evidence): Finding[] {
  const accounts = new Map(evidence.accounts.map((account) => [account.id, account]));
  const withdrawn = listWithdrawn(evidence);
  return [
    ...listHeld(evidence).flatMap((held) => checkHeld(held, withdrawn, accounts)),
    ...checkRefused(evidence, accounts),
    ...checkUsed(evidence, withdrawn, accounts),
  ];
}

function listHeld({ history, incidents }: Evidence): Held[] {
  const bySetter = groupBy(listOperations(history, "limits"), ({ about }) =>
    [about.business, about.by].join(),
  );
  return [...bySetter.values()].flatMap((ofOne) =>
    spansOf(ofOne, incidents).flatMap(({ operation: { about, entries }, ...spans }) => {
      const { limits } = (entries[0] as Entry).request as { limits: Limit[] };
      return limits.map((limit) => ({ businessId: String(about.business), limit, ...spans }));
    }),
  );
}

/** Each time that a payout was accepted under a limit, those so far are within it. */
function checkHeld(
  { businessId, limit, surely }: Held,
  withdrawn: Withdrawn[],
  accounts: Map<string, Account>,
): Finding[] {
  const accepted = withdrawn.flatMap(({ operation, failed }) => {
    const { about, done } = operation;
    const account = accounts.get(String(about.account));
    if (!done || account?.businessId !== businessId) return [];
    const amountMinor = Number(about.amountMinor);
    const [from, at] = [begun(operation), done.until];
    const owner = limit.scope === "business" ? businessId : account.entityId;
    return [
      { owner, amountMinor, from, at, backAt: failed?.possibleAt ?? Number.POSITIVE_INFINITY },
    ];
  });
  const findings: Finding[] = [];
  for (const [owner, ofOne] of groupBy(accepted, (each) => each.owner)) {
    const under = ofOne.filter(({ from, at }) => from > surely.from && at < surely.until);
    for (const { at, amountMinor } of under) {
      const counted = ofOne.filter((each) => each.at <= at && each.backAt > at);
      const usedMinor = limit.per === "payout" ? amountMinor : sumOf(counted);
      const isAbove = usedMinor > maxMinorOf(limit) || counted.length > maxCountOf(limit);
      // Nothing of the counted ones needs to be under the limit itself.
      if (!isAbove || !(limit.per === "payout" || counted.some((each) => under.includes(each)))) {
        continue;
      }
      const what = `${counted.length} payouts of ${usedMinor} of ${owner} exceed a limit`;
      findings.push({ rule: "limited", what, evidence: [limit, surely, ...counted] });
    }
  }
  return findings;
}

const sumOf = (payouts: { amountMinor: number }[]) =>
  payouts.reduce((sum, { amountMinor }) => sum + amountMinor, 0);

const maxMinorOf = ({ amount }: Limit) =>
  amount === undefined ? Number.POSITIVE_INFINITY : toMinor(amount);

const maxCountOf = ({ count }: Limit) => count ?? Number.POSITIVE_INFINITY;

/** What was refused would be above the limit, together with all that was ever asked for before. */
function checkRefused({ history }: Evidence, accounts: Map<string, Account>): Finding[] {
  const asked = history.filter(({ kind }) => kind === "withdraw");
  const ownerOf = ({ about }: Entry, scope: unknown) => {
    const account = accounts.get(String(about.account));
    return scope === "business" ? account?.businessId : account?.entityId;
  };
  return asked.flatMap((entry) => {
    if (entry.body?.code !== "limit_exceeded") return [];
    const { scope, per, max } = entry.body.limit;
    const before = asked.filter(
      (each) => each.from < entry.until && ownerOf(each, scope) === ownerOf(entry, scope),
    );
    // The entry is one of them.
    const counted = per === "payout" ? [entry] : before;
    const amounts = counted.map(({ about }) => ({ amountMinor: Number(about.amountMinor) }));
    const isAbove = typeof max === "number" ? amounts.length > max : sumOf(amounts) > toMinor(max);
    if (isAbove) return [];
    const what = `Withdrawal ${entry.op} was refused by a limit of ${max} with room for it`;
    return [{ rule: "limited", what, evidence: [entry] }];
  });
}

/** A return after SUCCESS gives nothing back. */
function checkUsed(
  { told, arrivals, incidents, history }: Evidence,
  withdrawn: Withdrawn[],
  accounts: Map<string, Account>,
): Finding[] {
  if (incidents.some(({ name }) => /previous release/.test(name))) return [];
  const paid = new Set(
    arrivals.flatMap(({ text }) => {
      const { status, payload } = JSON.parse(text);
      return status === "SUCCESS" ? [payload.transactionId as string] : [];
    }),
  );
  const first = new Map<string, number>();
  for (const { about, done } of listOperations(history, "limits")) {
    const at = (done?.until ?? Number.POSITIVE_INFINITY) + 5_000;
    const businessId = String(about.business);
    first.set(businessId, Math.min(first.get(businessId) ?? at, at));
  }
  return Object.entries(told.used).flatMap(([businessId, [amount, count]]) => {
    const all = withdrawn.filter(
      ({ operation: { about } }) => accounts.get(String(about.account))?.businessId === businessId,
    );
    const kept = all.filter(({ id, failed }) => !failed || paid.has(id));
    const usedMinor = sumOf(kept.map(amountOf));
    // What was accepted before the first limit is read again each minute only.
    const isOld = ({ operation, failed }: Withdrawn) =>
      failed !== null && begun(operation) < (first.get(businessId) ?? 0);
    const old = all.filter(isOld).length;
    if (old > 0 || (toMinor(amount) === usedMinor && count === kept.length)) return [];
    const what = `${amount} in ${count} payouts of ${businessId} are used, not ${usedMinor} in ${kept.length}`;
    return [
      { rule: "limited", what, evidence: kept.map(({ operation: { entries } }) => entries[0]) },
    ];
  });
}

const amountOf = ({ operation: { about } }: { operation: Operation }) => ({
  amountMinor: Number(about.amountMinor),
});
