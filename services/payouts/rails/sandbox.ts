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
//
// Any other payment settles. `settleMs` lies between acceptance and settlement, and before the
// return. The bank cancels a payment that it has neither settled nor refused, of any method.

import type { mongo } from "mongoose";
import { Schema } from "mongoose";
import {
  CANCELLED,
  DUPLICATE,
  type QueryAnswer,
  type Rail,
  type RailEntry,
  type RailPayment,
} from "../../../partners/types.ts";
import type { Clock } from "../../../shared/clock.ts";
import { runUpdate, type Statement } from "../../../shared/commands.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { gather } from "../../../shared/gather.ts";
import { insertAll } from "../../../shared/insert-all.ts";
import type { Currency } from "../../../shared/money.ts";
import { SANDBOX } from "../../../shared/partners/load.ts";

/** The bank's record of an id. Moments are epoch ms. */
export interface SandboxPayment {
  _id: string;
  lastFour?: string;
  amountMinor?: number;
  currency?: Currency;
  /** The number of submits that reached the bank. */
  submits: number;
  /** When the bank accepted; unset while the bank is unavailable, and for a cancelled payment. */
  acceptedAt?: number;
  cancelledAt?: number;
  /** When the bank first answered `settled`. Later no cancel succeeds, and 0007 may come back. */
  toldAt?: number;
}

export const sandboxSchema = new Schema<SandboxPayment>(
  { _id: { type: String, required: true } },
  { versionKey: false, strict: false },
);

const REFUSED_AT_ONCE: Record<string, string> = {
  "0002": DUPLICATE,
  "0003": "compliance",
  "0004": "processing_error",
  "0005": "card_declined",
};
const REFUSED_AT_SETTLEMENT: Record<string, string> = {
  "0001": "account_not_found",
  "0006": "cancelled_by_bank",
};
const RETURNED = "0007";
const SILENT_AT_SUBMIT = "0008";
const UNAVAILABLE_AT_FIRST = "0009";
const UNAVAILABLE_SUBMITS = 3;
const SILENT = "0010";

/** The state of a payment in the bank's books; the bank's answer may be another one. */
export function sandboxState(
  payment: SandboxPayment | undefined,
  now: number,
  settleMs: number,
): Exclude<QueryAnswer, { kind: "unknown" }> {
  if (payment?.cancelledAt !== undefined) return { kind: "rejected", code: CANCELLED };
  if (payment?.acceptedAt === undefined) return { kind: "notFound" };
  const { lastFour = "", acceptedAt, toldAt = Number.POSITIVE_INFINITY } = payment;
  const atOnce = REFUSED_AT_ONCE[lastFour];
  if (atOnce) return { kind: "rejected", code: atOnce };
  const settlesAt = acceptedAt + settleMs;
  if (now < settlesAt) return { kind: "accepted", askAfterMs: settlesAt - now };
  const atSettlement = REFUSED_AT_SETTLEMENT[lastFour];
  if (atSettlement) return { kind: "rejected", code: atSettlement };
  const isReturned = lastFour === RETURNED && now >= toldAt + settleMs;
  return isReturned ? { kind: "returned", code: "returned" } : { kind: "settled" };
}

/** @param settleMs milliseconds between acceptance and settlement */
export function sandboxRail(
  payments: mongo.Collection<SandboxPayment>,
  clock: Clock,
  settleMs: number,
): Rail {
  const bounds = { maxItems: 500 };
  const readBook = async (ids: string[]) => {
    const found = await payments.find({ _id: { $in: ids } }, MAJORITY).toArray();
    return new Map(found.map((payment) => [payment._id, payment]));
  };

  const submitted = gather<RailPayment, SandboxPayment>(async (batch) => {
    const now = clock.now();
    const firsts = new Map<string, SandboxPayment>();
    const again: RailPayment[] = [];
    for (const payment of batch) {
      if (firsts.has(payment.id)) again.push(payment);
      else firsts.set(payment.id, firstSubmit(payment, now));
    }
    const known = await insertNew(payments, [...firsts.values()]);
    again.push(...batch.filter(({ id }) => known.delete(id)));
    if (again.length === 0) return batch.map(({ id }) => firsts.get(id) as SandboxPayment);
    const writes = again.map((payment) => upsert(payment.id, submission(payment, now)));
    await runUpdate(payments, writes);
    const book = await readBook(batch.map(({ id }) => id));
    return batch.map(({ id }) => book.get(id) ?? new Error("Not in the book"));
  }, bounds);

  const queried = gather<string, SandboxPayment | undefined>(async (ids) => {
    const book = await readBook(ids);
    return ids.map((id) => book.get(id));
  }, bounds);

  /**
   * Stores that the bank answers `settled` before the bank does so, because a cancel may be written
   * meanwhile.
   */
  const settled = gather<string, Pick<SandboxPayment, "cancelledAt">>(async (ids) => {
    const isOpen = { toldAt: { $exists: false }, cancelledAt: { $exists: false } };
    const filter = { _id: { $in: ids }, ...isOpen };
    const update = { $set: { toldAt: clock.now() } };
    const { matched } = await runUpdate(payments, [{ filter, update, multi: true }]);
    // All of them were open, so none is cancelled.
    if (matched === ids.length) return ids.map(() => ({}));
    const book = await readBook(ids);
    return ids.map((id) => book.get(id) ?? new Error("Not in the book"));
  }, bounds);

  async function answerFor(payment: SandboxPayment | undefined, now = clock.now()) {
    const state = sandboxState(payment, now, settleMs);
    if (state.kind !== "settled" || !payment || payment.toldAt !== undefined) return state;
    const { cancelledAt } = await settled(payment._id);
    return cancelledAt === undefined
      ? state
      : sandboxState({ ...payment, cancelledAt }, 0, settleMs);
  }

  return {
    name: SANDBOX,
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
      await runUpdate(payments, [upsert(id, cancellation(clock.now(), settleMs))]);
      const payment = (await readBook([id])).get(id);
      if (payment?.cancelledAt !== undefined) return "cancelled";
      return payment?.lastFour === SILENT ? "unknown" : "no";
    },

    async *list(since) {
      const taken = payments.find({ acceptedAt: { $gte: since } }, MAJORITY);
      for await (const payment of taken) yield toListEntry(payment, clock.now(), settleMs);
    },
  };
}

const UNKNOWN = { kind: "unknown" } as const;

function toListEntry(payment: SandboxPayment, now: number, settleMs: number): RailEntry {
  const { _id: id, amountMinor, currency, acceptedAt: at } = payment as Required<SandboxPayment>;
  const state = sandboxState(payment, now, settleMs).kind as RailEntry["state"];
  return { id, state, amountMinor, currency, at };
}

type Pipeline = mongo.Document[];

function upsert(id: string, update: Pipeline): Statement<SandboxPayment> {
  return { filter: { _id: id }, update, upsert: true };
}

function isAvailable({ lastFour }: RailPayment, submits: number): boolean {
  return lastFour !== UNAVAILABLE_AT_FIRST || submits > UNAVAILABLE_SUBMITS;
}

function firstSubmit(payment: RailPayment, now: number): SandboxPayment {
  const { id: _id, lastFour, amountMinor, currency } = payment;
  const record = { _id, lastFour, amountMinor, currency, submits: 1 };
  return isAvailable(payment, 1) ? { ...record, acceptedAt: now } : record;
}

/** Inserts records. @returns the ids that the book had already */
async function insertNew(
  payments: mongo.Collection<SandboxPayment>,
  entries: SandboxPayment[],
): Promise<Set<string>> {
  const results = await insertAll(payments, entries);
  const failed = results.find((result) => result instanceof Error);
  if (failed) throw failed;
  return new Set(entries.filter((_, i) => results[i] === "taken").map(({ _id }) => _id));
}

/** Counts a submit. Accepts a payment unless it is accepted or cancelled, or the bank is away. */
function submission({ lastFour, amountMinor, currency }: RailPayment, now: number): Pipeline {
  const needed = lastFour === UNAVAILABLE_AT_FIRST ? UNAVAILABLE_SUBMITS : 0;
  const counted = { $add: [{ $ifNull: ["$submits", 0] }, 1] };
  const isNew = { $eq: [{ $type: "$acceptedAt" }, "missing"] };
  const notCancelled = { $eq: [{ $type: "$cancelledAt" }, "missing"] };
  const isTaken = { $and: [isNew, notCancelled, { $gt: [counted, needed] }] };
  return [
    {
      $set: {
        lastFour: { $ifNull: ["$lastFour", { $literal: lastFour }] },
        amountMinor: { $ifNull: ["$amountMinor", amountMinor] },
        currency: { $ifNull: ["$currency", { $literal: currency }] },
        submits: counted,
        acceptedAt: { $cond: [isTaken, now, "$acceptedAt"] },
      },
    },
  ];
}

/** Cancels a payment unless it is cancelled, refused, settled, or one that is never answered. */
function cancellation(now: number, settleMs: number): Pipeline {
  const taken = { $ne: [{ $type: "$acceptedAt" }, "missing"] };
  const answered = { $ne: [{ $type: "$toldAt" }, "missing"] };
  const isTime = { $gte: [now, { $add: ["$acceptedAt", settleMs] }] };
  const settled = { $or: [answered, { $and: [taken, isTime] }] };
  const refused = { $in: ["$lastFour", Object.keys(REFUSED_AT_ONCE)] };
  const isPossible = {
    $not: [{ $or: [settled, { $and: [taken, refused] }, { $eq: ["$lastFour", SILENT] }] }],
  };
  const isNew = { $eq: [{ $type: "$cancelledAt" }, "missing"] };
  return [
    {
      $set: {
        submits: { $ifNull: ["$submits", 0] },
        cancelledAt: { $cond: [{ $and: [isNew, isPossible] }, now, "$cancelledAt"] },
      },
    },
  ];
}
