// The book of the sandbox rail: its records, the state of a payment, and the changes of a record by
// a submit and a cancel. The last four digits of the destination decide (rail.ts).

import type { mongo } from "mongoose";
import {
  CANCELLED,
  type Currency,
  DUPLICATE,
  type QueryAnswer,
  type Rail,
  type RailPayment,
} from "../types.ts";

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
  /** An operator's decision about a payment that has a problem. */
  decided?: SandboxEnd;
}

export type SandboxEnd = Parameters<NonNullable<Rail["decide"]>>[1];

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
export const SILENT_AT_SUBMIT = "0008";
const UNAVAILABLE_AT_FIRST = "0009";
const UNAVAILABLE_SUBMITS = 3;
export const SILENT = "0010";
const DISPUTED = "0011";
const PROBLEM = "The bank does not say whether it has paid. Ask the bank, and decide.";

/** The state of a payment in the bank's books; the bank's answer may be another one. */
export function sandboxState(
  payment: SandboxPayment | undefined,
  now: number,
  settleMs: number,
): Exclude<QueryAnswer, { kind: "unknown" }> {
  if (payment?.cancelledAt !== undefined) return { kind: "rejected", code: CANCELLED };
  if (payment?.acceptedAt === undefined) return { kind: "notFound" };
  const { lastFour = "", acceptedAt, decided, toldAt = Number.POSITIVE_INFINITY } = payment;
  const moved = movedBy(payment);
  if (decided === "settled") return { kind: decided, ...moved };
  if (decided === "rejected") return { kind: decided, code: DECIDED };
  if (decided === "returned") return { kind: decided, code: DECIDED, ...moved };
  const atOnce = REFUSED_AT_ONCE[lastFour];
  if (atOnce) return { kind: "rejected", code: atOnce };
  const settlesAt = acceptedAt + settleMs;
  if (now < settlesAt) return { kind: "accepted", askAfterMs: settlesAt - now };
  const atSettlement = REFUSED_AT_SETTLEMENT[lastFour];
  if (atSettlement) return { kind: "rejected", code: atSettlement };
  if (lastFour === DISPUTED) return { kind: "accepted", askAfterMs: DAY_MS, problem: PROBLEM };
  const isReturned = lastFour === RETURNED && now >= toldAt + settleMs;
  return isReturned
    ? { kind: "returned", code: "returned", ...moved }
    : { kind: "settled", ...moved };
}

const DAY_MS = 86_400_000;
/** The code of an end that an operator has decided. */
const DECIDED = "resolved";

/** The sum that the bank moves, of the first submit. */
function movedBy({ amountMinor, currency }: SandboxPayment) {
  return { amountMinor: amountMinor as number, currency: currency as Currency };
}

type Pipeline = mongo.Document[];

function isAvailable({ lastFour }: RailPayment, submits: number): boolean {
  return lastFour !== UNAVAILABLE_AT_FIRST || submits > UNAVAILABLE_SUBMITS;
}

/** The record of an id whose first submit this is. */
export function firstSubmit(payment: RailPayment, now: number): SandboxPayment {
  const { id: _id, lastFour, amountMinor, currency } = payment;
  const record = { _id, lastFour, amountMinor, currency, submits: 1 };
  return isAvailable(payment, 1) ? { ...record, acceptedAt: now } : record;
}

/** Counts a submit. Accepts a payment unless it is accepted or cancelled, or the bank is away. */
export function submission(
  { lastFour, amountMinor, currency }: RailPayment,
  now: number,
): Pipeline {
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

/** The payments that an operator may decide about: those with a problem, and that decided one. */
export function decidable(id: string, end: SandboxEnd, now: number, settleMs: number) {
  return {
    _id: id,
    lastFour: DISPUTED,
    acceptedAt: { $lte: now - settleMs },
    cancelledAt: { $exists: false },
    decided: { $in: [null, end] },
  };
}

/** Cancels a payment that is still open and that the bank answers about. */
export function cancellation(now: number, settleMs: number): Pipeline {
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
