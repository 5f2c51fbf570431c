// What of an answer's part is about this rail, and why it changes nothing. What is ours is decided
// by the books: a statement about a payment or a batch that they do not have is another sender's.
// The part is checked as a whole, so one with a fault, with another amount, or about a file that
// has not left changes nothing.

import type { BatchRecord, PaymentRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import type { BatchDraft } from "./draft.ts";
import type { BookedBatch, Part, Told } from "./format.ts";

/** What of a part is about this rail. */
export interface Ours {
  part: Part;
  told: { payment: PaymentRecord; told: Told }[];
  whole: BatchRecord | undefined;
  booked: { batch: BatchRecord; booked: BookedBatch }[];
}

/** @returns the part without what is another sender's */
export function oursIn(draft: BatchDraft, part: Part): Ours {
  return {
    part,
    told: part.told.flatMap((told) => {
      const payment = draft.payment(told.payment);
      return payment ? [{ payment, told }] : [];
    }),
    whole: draft.batch(part.batch),
    booked: (part.booked ?? []).flatMap((booked) => {
      const batch = draft.batch(booked.batch);
      return batch ? [{ batch, booked }] : [];
    }),
  };
}

/** The part as the books keep it: without what is not ours, unless that falsifies our report. */
export function kept({ part, told, whole, booked }: Ours): Part {
  const own = {
    ...part,
    told: whole ? part.told : told.map((each) => each.told),
    booked: booked.map((each) => each.booked),
  };
  // A key without a value would be stored as one with null.
  return JSON.parse(JSON.stringify(own)) as Part;
}

export function namesIn({ told, whole, booked }: Ours): string[] {
  const batches = [...(whole ? [whole] : []), ...booked.map(({ batch }) => batch)];
  return [...told.map(({ payment }) => payment._id), ...batches.map(({ _id }) => _id)];
}

/** Why a part changes nothing; null if it is right. */
export async function findWrong(deps: Deps, draft: BatchDraft, own: Ours): Promise<string | null> {
  const { part, told, whole, booked } = own;
  if (part.fault !== undefined) return part.fault;
  for (const each of told) {
    const wrong = wrongTold(deps, draft, own, each);
    if (wrong !== null) return wrong;
  }
  if (whole && part.whole?.state !== "noted") {
    const stranger = part.told.find(({ payment }) => !draft.payment(payment));
    // A refusal under a mangled id must not let the rest of the report settle its payment.
    if (stranger) return `It names ${stranger.payment}, which the rail did not send`;
    const { payments = whole.count, amountMinor = whole.amountMinor } = part.stated ?? {};
    if (!hasLeft(whole)) return `It is about ${whole._id}, which the rail did not send`;
    if (payments !== whole.count || amountMinor !== whole.amountMinor) {
      return `The count or the sum of ${whole._id} is not the one that was sent`;
    }
  }
  for (const { batch, booked: sum } of booked) {
    if (sum.fault !== undefined) return sum.fault;
    if (!hasLeft(batch)) return `It is about ${batch._id}, which the rail did not send`;
    if (!(await bookedIn(draft, sum, batch))) {
      return `The booked sum of ${batch._id} is not the sum of its payments`;
    }
  }
  return null;
}

function wrongTold(
  { settings }: Deps,
  draft: BatchDraft,
  { part }: Ours,
  { payment, told }: Ours["told"][number],
): string | null {
  if (told.fault !== undefined) return told.fault;
  if (told.state === "noted") return null;
  const { _id, batch } = payment;
  const record = draft.batch(batch);
  if (!record || !hasLeft(record)) return `It names ${_id}, which the rail did not send`;
  if (part.batch !== undefined && part.batch !== batch) {
    return `It names ${_id}, which is not in ${part.batch}`;
  }
  // Banks take their charges from money that comes back.
  const chargeMinor = told.state === "returned" ? settings.returnChargeAtMostMinor : 0;
  const lackingMinor = lackingIn(payment, told);
  if (told.state === "settled" && !told.isBooked && payment.state === "rejected") {
    return `${_id} is settled, but it was rejected before`;
  }
  const isCurrency = (told.currency ?? payment.currency) === payment.currency;
  if (isCurrency && lackingMinor >= 0 && lackingMinor <= chargeMinor) return null;
  return `The amount of ${_id} is not the one that was sent`;
}

export function lackingIn(
  { amountMinor: sentMinor = 0 }: PaymentRecord,
  { amountMinor }: Told,
): number {
  return sentMinor - (amountMinor ?? sentMinor);
}

/** Whether the file of a batch may be at the bank. */
export function hasLeft({ state }: BatchRecord): boolean {
  return state === "handing" || state === "handed" || state === "held";
}

/** The payments that a booked sum debits; null if it is not their sum. */
export async function bookedIn(
  draft: BatchDraft,
  { amountMinor, currency, payments }: BookedBatch,
  batch: BatchRecord,
): Promise<PaymentRecord[] | null> {
  const all = await draft.members(batch._id);
  const paid = all.filter(({ state }) => state !== "rejected");
  const open = all.filter(({ state }) => state === "batched" || state === "settled");
  // One bank books the whole batch out and the refused payments in; another one only those it paid,
  // of which some may have come back meanwhile, or been refused after a report of their settlement.
  const debited = [all, paid, open].find(
    (some) =>
      currency === batch.currency &&
      amountMinor === some.reduce((sum, each) => sum + (each.amountMinor as number), 0) &&
      (payments ?? some.length) === some.length,
  );
  return debited?.filter(({ state }) => state !== "rejected") ?? null;
}
