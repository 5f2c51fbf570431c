// The books of the sample rail, in memory. The first question about an id decides it: a submit
// accepts the payment, and a cancel makes sure that the rail never accepts it. An accepted payment
// settles after `settleMs`, unless a cancel comes first. The rail refuses a destination that ends
// in 0004, and has a problem with one that ends in 0011 until an operator decides.

import {
  CANCELLED,
  type CancelAnswer,
  type DecideAnswer,
  type QueryAnswer,
  type RailEntry,
  type RailPayment,
} from "../../types.ts";

interface Entry {
  payment?: RailPayment;
  at: number;
  isCancelled: boolean;
  decided?: SampleEnd;
}

export type SampleEnd = "settled" | "rejected" | "returned";

const REFUSED = "0004";
const DISPUTED = "0011";
const PROBLEM = "The bank does not say whether it has paid";

/** @param settleMs milliseconds between acceptance and settlement */
export function createRailBooks(settleMs: number) {
  const entries = new Map<string, Entry>();

  function findState({
    payment,
    at,
    isCancelled,
    decided,
  }: Entry): Exclude<QueryAnswer, { kind: "unknown" }> {
    if (isCancelled || !payment) return { kind: "rejected", code: CANCELLED };
    const { lastFour, amountMinor, currency } = payment;
    if (lastFour === REFUSED) return { kind: "rejected", code: "processing_error" };
    const leftMs = at + settleMs - Date.now();
    if (leftMs > 0) return { kind: "accepted", askAfterMs: leftMs };
    if (lastFour === DISPUTED && !decided) return { kind: "accepted", problem: PROBLEM };
    if (decided === "rejected") return { kind: decided, code: "resolved" };
    if (decided === "returned") return { kind: decided, code: "resolved", amountMinor, currency };
    return { kind: "settled", amountMinor, currency };
  }

  return {
    submit(payment: RailPayment): QueryAnswer {
      const entry = entries.get(payment.id) ?? { payment, at: Date.now(), isCancelled: false };
      entries.set(payment.id, entry);
      return findState(entry);
    },

    query(id: string): QueryAnswer {
      const entry = entries.get(id);
      return entry ? findState(entry) : { kind: "notFound" };
    },

    cancel(id: string): CancelAnswer {
      const entry = entries.get(id) ?? { at: Date.now(), isCancelled: true };
      if (findState(entry).kind === "accepted") entry.isCancelled = true;
      entries.set(id, entry);
      return entry.isCancelled ? "cancelled" : "no";
    },

    decide(id: string, end: SampleEnd): DecideAnswer {
      const entry = entries.get(id);
      const state = entry && findState(entry);
      const isHeld = state?.kind === "accepted" && state.problem !== undefined;
      if (entry && isHeld) entry.decided = end;
      return entry?.decided === end ? "decided" : "no";
    },

    list(since: number): RailEntry[] {
      return [...entries].flatMap(([id, entry]) => {
        const { payment, at } = entry;
        if (payment === undefined || at < since) return [];
        const state = findState(entry).kind as RailEntry["state"];
        return [{ id, state, amountMinor: payment.amountMinor, currency: payment.currency, at }];
      });
    },
  };
}
