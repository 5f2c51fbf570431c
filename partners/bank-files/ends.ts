// What the bank's statements make of a payment, as pure functions. Two kinds of statement differ:
//
// A booking has moved money. The books keep each debit and each return of a payment by the bank's
// own reference, so a repeated booking changes nothing. The numbers of debits and returns decide: a
// payment that came back as often as it was debited is returned, and numbers that fit no end are a
// problem.
//
// A report is the bank's word. A refusal counts only if it has a definite code and is about a file
// that was put once: after a second put it may be the answer to the repetition, while the bank pays
// the first file. It takes back what a report or the calendar settled, and never a booking.

import type { BatchRecord, PaymentRecord } from "./books.ts";
import type { Told } from "./format.ts";

/** Why a payment's end cannot be told from its bookings. */
const MISFITS = {
  settled: "The bank has debited it more often than it came back",
  rejected: "The bank has debited it, but it was rejected before",
  returned: "The bank has debited it again after it came back",
  back: "It came back more often than the bank has debited it",
};

/**
 * Adds a booking to those of its kind that the books have.
 * @param reference the bank's, "" without one
 * @param toldIn by the index of a booking, the part of the same file that reports it. Two parts
 *   with one reference report one booking; without references they report two
 * @returns whether the books did not have it
 */
export function addBooking(
  bookings: string[],
  reference: string,
  toldIn: Map<number, number>,
  part: number,
): boolean {
  const same = bookings.findIndex(
    (each, i) => reference !== "" && each === reference && toldIn.get(i) !== part,
  );
  const likely = bookings.findIndex(
    (each, i) => !toldIn.has(i) && (each === "" || reference === ""),
  );
  const known = same === -1 ? likely : same;
  const index = known === -1 ? bookings.length : known;
  bookings[index] ||= reference;
  toldIn.set(index, part);
  return known === -1;
}

/** A payment after a booking that its books did not have; it is the last one of its kind. */
export function afterBooking(payment: PaymentRecord, code = "unknown"): PaymentRecord {
  const { problem: _problem, settledBy: _settledBy, ...booked } = payment;
  const { state, debits = [], returns = [] } = booked;
  // A return can be told before the debit, or without it.
  const open = Math.max(debits.length, 1) - returns.length;
  if (state !== "batched" && state !== "settled") {
    return withProblem(booked, misfit(state === "rejected" ? "rejected" : "returned", open));
  }
  if (open > 0) return withProblem({ ...booked, state: "settled" }, misfit("settled", open - 1));
  return withProblem({ ...booked, state: "returned", code }, misfit("returned", open));
}

/** @param excess how many debits there are beyond those of the state; below 0, how many returns */
function misfit(state: "settled" | "rejected" | "returned", excess: number): string | undefined {
  if (excess === 0) return undefined;
  return excess > 0 ? MISFITS[state] : MISFITS.back;
}

function withProblem(payment: PaymentRecord, problem: string | undefined): PaymentRecord {
  return problem === undefined ? payment : { ...payment, problem };
}

/** The bank's word about a payment, or about all payments of its file. */
export type Word = Pick<Told, "code" | "problem"> & {
  state: "accepted" | "settled" | "rejected" | "unclear" | "noted";
};

/** A payment after a report, and what an operator has to know if it stays as it is. */
export function afterReport(
  payment: PaymentRecord,
  word: Word,
  batch: BatchRecord,
): { payment: PaymentRecord; warning?: string } {
  if (word.state === "accepted" || word.state === "noted") return { payment };
  if (word.state === "settled") return { payment: afterSettledReport(payment) };
  if (payment.state === "rejected" || payment.state === "returned") return { payment };
  const isOpen = payment.state === "batched" || payment.settledBy !== undefined;
  if (isOpen && decides(word, batch)) return { payment: refused(payment, word.code) };
  const problem = refusalProblem(word, batch);
  // The booking has decided, and a refusal of the second file is what the bank agreement promises.
  if (!isOpen && !wasPutOnce(batch)) return { payment, warning: problem };
  return { payment: { ...payment, problem } };
}

function afterSettledReport(payment: PaymentRecord): PaymentRecord {
  if (payment.state !== "batched") return payment;
  const { problem: _problem, ...clear } = payment;
  return { ...clear, state: "settled", settledBy: "report" };
}

function refused(payment: PaymentRecord, code = "unknown"): PaymentRecord {
  const { problem: _problem, settledBy: _settledBy, ...clear } = payment;
  return { ...clear, state: payment.state === "batched" ? "rejected" : "returned", code };
}

/** Whether a refusal is an end, and not only a reason to ask the bank. */
export function decides({ state }: Word, batch: BatchRecord): boolean {
  return state === "rejected" && wasPutOnce(batch);
}

function wasPutOnce({ puts }: BatchRecord): boolean {
  return puts === 1;
}

/** Why a refusal that does not decide needs a person. */
export function refusalProblem({ problem, code = "unknown" }: Word, batch: BatchRecord): string {
  const said = problem ?? `The bank refuses it (${code})`;
  if (!wasPutOnce(batch)) return `${said}; its file may have come to the bank more than once`;
  return problem ?? `${said}, but its debit is booked`;
}
