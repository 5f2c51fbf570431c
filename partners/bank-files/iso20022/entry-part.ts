// What an entry says about payments and batches. A debit of the payer's account with a payout's id
// settles the payment, and a credit that says it is a return brings it back. A debit that names a
// file, without its payments, is the booking of the batch. An entry that names one of payrail's and
// says none of these has a fault, so that it is never passed over in silence.

import type { BookedBatch, Part, Told } from "../format.ts";
import { isCurrency, toMinor } from "./amounts.ts";
import { type Detail, type Faulty, isFaulty, type Money, type StatementEntry } from "./entries.ts";
import { bookedMoney, isSumOf, paidMoney } from "./entry-amounts.ts";
import { isNamed, mergedNames, type Names } from "./entry-names.ts";
import { reasonCode } from "./reason-codes.ts";

export interface StatementAccount {
  account: string;
  currency: string;
}

interface Place {
  payer: StatementAccount;
  /** Whether the entry is on the payer's account. */
  isPayers: boolean;
}

type Finding = Omit<Part, "where">;

/** @returns nothing if the entry cannot be about the rail, or has moved no money yet */
export function partsOf(
  entry: StatementEntry | Faulty,
  details: (Detail | Faulty)[],
  place: Place,
): Finding[] {
  if (![entry, ...details].some(({ names }) => isNamed(names))) return [];
  if (isFaulty(entry)) return withFault([entry, ...details], entry.fault);
  if (!entry.isBooked) return [];
  const subjects = subjectsOf(entry, details);
  const about = (subject: Detail | Faulty) => {
    return toldBy(entry, subject, subjects.length === 1, place);
  };
  const said = subjects.flatMap(about);
  const told = said.length > 0 ? said : about(wholeOf(entry));
  const { booked, faults } = batchesOf(entry, subjects, place);
  const isWhole = isSumOf(entry, details);
  const fault = isWhole ? faults[0]?.fault : "the entry is not the sum of its details";
  const more = { ...(booked.length > 0 && { booked }), ...(fault && { fault }) };
  return [...(told.length + booked.length > 0 ? [{ told, ...more }] : []), ...faults];
}

/** Tells of everything that is named in items which cannot be understood. */
function withFault(items: { names: Names }[], fault: string): Finding[] {
  const { mentionedPayments, mentionedBatches } = mergedNames(items.map(({ names }) => names));
  const told = mentionedPayments.map((payment) => faulty(payment, fault));
  return [...(told.length > 0 ? [{ told, fault }] : []), ...faultyBatches(mentionedBatches, fault)];
}

function faultyBatches(batches: string[], fault: string): Finding[] {
  return batches.map((batch) => ({ batch, told: [], fault }));
}

function faulty(payment: string, fault: string): Told {
  return { payment, state: "unclear", fault };
}

/** The details; an entry without any is its own one, and an only one has the entry's names too. */
function subjectsOf(entry: StatementEntry, details: (Detail | Faulty)[]): (Detail | Faulty)[] {
  const [first, ...others] = details;
  if (!first) return [wholeOf(entry)];
  if (others.length > 0) return details;
  return [{ ...first, names: mergedNames([first.names, entry.names]) }];
}

/** The entry, as if it were a detail. */
function wholeOf({ money, ...entry }: StatementEntry): Detail {
  return { ...entry, booked: money, instructed: [] };
}

function toldBy(
  entry: StatementEntry,
  subject: Detail | Faulty,
  isOnly: boolean,
  { payer, isPayers }: Place,
): Told[] {
  const { names } = subject;
  const [payment, ...others] = names.payments;
  if (isFaulty(subject)) {
    return names.mentionedPayments.map((each) => faulty(each, subject.fault));
  }
  const isCredit = (subject.direction ?? entry.direction) === "CRDT";
  const isReturn = isCredit && (entry.isReversal || entry.isReturn || subject.isReturn);
  // The recipient can be an account of the payer too.
  if (isCredit && !isPayers && !isReturn) return [];
  if (isCredit && !isReturn) return names.mentionedPayments.map(warning);
  if (payment === undefined) {
    if (names.batches.length > 0) return [];
    return names.mentionedPayments.map((each) => faulty(each, "only a text names the payment"));
  }
  const twice = others.map((each) => faulty(each, "the entry names two payments"));
  if (!isPayers) return [faulty(payment, "it is booked on an account that is not the payer's")];
  if (!isCredit && entry.isReversal) return [faulty(payment, "a return of it is reversed")];
  const money = isCredit
    ? bookedMoney(entry, subject, isOnly, payer.currency)
    : paidMoney(entry, subject, isOnly, payer.currency);
  const change = isCredit
    ? { state: "returned" as const, code: reasonCode(subject.reason) }
    : { state: "settled" as const };
  const reference = entry.reference ?? subject.reference;
  const told = { payment, ...change, isBooked: true as const, ...(reference && { reference }) };
  return [{ ...told, ...inMinor(money) }, ...twice];
}

function warning(payment: string): Told {
  return { payment, state: "noted", problem: "A credit that is no return names the payment" };
}

function inMinor(money: Money | undefined): Pick<Told, "amountMinor" | "currency" | "fault"> {
  if (money === undefined) return {};
  const amountMinor = money.amount === null ? null : toMinor(money.amount);
  const { currency } = money;
  if (amountMinor === null) return { fault: "its amount is no sum of money" };
  if (!isCurrency(currency)) return { fault: "its currency is not the account's" };
  return { amountMinor, currency };
}

/** The batches that the entry books in one sum, because it does not name each of its payments. */
function batchesOf(
  entry: StatementEntry,
  subjects: (Detail | Faulty)[],
  place: Place,
): { booked: BookedBatch[]; faults: Finding[] } {
  const none = { booked: [], faults: [] };
  if (entry.direction === "CRDT" && !place.isPayers) return none;
  const bare = subjects.filter(({ names }) => names.payments.length === 0);
  if (bare.length === 0 && (entry.payments ?? 0) <= subjects.length) return none;
  const names = mergedNames([entry.names, ...bare.map((subject) => subject.names)]);
  const [batch, ...others] = names.batches;
  if (batch === undefined) {
    // Anyone who pays into the account can write a text.
    const isOthers = entry.direction === "CRDT" && !isReturned(entry, subjects);
    const { mentionedBatches: mentioned } = names;
    if (isOthers) return { ...none, faults: mentioned.map(batchWarning) };
    return { ...none, faults: faultyBatches(mentioned, "only a text names the file") };
  }
  const [first] = subjects;
  const only = subjects.length === 1 && first && !isFaulty(first) ? first : wholeOf(entry);
  const { fault, ...sum } = inMinor(paidMoney(entry, only, true, place.payer.currency));
  const wrong = batchFault(entry, others, place) ?? fault;
  if (wrong) return { ...none, faults: faultyBatches(names.batches, wrong) };
  const { payments, reference = only.reference } = entry;
  const more = { ...(payments !== undefined && { payments }), ...(reference && { reference }) };
  return { ...none, booked: [{ batch, ...(sum as Required<typeof sum>), ...more }] };
}

function isReturned(entry: StatementEntry, subjects: (Detail | Faulty)[]): boolean {
  const isMarked = subjects.some((subject) => !isFaulty(subject) && subject.isReturn);
  return entry.isReversal || entry.isReturn || isMarked;
}

function batchWarning(batch: string): Finding {
  const problem = "A credit that is no return names the file";
  return { batch, told: [], whole: { state: "noted", problem } };
}

function batchFault(
  entry: StatementEntry,
  others: string[],
  { isPayers }: Place,
): string | undefined {
  if (!isPayers) return "the file is booked on an account that is not the payer's";
  if (entry.direction === "CRDT" || entry.isReversal) {
    return "the file comes back in one sum, without its payments";
  }
  return others.length > 0 ? "the entry names two files" : undefined;
}
