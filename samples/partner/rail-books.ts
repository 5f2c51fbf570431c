// The books of the sample rail, in memory. The first question about an id decides it: a submit
// accepts the payment, and a cancel makes sure that the rail never accepts it. An accepted payment
// settles after `settleMs`, unless a cancel comes first. The rail refuses a destination that ends
// in 0004.

import {
  CANCELLED,
  type CancelAnswer,
  type QueryAnswer,
  type RailEntry,
  type RailPayment,
} from "../../partners/types.ts";

interface Entry {
  payment?: RailPayment;
  at: number;
  isCancelled: boolean;
}

const REFUSED = "0004";

/** @param settleMs milliseconds between acceptance and settlement */
export function createRailBooks(settleMs: number) {
  const entries = new Map<string, Entry>();

  function findState({
    payment,
    at,
    isCancelled,
  }: Entry): Exclude<QueryAnswer, { kind: "unknown" }> {
    if (isCancelled) return { kind: "rejected", code: CANCELLED };
    if (payment?.lastFour === REFUSED) return { kind: "rejected", code: "processing_error" };
    const leftMs = at + settleMs - Date.now();
    return leftMs > 0 ? { kind: "accepted", askAfterMs: leftMs } : { kind: "settled" };
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
