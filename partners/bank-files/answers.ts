// Reads the bank's answers. Invariants: an answer file is applied as a whole or not at all, in one
// transaction with the record that it was read, so a repeated file changes nothing. A file that
// names payments or batches which the rail did not send, other amounts, or an end that contradicts
// an earlier one, is wrong: it changes nothing, and operators read why.

import { createHash } from "node:crypto";
import type { mongo } from "mongoose";
import { DUPLICATE } from "../types.ts";
import { type BatchRecord, isTaken, type Payment, type PaymentState } from "./books.ts";
import type { Deps } from "./deps.ts";
import { type Answer, type Told, Unreadable } from "./format.ts";
import { handedOver } from "./hand-over.ts";
import { allNames } from "./places/all-names.ts";

/** An answer that is readable and wrong. The message is for operators. */
class Wrong extends Error {
  override name = "Wrong";
}

/**
 * Reads the files that are new in the bank's folder.
 * @param read the names of files that this process has read; a wrong one is read again, because it
 *   may have been incomplete
 */
export async function readAnswers(deps: Deps, read: Set<string>): Promise<void> {
  const { answers: place } = deps;
  for await (const name of allNames(place)) {
    if (read.has(name)) continue;
    const bytes = await place.get(name);
    if (bytes && (await readAnswer(deps, name, bytes))) read.add(name);
  }
}

/** @returns whether the answer is applied */
async function readAnswer(deps: Deps, name: string, bytes: Buffer): Promise<boolean> {
  const { books, log, now } = deps;
  const _id = createHash("sha256").update(bytes).digest("hex");
  const known = await books.answers.findOne({ _id });
  if (known && known.problem === undefined) return true;
  try {
    const answer = deps.format.readAnswer(bytes);
    const arrived = await books.transaction(async (session) => {
      // A file that was wrong may be right now: it named a batch that the books did not have yet.
      await books.answers.deleteOne({ _id, problem: { $exists: true } }, { session });
      const { arrived: found, warning } = await applyAnswer(deps, answer, session);
      const read = { _id, name, at: now(), ...(warning !== undefined && { warning }) };
      await books.answers.insertOne(read, { session });
      return found;
    });
    for (const batch of arrived) await handedOver(deps, batch);
    log.info("An answer of the bank is applied", { file: name, payments: answer.told.length });
    await deps.reached("applied");
    return true;
  } catch (error) {
    // Another process applies the file.
    if (isTaken(error)) return false;
    if (!(error instanceof Unreadable || error instanceof Wrong)) throw error;
    if (known) return false;
    const { message: problem } = error;
    await books.answers.updateOne({ _id }, { $setOnInsert: { name, at: now(), problem } }, UPSERT);
    log.error("An answer of the bank is wrong and changes nothing", { file: name, problem });
    return false;
  }
}

const UPSERT = { upsert: true } as const;

/**
 * Applies an answer in a transaction.
 * @returns `arrived`: the batches that the answer shows to be at the bank, though no book said so
 * @throws Wrong
 */
async function applyAnswer(
  deps: Deps,
  answer: Answer,
  session: mongo.ClientSession,
): Promise<{ arrived: string[]; warning?: string }> {
  const { books } = deps;
  const named = await findNamed(deps, answer, session);
  const batches = await findBatches(deps, answer, named, session);
  const changes = answer.told.map((told) => {
    return changeOf(named.get(told.payment) as Payment, told);
  });
  for (const payment of await findOthers(deps, answer, named, session)) {
    changes.push(changeOf(payment, { ...answer.whole, payment: payment.shortId } as Told));
  }
  for (const payment of await findBooked(deps, answer, batches, session)) {
    changes.push(changeOf(payment, { payment: payment.shortId, state: "settled" }));
  }
  const writes = changes.filter((change) => change !== null);
  if (writes.length > 0) {
    const updates = writes.map(({ _id, set }) => ({
      updateOne: { filter: { _id }, update: { $set: set } },
    }));
    await books.payments.bulkWrite(updates, { session });
  }
  const arrived = batches
    .filter(({ state }) => state === "handing" || state === "held")
    .map(({ _id }) => _id);
  const warnings = answer.told.flatMap((told) => warningOf(told, named) ?? []);
  return { arrived, ...(warnings.length > 0 && { warning: warnings.join("; ") }) };
}

/** The warning for an operator about an applied answer; undefined without one. */
function warningOf(told: Told, named: Map<string, Payment>): string | undefined {
  const { amountMinor: sentMinor = 0 } = named.get(told.payment) as Payment;
  if (isDuplicate(told)) return `The bank calls ${told.payment} a duplicate: ask the bank`;
  const keptMinor = told.state === "returned" ? sentMinor - (told.amountMinor ?? sentMinor) : 0;
  return keptMinor > 0 ? `Of ${told.payment} the bank kept ${keptMinor} minor units` : undefined;
}

/** The bank has the payment already. It may be the rail's own, so this decides nothing. */
function isDuplicate({ state, code }: Told): boolean {
  return state === "rejected" && code === DUPLICATE;
}

/** The payments that the answer names, by the names that it gives them. */
async function findNamed(
  { books }: Deps,
  { batch, told }: Answer,
  session: mongo.ClientSession,
): Promise<Map<string, Payment>> {
  const names = { $in: told.map(({ payment }) => payment) };
  const anyOf = { $or: [{ _id: names }, { shortId: names }] };
  const found = await books.payments.find(anyOf, { session }).toArray();
  const named = new Map(
    found.flatMap((payment): [string, Payment][] => [
      [payment._id, payment],
      [payment.shortId, payment],
    ]),
  );
  for (const { payment, state, amountMinor, currency } of told) {
    const known = named.get(payment);
    if (!known?.batch) throw new Wrong(`It names ${payment}, which the rail did not send`);
    if (batch !== undefined && known.batch !== batch) {
      throw new Wrong(`It names ${payment}, which is not in ${batch}`);
    }
    const sentMinor = known.amountMinor as number;
    // Banks take their charges from money that comes back.
    const isAmount =
      state === "returned" && amountMinor !== undefined
        ? amountMinor <= sentMinor
        : (amountMinor ?? sentMinor) === sentMinor;
    const isSame = isAmount && (currency ?? known.currency) === known.currency;
    if (!isSame) throw new Wrong(`The amount of ${payment} is not the one that was sent`);
  }
  return named;
}

/** The payments that an end of their whole batch ends, though the answer does not name them. */
async function findOthers(
  { books }: Deps,
  { batch, whole }: Answer,
  named: Map<string, Payment>,
  session: mongo.ClientSession,
): Promise<Payment[]> {
  if (batch === undefined || (whole?.state !== "settled" && whole?.state !== "rejected")) return [];
  const open: PaymentState[] = whole.state === "settled" ? ["batched"] : ["batched", "settled"];
  const others = {
    batch,
    state: { $in: open },
    _id: { $nin: [...named.values()].map(({ _id }) => _id) },
  };
  return books.payments.find(others, { session }).toArray();
}

/**
 * Finds the batches of the answer. Each must have left, with the count and the sum that the bank
 * states. A booked batch may be another sender's.
 */
async function findBatches(
  { books }: Deps,
  { batch, stated, booked = [] }: Answer,
  named: Map<string, Payment>,
  session: mongo.ClientSession,
): Promise<BatchRecord[]> {
  const ids = new Set([...named.values()].map((payment) => payment.batch as string));
  if (batch !== undefined) ids.add(batch);
  const all = [...ids, ...booked.map((each) => each.batch)];
  const found = await books.batches.find({ _id: { $in: all } }, { session }).toArray();
  for (const id of [...ids, ...found.map(({ _id }) => _id)]) {
    const state = found.find(({ _id }) => _id === id)?.state;
    const hasLeft = state === "handed" || state === "handing" || state === "held";
    if (!hasLeft) throw new Wrong(`It is about ${id}, which the rail did not send`);
  }
  const whole = found.find(({ _id }) => _id === batch);
  const isStated =
    (stated?.payments ?? whole?.count) === whole?.count &&
    (stated?.amountMinor ?? whole?.amountMinor) === whole?.amountMinor;
  if (!isStated) throw new Wrong(`The count or the sum of ${batch} is not the one that was sent`);
  return found;
}

/** The payments that a booked sum settles: those of its batch that have not ended. */
async function findBooked(
  { books }: Deps,
  { booked = [] }: Answer,
  batches: BatchRecord[],
  session: mongo.ClientSession,
): Promise<Payment[]> {
  const settled: Payment[] = [];
  for (const { batch: id, amountMinor, currency, payments } of booked) {
    const batch = batches.find(({ _id }) => _id === id);
    if (!batch) continue;
    const all = await books.payments.find({ batch: id }, { session }).toArray();
    const open = all.filter(({ state }) => state === "batched" || state === "settled");
    // One bank books the whole batch out and the refused payments in; another one only those it paid.
    const isRight = [all, open].some(
      (some) =>
        currency === batch.currency &&
        amountMinor === some.reduce((sum, each) => sum + (each.amountMinor as number), 0) &&
        (payments ?? some.length) === some.length,
    );
    if (!isRight) throw new Wrong(`The booked sum of ${id} is not the sum of its payments`);
    settled.push(...open);
  }
  return settled;
}

interface ChangeOf {
  _id: string;
  set: Partial<Payment>;
}

/** The next state of a payment after an end, by its present state; null if it stays. */
const NEXT: Record<
  "settled" | "rejected" | "returned",
  Partial<Record<PaymentState, PaymentState | null>>
> = {
  // Files may be read in another order than the bank wrote them, and money comes back after its payment.
  settled: { batched: "settled", settled: null, returned: null },
  // Money that was paid and is then refused has come back.
  rejected: { batched: "rejected", settled: "returned", rejected: null, returned: null },
  // Banks book a rejected payment out and in again.
  returned: { batched: "returned", settled: "returned", rejected: null, returned: null },
};

/**
 * The change of a payment that follows from a statement of an answer; null for no change.
 * @throws Wrong if it contradicts an end
 */
function changeOf({ _id, shortId, state }: Payment, told: Told): ChangeOf | null {
  const noted = told.notice === undefined ? {} : { notice: told.notice };
  if (told.state === "accepted" || told.state === "noted" || isDuplicate(told)) {
    return told.notice === undefined ? null : { _id, set: noted };
  }
  const next = NEXT[told.state][state];
  if (next === undefined)
    throw new Wrong(`${shortId} is ${told.state}, but it was ${state} before`);
  if (next === null) return null;
  const code = told.code ?? "unknown";
  return { _id, set: { state: next, ...(next !== "settled" && { code }), ...noted } };
}
