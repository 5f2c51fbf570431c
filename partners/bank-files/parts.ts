// Applies the parts of an answer to the books: a part about this rail as a whole or not at all, and
// no part about other senders.

import type { mongo } from "mongoose";
import type { BatchRecord, HeldPart, PaymentRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import { type BatchDraft, openDraft } from "./draft.ts";
import { addBooking, afterBooking, afterReport, decides, refusalProblem } from "./ends.ts";
import type { Part, Told } from "./format.ts";
import { bookedIn, findWrong, kept, lackingIn, namesIn, type Ours, oursIn } from "./ours.ts";

export interface Applied {
  /** How many statements are about this rail, and how many are not. */
  ours: number;
  passedOver: number;
  /** The parts that are ours and changed nothing, and the payments and batches that they name. */
  held: HeldPart[];
  names: string[];
  /** Sentences for operators. */
  warnings: string[];
  /** The batches that the answer shows to be at the bank, though no book said so. */
  arrived: string[];
}

/** What the parts of a file share while they are applied. */
interface Memo {
  /** Which part has told a booking: by the payment and the kind, and by the booking's index. */
  toldIn: Map<string, Map<number, number>>;
  warnings: string[];
}

/** Applies parts of one file, in their order, within a transaction. */
export async function applyParts(
  deps: Deps,
  parts: Part[],
  session: mongo.ClientSession,
): Promise<Applied> {
  const draft = await openDraft(deps, parts, session);
  const memo: Memo = { toldIn: new Map(), warnings: [] };
  const held: HeldPart[] = [];
  const names = new Set<string>();
  let [ours, passedOver] = [0, 0];
  for (const [index, part] of parts.entries()) {
    const own = oursIn(draft, part);
    const count = own.told.length + own.booked.length + (own.whole ? 1 : 0);
    ours += count;
    passedOver += part.told.length + (part.booked ?? []).length + (part.batch ? 1 : 0) - count;
    if (count === 0) continue;
    const wrong = await findWrong(deps, draft, own);
    if (wrong === null) await apply(draft, own, index, memo);
    else {
      held.push({ part: kept(own), problem: wrong });
      for (const name of namesIn(own)) names.add(name);
    }
  }
  const arrived = await draft.write();
  return { ours, passedOver, held, names: [...names], warnings: memo.warnings, arrived };
}

/** Applies a part that is right. */
async function apply(draft: BatchDraft, own: Ours, index: number, memo: Memo): Promise<void> {
  const { told, whole, booked } = own;
  const named = new Set(told.map(({ payment }) => payment._id));
  const debits: { payment: PaymentRecord; reference?: string }[] = [];
  for (const { batch, booked: sum } of booked) {
    draft.tell(batch);
    const debited = (await bookedIn(draft, sum, batch)) ?? [];
    debits.push(...debited.map((payment) => ({ payment, reference: sum.reference })));
  }
  for (const each of told) applyTold(draft, each, index, memo);
  if (whole) await applyWhole(draft, own, whole, named, memo);
  for (const { payment, reference } of debits.filter((each) => !named.has(each.payment._id))) {
    const current = draft.payment(payment._id) as PaymentRecord;
    draft.change(book(current, { state: "settled", reference }, index, memo));
  }
}

function applyTold(
  draft: BatchDraft,
  { payment: { _id }, told }: Ours["told"][number],
  index: number,
  memo: Memo,
): void {
  const payment = draft.payment(_id) as PaymentRecord;
  const batch = draft.batch(payment.batch);
  const noted = told.notice === undefined ? payment : { ...payment, notice: told.notice };
  if (noted !== payment) draft.change(noted);
  if (told.state === "noted") {
    if (told.problem !== undefined) memo.warnings.push(`${_id}: ${told.problem}`);
    return;
  }
  draft.tell(batch as BatchRecord);
  if (told.state === "returned" || (told.state === "settled" && told.isBooked)) {
    const keptMinor = lackingIn(payment, told);
    if (keptMinor > 0) memo.warnings.push(`Of ${_id} the bank kept ${keptMinor} minor units`);
    draft.change(book(noted, { ...told, state: told.state }, index, memo));
    return;
  }
  const { payment: next, warning } = afterReport(
    noted,
    { ...told, state: told.state },
    batch as BatchRecord,
  );
  if (next !== noted) draft.change(next);
  if (warning !== undefined) memo.warnings.push(`${_id}: ${warning}`);
}

/** Adds a booking to a payment. */
function book(
  payment: PaymentRecord,
  {
    state,
    reference = "",
    code,
  }: Pick<Told, "reference" | "code"> & { state: "settled" | "returned" },
  index: number,
  { toldIn }: Memo,
): PaymentRecord {
  const kind = state === "settled" ? "debits" : "returns";
  const key = `${payment._id} ${kind}`;
  const told = toldIn.get(key) ?? new Map<number, number>();
  toldIn.set(key, told);
  const bookings = [...(payment[kind] ?? [])];
  const isNew = addBooking(bookings, reference, told, index);
  const booked = { ...payment, [kind]: bookings };
  return isNew ? afterBooking(booked, code) : booked;
}

/** Applies the end of a whole batch to its payments that the part does not name. */
async function applyWhole(
  draft: BatchDraft,
  { part: { whole } }: Ours,
  batch: BatchRecord,
  named: Set<string>,
  memo: Memo,
): Promise<void> {
  if (whole?.state === "noted") {
    if (whole.problem !== undefined) memo.warnings.push(`${batch._id}: ${whole.problem}`);
    return;
  }
  draft.tell(batch);
  if (whole === undefined || whole.state === "accepted") return;
  const isHeld = whole.state !== "settled" && !decides(whole, batch);
  const problem = refusalProblem(whole, batch);
  const members = await draft.members(batch._id);
  const warnings = new Set<string>();
  for (const payment of members.filter(({ _id }) => !named.has(_id))) {
    // The bank settles those that it has not refused one by one.
    if (whole.state === "settled" && payment.state !== "batched") continue;
    // The batch is held for all of them, so operators read one problem.
    if (isHeld && payment.state === "batched") draft.hold(batch, problem);
    else {
      const { payment: next, warning } = afterReport(payment, whole, batch);
      if (next !== payment) draft.change(next);
      if (warning !== undefined) warnings.add(`${batch._id}: ${warning}`);
    }
  }
  memo.warnings.push(...warnings);
}
