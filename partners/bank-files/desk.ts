// An operator's decisions after asking the bank: about a held file, an answer that changed nothing,
// and a payment that a problem holds. Invariants: a decision ends nothing while a process
// may still put the file, and a file with a payment that has ended is never put again.

import type { mongo } from "mongoose";
import type { DecideAnswer } from "../types.ts";
import type { BatchRecord, PaymentEnd, PaymentRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import { handedOver, mayBePutUntil } from "./hand-over.ts";
import { hasLeft } from "./ours.ts";
import { cancel } from "./payments.ts";
import { problemOf } from "./problems.ts";

/** The code of a rejection or a return that an operator has decided. */
const RESOLVED = "resolved";

/** An operator's decision that does not fit the books; nothing has changed. */
export class DecisionRefused extends Error {
  override name = "Refused";
}

/**
 * Says that the bank has a held file.
 * @throws Refused if the file is not held
 */
export async function confirmHanded(deps: Deps, id: string): Promise<void> {
  await findHeld(deps, id);
  await handedOver(deps, id, "held");
}

/**
 * Says that the bank does not have a held file, so that it is handed over again at the next turn.
 * @throws Refused if the file is not held, if a payment of it has ended, or too early
 */
export async function handOverAgain(deps: Deps, id: string): Promise<void> {
  const batch = await findHeld(deps, id);
  requireOver(deps, batch);
  const { matchedCount } = await deps.books.batches.updateOne(
    { _id: id, state: "held", hasEnds: { $exists: false } },
    { $set: { state: "written" }, $unset: { problem: "" } },
  );
  if (matchedCount === 0) {
    throw new DecisionRefused(`A payment of ${id} has ended, so a second file would pay it again`);
  }
}

/**
 * Says how the bank has ended all payments of a held file that have not ended.
 * @throws Refused if the file is not held, or too early
 */
export async function endHeld(deps: Deps, id: string, end: "settled" | "rejected"): Promise<void> {
  const { books } = deps;
  const batch = await findHeld(deps, id);
  requireOver(deps, batch);
  await books.transaction(async (session) => {
    const held = { _id: id, state: "held" as const };
    const marked = await books.batches.updateOne(held, { $set: { hasEnds: true } }, { session });
    if (marked.matchedCount === 0) throw notHeld(id);
    const open = await books.payments.find({ batch: id, state: "batched" }, { session }).toArray();
    await storeEnds(deps, batch, open, end, session);
  });
}

async function findHeld({ books }: Deps, id: string): Promise<BatchRecord> {
  const batch = await books.batches.findOne({ _id: id, state: "held" });
  if (!batch) throw notHeld(id);
  return batch;
}

function requireOver(deps: Deps, batch: BatchRecord): void {
  const until = mayBePutUntil(deps, batch);
  if (deps.now() > until) return;
  throw new DecisionRefused(
    `Another process may still hand ${batch._id} over: ask the bank after ${new Date(until).toISOString()}`,
  );
}

const notHeld = (id: string) => new DecisionRefused(`${id} is not a file that is held`);

/**
 * Notes that an operator has seen what an answer, or a payment that has failed, needs a person for.
 * An answer then holds no payment any more, and its held parts are not tried again.
 * @param subject the answer's name, or the payment's id
 * @throws Refused if there is no such answer and no such payment
 */
export async function noteSeen({ books }: Deps, subject: string): Promise<void> {
  const wanted = ["problem", "held", "warning"].map((field) => ({ [field]: { $exists: true } }));
  const seen = await books.answers.updateMany(
    { name: subject, $or: wanted },
    { $set: { isSeen: true } },
  );
  if (seen.matchedCount > 0) return;
  const failed = { _id: subject, state: { $in: ["rejected" as const, "returned" as const] } };
  const { modifiedCount } = await books.payments.updateOne(failed, { $unset: { problem: "" } });
  if (modifiedCount === 0) {
    throw new DecisionRefused(
      `No answer ${subject} needs a person, and no failed payment ${subject} does`,
    );
  }
}

/** Stores how a payment with a problem ended at the bank: see `decide` of partners/types.ts. */
export async function decide(deps: Deps, _id: string, end: PaymentEnd): Promise<DecideAnswer> {
  const { books } = deps;
  const payment = await books.payments.findOne({ _id });
  if (!payment) return "no";
  const { state, decided } = payment;
  const isDecided = state === "cancelled" ? end === "rejected" : state === end && decided === end;
  if (isDecided && payment.problem === undefined) return "decided";
  if ((await problemOf(deps, payment)) === undefined) return "no";
  if (state === "waiting") return end === "rejected" ? asDecided(await cancel(deps, _id)) : "no";
  if (end === "settled" && hasFailed(payment) && !isBookedAsPaid(payment)) return "no";
  return books.transaction(async (session) => {
    const batch = await books.batches.findOne({ _id: payment.batch }, { session });
    if (!batch || !hasLeft(batch)) return "no";
    if (!isOver(deps, batch, end)) return "unknown";
    const same = { _id: batch._id, state: batch.state };
    await books.batches.updateOne(same, { $set: { hasEnds: true } }, { session });
    const found = await books.payments.findOne({ _id }, { session });
    // An answer of the bank was quicker.
    if (found?.state !== state || found.problem !== payment.problem) return "unknown";
    await storeEnds(deps, batch, [found], end, session);
    return "decided";
  });
}

function hasFailed({ state }: PaymentRecord): boolean {
  return state === "rejected" || state === "returned";
}

/**
 * Whether the bank has the money, by its bookings, and no operator has decided otherwise. payrail
 * never settles a payout that it has refunded.
 */
function isBookedAsPaid({ decided, debits = [], returns = [] }: PaymentRecord): boolean {
  return decided === undefined && debits.length > returns.length;
}

const asDecided = (answer: "cancelled" | "no" | "unknown"): DecideAnswer =>
  answer === "cancelled" ? "decided" : answer;

/** Whether no process may put the file any more that would pay what has ended. */
function isOver(deps: Deps, batch: BatchRecord, end: PaymentEnd): boolean {
  if (batch.state === "handed") return true;
  return batch.state === "held" && (end === "settled" || deps.now() > mayBePutUntil(deps, batch));
}

/**
 * Stores an operator's end of payments of a batch, as a booking where money has moved. A held batch
 * without an open payment waits for nothing any more.
 */
async function storeEnds(
  { books }: Deps,
  batch: BatchRecord,
  payments: PaymentRecord[],
  end: PaymentEnd,
  session: mongo.ClientSession,
): Promise<void> {
  const replacements = payments.map((payment) => ({
    replaceOne: { filter: { _id: payment._id }, replacement: ended(payment, end) },
  }));
  if (replacements.length > 0) await books.payments.bulkWrite(replacements, { session });
  const names = { $in: payments.map(({ _id }) => _id) };
  await books.answers.updateMany({ names }, { $pull: { names } }, { session });
  const open = { batch: batch._id, state: "batched" as const };
  if (batch.state !== "held" || (await books.payments.findOne(open, { session }))) return;
  const handed = { $set: { state: "handed" as const }, $unset: { problem: "" as const } };
  await books.batches.updateOne({ _id: batch._id }, handed, { session });
  await books.payments.updateMany({ batch: batch._id }, { $unset: { sealed: "" } }, { session });
}

function ended(
  { problem: _problem, settledBy: _settledBy, ...payment }: PaymentRecord,
  end: PaymentEnd,
): PaymentRecord {
  const { state, debits = [], returns = [] } = payment;
  if (state === end) return { ...payment, decided: end };
  return {
    ...payment,
    state: end,
    decided: end,
    ...(end !== "settled" && { code: RESOLVED }),
    ...(end === "settled" && debits.length === 0 && { debits: [""] }),
    ...(end === "returned" && { returns: [...returns, ""] }),
  };
}
