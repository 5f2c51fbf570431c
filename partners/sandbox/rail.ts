// The sandbox rail: a bank with books of its own, for development and tests. The state of a payment
// is a pure function of its document and the time, so that every replica answers the same, also
// after a kill. The first submit of an id wins, submits are counted, and the bank remembers a
// cancel even of an id that it has never seen. The last four digits of the destination decide:
//
//   0001 account not found, at settlement    0006 cancelled by the bank, at settlement
//   0002 duplicate, at once                  0007 settles; after it has answered so, comes back
//   0003 compliance, at once                 0008 no answer to the submit, then found accepted
//   0004 general failure, at once            0009 unavailable for the first three submits
//   0005 card failure, at once               0010 never answers
//   0011 a problem, at settlement, until an operator decides
//
// Any other payment settles. `settleMs` lies between acceptance and settlement, and before the
// return. The bank cancels a payment that it has neither settled nor refused, of any method.
//
// The book's collection `sandbox_rail` has no index but that of its ids.

import type { mongo } from "mongoose";
import type { Context, Rail, RailEntry, RailPayment } from "../types.ts";
import { inBatches } from "./batches.ts";
import { insertNew, readAll } from "./books.ts";
import {
  cancellation,
  decidable,
  firstSubmit,
  type SandboxPayment,
  SILENT,
  SILENT_AT_SUBMIT,
  sandboxState,
  submission,
} from "./rail-book.ts";

/** The context that payrail gives the sandbox's modules. */
export interface SandboxContext extends Context {
  /** For the rail: milliseconds between acceptance and settlement, 2,000 by default. */
  settleMs?: number;
}

const SETTLE_MS = 2_000;

/** Makes the rail. It opens nothing: all its books are in the context's database. */
export default function sandboxRail({ database, now, settleMs = SETTLE_MS }: SandboxContext): Rail {
  const payments = database.collection<SandboxPayment>("sandbox_rail");

  const submitted = inBatches<RailPayment, SandboxPayment>(async (batch) => {
    const at = now();
    const firsts = new Map<string, SandboxPayment>();
    const again: RailPayment[] = [];
    for (const payment of batch) {
      if (firsts.has(payment.id)) again.push(payment);
      else firsts.set(payment.id, firstSubmit(payment, at));
    }
    const records = [...firsts.values()];
    const known = new Set((await insertNew(payments, records)).map((i) => records[i]?._id));
    again.push(...batch.filter(({ id }) => known.delete(id)));
    if (again.length === 0) return batch.map(({ id }) => firsts.get(id) as SandboxPayment);
    const writes = again.map((payment) => ({
      updateOne: { filter: { _id: payment.id }, update: submission(payment, at), upsert: true },
    }));
    await payments.bulkWrite(writes, { ordered: false });
    const ids = batch.map(({ id }) => id);
    const book = await readAll(payments, ids);
    return ids.map((id) => book.get(id) ?? new Error("Not in the book"));
  });

  const queried = inBatches<string, SandboxPayment | undefined>(async (ids) => {
    const book = await readAll(payments, ids);
    return ids.map((id) => book.get(id));
  });

  /**
   * Stores that the bank answers `settled` before the bank does so, because a cancel may be written
   * meanwhile.
   */
  const settled = inBatches<string, Pick<SandboxPayment, "cancelledAt">>(async (ids) => {
    const isOpen = { toldAt: { $exists: false }, cancelledAt: { $exists: false } };
    const toldAt = now();
    const { matchedCount } = await payments.updateMany(
      { _id: { $in: [...ids] }, ...isOpen },
      { $set: { toldAt } },
    );
    // All of them were open, so none is cancelled.
    if (matchedCount === ids.length) return ids.map(() => ({}));
    const book = await readAll(payments, ids);
    return ids.map((id) => book.get(id) ?? new Error("Not in the book"));
  });

  async function answerFor(payment: SandboxPayment | undefined, at = now()) {
    const state = sandboxState(payment, at, settleMs);
    if (state.kind !== "settled" || !payment || payment.toldAt !== undefined) return state;
    const { cancelledAt } = await settled(payment._id);
    return cancelledAt === undefined
      ? state
      : sandboxState({ ...payment, cancelledAt }, 0, settleMs);
  }

  return {
    name: "sandbox",
    test: true,
    returnWindowMs: settleMs,

    async submit(payment) {
      const book = await submitted(payment);
      if (payment.lastFour === SILENT_AT_SUBMIT || payment.lastFour === SILENT) return UNKNOWN;
      // The first submit is answered as of its acceptance, however long the write took.
      const state = await answerFor(book, book.submits === 1 ? book.acceptedAt : undefined);
      // Without a record after a submit the bank was unavailable. Only a query answers `returned`.
      return state.kind === "notFound" || state.kind === "returned" ? UNKNOWN : state;
    },

    async query(id) {
      const payment = await queried(id);
      const isSilent = payment?.lastFour === SILENT && payment.cancelledAt === undefined;
      return isSilent ? UNKNOWN : answerFor(payment);
    },

    async cancel(id) {
      await payments.updateOne({ _id: id }, cancellation(now(), settleMs), { upsert: true });
      const payment = await payments.findOne({ _id: id });
      if (payment?.cancelledAt !== undefined) return "cancelled";
      return payment?.lastFour === SILENT ? "unknown" : "no";
    },

    async decide(id, end) {
      const filter = decidable(id, end, now(), settleMs) as mongo.Filter<SandboxPayment>;
      const { matchedCount } = await payments.updateOne(filter, { $set: { decided: end } });
      return matchedCount === 1 ? "decided" : "no";
    },

    async *list(since) {
      const taken = payments.find({ acceptedAt: { $gte: since } });
      for await (const payment of taken) yield toListEntry(payment, now(), settleMs);
    },
  };
}

const UNKNOWN = { kind: "unknown" } as const;

function toListEntry(payment: SandboxPayment, now: number, settleMs: number): RailEntry {
  const { _id: id, amountMinor, currency, acceptedAt: at } = payment as Required<SandboxPayment>;
  const state = sandboxState(payment, now, settleMs).kind as RailEntry["state"];
  return { id, state, amountMinor, currency, at };
}
