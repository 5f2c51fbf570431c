// The effects of operations on accounts, each with the moment from which it may show and the one
// from which it must.

import { type Evidence, toMinor } from "./evidence.ts";
import { collectionFee, debitOf, listOperations, type Operation } from "./operations.ts";

export interface Effect {
  account: string;
  /** Signed, in minor units. */
  amountMinor: number;
  op: string;
  what: string;
  /** Epoch ms; infinity if no answer ever tells it. */
  possibleAt: number;
  sureAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;

export function listEffects(evidence: Evidence): Effect[] {
  const ends = listEnds(evidence);
  return [
    ...listMoved(evidence),
    ...listWithdrawn(evidence, ends).flatMap(listDebited),
    ...listCollected(evidence, ends),
    ...listRenewed(evidence),
    ...listPaidBack(evidence, ends),
  ];
}

/** When an end of a transaction was first told: by a read or an event. By its id and status. */
function listEnds({ history, arrivals }: Evidence): Map<string, number> {
  const ends = new Map<string, number>();
  const tell = (id: unknown, status: unknown, at: number) => {
    const key = [id, status].join(" ");
    ends.set(key, Math.min(ends.get(key) ?? NEVER, at));
  };
  for (const { body, until } of history) {
    const data = body?.data;
    if (data?.id && data?.status) tell(data.id, data.status, until);
  }
  for (const { at, text } of arrivals) {
    const { status, payload } = JSON.parse(text);
    tell(payload.refundId ?? payload.transactionId, status, at);
  }
  return ends;
}

/** When an operation was first asked for. */
export const begun = ({ entries }: Operation) => entries[0]?.from ?? NEVER;

/** Fundings, adjustments and transfers. */
function listMoved({ history }: Evidence): Effect[] {
  return (["fund", "adjust", "transfer", "move"] as const)
    .flatMap((kind) => listOperations(history, kind))
    .flatMap((operation) => {
      const { kind, op, about, done, refused } = operation;
      if (refused && !done) return [];
      const amountMinor = Number(about.amountMinor);
      const isSure = ["SUCCESS", "SUCCEEDED"].includes(done?.body.data.status);
      const times = { possibleAt: begun(operation), sureAt: isSure && done ? done.until : NEVER };
      const effect = { op, what: kind, ...times };
      if (about.to === undefined)
        return [{ ...effect, account: String(about.account), amountMinor }];
      return [
        { ...effect, account: String(about.account), amountMinor: -amountMinor },
        { ...effect, account: String(about.to), amountMinor },
      ];
    });
}

/** A withdrawal that was debited. */
export interface Withdrawn {
  operation: Operation;
  id: string;
  /** From when it may be FAILED, and from when it is told as that; null if it is not. */
  failed: { possibleAt: number; sureAt: number } | null;
}

export function listWithdrawn(evidence: Evidence, ends = listEnds(evidence)): Withdrawn[] {
  const { history, payments, stored, told } = evidence;
  const committed = new Set(
    stored.journal.filter(({ outcome }) => outcome === "committed").map(({ id }) => id),
  );
  const debited = new Map(
    stored.payouts.filter(({ id }) => committed.has(id)).map(({ id, reason }) => [reason, id]),
  );
  const failed = new Set(
    told.transactions.filter(({ status }) => status === "FAILED").map(({ id }) => id),
  );
  const bank = new Map(payments.map((payment) => [payment.id, payment]));
  const cancels = new Map(
    listOperations(history, "cancel").map((each) => [each.op, begun(each)] as const),
  );
  return listOperations(history, "withdraw").flatMap((operation): Withdrawn[] => {
    const { op, done } = operation;
    const id: string | undefined = done?.body.data.id ?? debited.get(op);
    if (id === undefined) return [];
    if (!failed.has(id)) return [{ operation, id, failed: null }];
    const refusedAt = bank
      .get(id)
      ?.notes.find(({ what }) => ["rejected", "returned", "cancelled"].includes(what))?.at;
    const possibleAt = Math.min(refusedAt ?? NEVER, cancels.get(id) ?? NEVER);
    const sureAt = ends.get(`${id} FAILED`) ?? NEVER;
    return [{ operation, id, failed: { possibleAt, sureAt } }];
  });
}

/** The debits of withdrawals, and their reversals. */
function listDebited({ operation, id, failed }: Withdrawn): Effect[] {
  const { op, about, done } = operation;
  const effect = { account: String(about.account), op };
  const amountMinor = debitOf(operation);
  const debit = {
    ...{ ...effect, what: `debit ${id}`, amountMinor: -amountMinor },
    ...{ possibleAt: begun(operation), sureAt: done?.until ?? NEVER },
  };
  return failed ? [debit, { ...effect, what: `reversal ${id}`, amountMinor, ...failed }] : [debit];
}

/** The payments of customers, by the acquirer's book. */
function listCollected({ history, charges }: Evidence, ends: Map<string, number>): Effect[] {
  return listOperations(history, "pay").flatMap(({ op, about }) => {
    const charge = charges.find(({ card, state }) => card === about.card && state === "captured");
    if (!charge) return [];
    const { id, amountMinor, notes } = charge;
    return [
      {
        account: String(about.account),
        ...{ op, what: `payment ${id}`, amountMinor: amountMinor - collectionFee(amountMinor) },
        ...{ possibleAt: notes[0]?.at ?? NEVER, sureAt: ends.get(`${id} SUCCEEDED`) ?? NEVER },
      },
    ];
  });
}

/** Renewals: when a test clock has answered, everything up to its time is in the account. */
function listRenewed({ history, charges }: Evidence): Effect[] {
  const clocks = listOperations(history, "clock");
  const clients = new Map(history.map(({ op, client }) => [op, client]));
  return listOperations(history, "setup").flatMap(({ op, about }) => {
    const own = clocks.filter((clock) => clients.get(clock.op) === clients.get(op));
    return charges
      .filter(({ card, state }) => card === about.card && state === "captured")
      .map(({ id, amountMinor, notes }) => {
        const at = notes[0]?.at ?? NEVER;
        const clock = own.find(({ done }) => done && done.until >= at);
        return {
          account: String(about.account),
          ...{ op, what: `renewal ${id}`, amountMinor: amountMinor - collectionFee(amountMinor) },
          ...{ possibleAt: at, sureAt: clock?.done?.until ?? NEVER },
        };
      });
  });
}

/** Refunds: the account is debited first; a refused one is given back. */
function listPaidBack({ history, told }: Evidence, ends: Map<string, number>): Effect[] {
  const byReference = new Map(told.refunds.map((refund) => [String(refund.reference), refund]));
  return listOperations(history, "refund").flatMap((operation) => {
    const { op, about, done } = operation;
    const refund = byReference.get(op);
    if (!refund) return [];
    const { id, amount, feesReturned, status } = refund;
    const amountMinor = toMinor(amount) - toMinor(feesReturned);
    const effect = { account: String(about.account), op, possibleAt: begun(operation) };
    const debit = { ...effect, what: `refund ${id}`, amountMinor: -amountMinor };
    const debited = { ...debit, sureAt: done?.until ?? NEVER };
    if (status !== "FAILED") return [debited];
    const sureAt = ends.get(`${id} FAILED`) ?? NEVER;
    return [debited, { ...effect, what: `reversal of refund ${id}`, amountMinor, sureAt }];
  });
}
