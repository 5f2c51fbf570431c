// The rail's answers about payments: submit, query, cancel and list. A submit is durable acceptance
// into the next batch; until a batch takes the payment, a cancel ends it for good.

import {
  CANCELLED,
  type CancelAnswer,
  type Instrument,
  type QueryAnswer,
  type RailEntry,
  type RailPayment,
  type SubmitAnswer,
} from "../types.ts";
import { isTaken, type PaymentRecord, type PaymentState, type SealedFields } from "./books.ts";
import type { Deps } from "./deps.ts";
import { problemOf } from "./problems.ts";

const DAY_MS = 86_400_000;

export async function submit(
  deps: Deps,
  payment: RailPayment,
  instrument: Instrument,
): Promise<SubmitAnswer> {
  const { books, format, sealer, now } = deps;
  const { id: _id, amountMinor, currency, optionType, reference } = payment;
  const known = await books.payments.findOne({ _id });
  if (known) return submitAnswer(deps, known);
  const { data: account } = await instrument();
  const fault = format.findFault({ ...payment, account });
  const first = { _id, shortId: format.shortId(_id), at: now(), amountMinor, currency };
  const sealed: SealedFields = { optionType, reference, account };
  const entry: PaymentRecord = fault
    ? { ...first, state: "rejected", code: fault }
    : {
        ...first,
        state: "waiting",
        sealed: await sealer.seal(Buffer.from(JSON.stringify(sealed))),
      };
  return submitAnswer(deps, await insertFirst(deps, entry));
}

export async function query(deps: Deps, id: string): Promise<QueryAnswer> {
  const payment = await deps.books.payments.findOne({ _id: id });
  if (!payment) return { kind: "notFound" };
  const problem = await problemOf(deps, payment);
  // What waits for a person is not settled by time.
  const known = problem === undefined ? await settleByCalendar(deps, payment) : payment;
  return { ...answerFor(deps, known), ...(problem !== undefined && { problem }) };
}

/**
 * Ends a payment that no batch has taken yet. An id that never came is remembered, so that a later
 * submit of it pays nothing.
 */
export async function cancel(deps: Deps, id: string): Promise<CancelAnswer> {
  const { books, format, now } = deps;
  const ended = await books.payments.updateOne(
    { _id: id, state: "waiting" },
    { $set: { state: "cancelled" }, $unset: { sealed: "" } },
  );
  if (ended.matchedCount === 1) return "cancelled";
  const entry: PaymentRecord = {
    _id: id,
    shortId: format.shortId(id),
    state: "cancelled",
    at: now(),
  };
  const { state } = await insertFirst(deps, entry);
  // A payment that came between the two writes waits: the next cancel ends it.
  if (state === "waiting") return "unknown";
  return state === "cancelled" ? "cancelled" : "no";
}

/** Inserts an entry. @returns the stored one: the first write of an id wins */
async function insertFirst({ books }: Deps, entry: PaymentRecord): Promise<PaymentRecord> {
  try {
    await books.payments.insertOne(entry);
    return entry;
  } catch (error) {
    const first = isTaken(error) && (await books.payments.findOne({ _id: entry._id }));
    if (!first) throw error;
    return first;
  }
}

const LISTED: Record<Exclude<PaymentState, "cancelled">, RailEntry["state"]> = {
  waiting: "accepted",
  batched: "accepted",
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
};

export async function* list({ books }: Deps, since: number): AsyncGenerator<RailEntry> {
  const filter = { at: { $gte: since }, state: { $ne: "cancelled" as const } };
  for await (const { _id: id, state, amountMinor, currency, at } of books.payments.find(filter)) {
    if (state === "cancelled" || amountMinor === undefined || currency === undefined) continue;
    yield { id, state: LISTED[state], amountMinor, currency, at };
  }
}

/**
 * Stores that a payment is settled, if its rail's rules say so without an answer of the bank: an
 * ACH credit that did not come back by that day. It is stored before payrail hears it, so that a
 * later rejection is a return.
 */
async function settleByCalendar(deps: Deps, payment: PaymentRecord): Promise<PaymentRecord> {
  const { books, calendar, settings, now } = deps;
  const { settledAfterDays } = settings;
  if (payment.state !== "batched" || settledAfterDays === null) return payment;
  const batch = await books.batches.findOne({ _id: payment.batch });
  if (batch?.state !== "handed") return payment;
  if (now() < calendar.startOfDayAfter(batch.settlesOn, settledAfterDays)) return payment;
  const { _id } = payment;
  const handed = { _id: batch._id, state: "handed" as const };
  const marked = await books.batches.updateOne(handed, { $set: { hasEnds: true } });
  if (marked.matchedCount === 0) return payment;
  await books.payments.updateOne(
    { _id, state: "batched", problem: { $exists: false } },
    { $set: { state: "settled", settledBy: "calendar" } },
  );
  return (await books.payments.findOne({ _id })) ?? payment;
}

/** An id that was cancelled is rejected, and a returned payment was accepted before. */
async function submitAnswer(deps: Deps, payment: PaymentRecord): Promise<SubmitAnswer> {
  const answer = answerFor(deps, payment);
  const isOpen = answer.kind === "returned" || payment.problem !== undefined;
  return isOpen ? { kind: "accepted" } : answer;
}

function answerFor(
  { calendar, settings, now }: Deps,
  { state, code = "unknown", notice, ...payment }: PaymentRecord,
): Exclude<QueryAnswer, { kind: "notFound" | "unknown" }> {
  const noted = notice === undefined ? {} : { notice };
  const { askEveryMs } = settings;
  const settledAskMs = Math.min(SETTLED_ASK * askEveryMs, DAY_MS);
  const { amountMinor, currency } = payment as Pick<RailPayment, "amountMinor" | "currency">;
  // The bank has told this sum, or one that lacks its charges, which the end user does not bear.
  const moved = { amountMinor, currency };
  switch (state) {
    case "waiting": {
      const untilCutOff = calendar.nextCutOff(now()) - now();
      return { kind: "accepted", askAfterMs: Math.min(untilCutOff + askEveryMs, DAY_MS) };
    }
    case "cancelled":
      return { kind: "rejected", code: CANCELLED };
    case "batched":
      return { kind: "accepted", askAfterMs: askEveryMs, ...noted };
    case "settled":
      return { kind: "settled", ...moved, askAfterMs: settledAskMs, ...noted };
    case "rejected":
      return { kind: "rejected", code };
    case "returned":
      return { kind: "returned", code, ...moved };
  }
}

/** A settled payment is asked about for weeks, so it is asked less often. */
const SETTLED_ASK = 24;
