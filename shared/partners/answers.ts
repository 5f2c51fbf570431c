// Reads the answers of partners: the only place that decides whether an answer has the promised
// form. An answer of any other form shows nothing about the money, so it is unknown, never a
// failure.

import type {
  AcquirerEntry,
  CancelAnswer,
  Card,
  ChargeAnswer,
  Currency,
  DecideAnswer,
  QueryAnswer,
  RailEntry,
  RefundAnswer,
  ScreeningAnswer,
  SubmitAnswer,
  Unknown,
  VoidAnswer,
} from "../../partners/types.ts";

import { readUuid } from "../ids.ts";
import { CURRENCIES } from "../money.ts";
import { findUnclean } from "../texts.ts";

/** If an answer has a wrong form, `problem` describes the error, without the answer's content. */
export interface Reading<A> {
  answer: A;
  problem?: string;
}

const DAY_MS = 86_400_000;

type Fields = Record<string, unknown>;

/**
 * What an answer has beside its kind. A part reads its own fields of an answer, and throws if one
 * that the outcome depends on is wrong; a wrong hint is dropped, and the outcome stays valid.
 */
type Part = (fields: Fields) => { read: Fields; dropped?: string };

/** Why an answer has a wrong form. */
class WrongForm extends Error {}

/** The parts of the answers that say more than their kind. */
const PARTS: Record<string, Part[]> = {
  accepted: [readHints],
  settled: [readMovedSum, readHints],
  rejected: [readCode, readDoubt],
  returned: [readCode, readMovedSum, readDoubt],
  captured: [readMovedSum],
  declined: [readCode],
  refunded: [readMovedSum],
  refused: [readCode],
  action: [readAction],
  review: [readReasons],
  deny: [readCode],
};

function reader<A extends { kind: string }>(kinds: readonly A["kind"][]) {
  return (value: unknown): Reading<A | Unknown> => {
    const fields = readFields(value);
    const { kind } = fields;
    if (kind === "unknown") return { answer: UNKNOWN };
    if (!kinds.includes(kind as A["kind"])) {
      return { answer: UNKNOWN, problem: `its kind must be one of ${kinds.join(", ")}, unknown` };
    }
    try {
      const parts = (PARTS[kind as string] ?? []).map((part) => part(fields));
      const answer = Object.assign({ kind }, ...parts.map(({ read }) => read));
      const problem = parts.find(({ dropped }) => dropped !== undefined)?.dropped;
      return { answer, ...(problem !== undefined && { problem }) };
    } catch (error) {
      if (!(error instanceof WrongForm)) throw error;
      return { answer: UNKNOWN, problem: error.message };
    }
  };
}

const isText = (value: unknown, atMost: number): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= atMost;

const CODE_AT_MOST = 128;
function readCode({ code }: Fields) {
  if (isText(code, CODE_AT_MOST)) return { read: { code } };
  throw new WrongForm(`its code must be a text of 1 to ${CODE_AT_MOST} characters`);
}

const REASONS_AT_MOST = 10;
const REASON_AT_MOST = 500;
function readReasons({ reasons }: Fields) {
  const isReason = (each: unknown) => isText(each, REASON_AT_MOST) && findUnclean(each) === null;
  const isForm = Array.isArray(reasons) && reasons.length <= REASONS_AT_MOST;
  if (isForm && reasons.every(isReason)) return { read: { reasons: reasons as string[] } };
  const form = `texts of 1 to ${REASON_AT_MOST} characters, at most ${REASONS_AT_MOST}`;
  throw new WrongForm(`its reasons must be ${form}, none with a control character`);
}

const ACTION_AT_MOST = 1_000;
function readAction({ action }: Fields) {
  if (isText(action, ACTION_AT_MOST)) return { read: { action } };
  throw new WrongForm(`its action must be a text of 1 to ${ACTION_AT_MOST} characters`);
}

/** An answer that says that money was moved, and not which, is no such answer. */
function readMovedSum(fields: Fields) {
  const { amountMinor, currency } = readSum(fields);
  return { read: { amountMinor, currency } };
}

/** A hint of an answer, by its name: whether it is valid, and the rule. */
const HINTS = {
  askAfterMs: [
    (value) => typeof value === "number" && value >= 0 && value <= DAY_MS,
    `a number from 0 to ${DAY_MS}`,
  ],
  notice: [(value) => isText(value, 200), "a text of 1 to 200 characters"],
  problem: [
    (value) => isText(value, 500) && findUnclean(value) === null,
    "a text of 1 to 500 characters, none of them a control character",
  ],
} satisfies Record<string, [(value: unknown) => boolean, string]>;

function readHints(fields: Fields) {
  const read: Fields = {};
  let dropped: string | undefined;
  for (const [name, [isValid, rule]] of Object.entries(HINTS)) {
    const value = fields[name];
    if (value === undefined) continue;
    if (isValid(value)) read[name] = value;
    else dropped ??= `its ${name} must be ${rule}`;
  }
  return { read, ...(dropped !== undefined && { dropped }) };
}

/** The outcome depends on it: with a problem, a failure gives no money back. */
function readDoubt({ problem }: Fields) {
  if (problem === undefined) return { read: {} };
  const [isValid, rule] = HINTS.problem;
  if (isValid(problem)) return { read: { problem } };
  throw new WrongForm(`its problem must be ${rule}`);
}

const UNKNOWN: Unknown = { kind: "unknown" };

/** The fields of an answer of any type; none if it is no object. */
function readFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** A sum of money. @throws WrongForm */
function readSum({ amountMinor, currency }: Fields): { amountMinor: number; currency: Currency } {
  if (!Number.isSafeInteger(amountMinor) || (amountMinor as number) < 0) {
    throw new WrongForm("its amountMinor must be a whole number of minor units, not negative");
  }
  const known = CURRENCIES.find((each) => each === currency);
  if (!known) throw new WrongForm(`its currency must be one of ${CURRENCIES.join(", ")}`);
  return { amountMinor: amountMinor as number, currency: known };
}

export const readSubmit = reader<Exclude<SubmitAnswer, Unknown>>([
  "accepted",
  "settled",
  "rejected",
]);
export const readQuery = reader<Exclude<QueryAnswer, Unknown>>([
  "accepted",
  "settled",
  "rejected",
  "returned",
  "notFound",
]);
export const readCharge = reader<Exclude<ChargeAnswer, Unknown>>([
  "captured",
  "declined",
  "action",
]);
export const readVoid = reader<Exclude<VoidAnswer, Unknown>>(["captured", "declined", "voided"]);
export const readRefund = reader<Exclude<RefundAnswer, Unknown>>(["refunded", "refused"]);

type OfKind<A> = A extends { decision: infer K } ? Omit<A, "decision"> & { kind: K } : never;
/** A screening's answer; `unknown` is none of its own. */
export type ScreeningReading = OfKind<ScreeningAnswer> | Unknown;
const readDecision = reader<Exclude<ScreeningReading, Unknown>>(["allow", "review", "deny"]);

export function readScreening(value: unknown): Reading<ScreeningReading> {
  const { decision: kind, ...fields } = readFields(value);
  const { answer, problem } = readDecision({ ...fields, kind });
  if (answer.kind !== "unknown") return { answer };
  return { answer, problem: problem ?? "its decision must be one of allow, review, deny" };
}

/** An answer of one word. Any other value is unknown. */
function wordReader<A extends string>(words: readonly (A | "unknown")[]) {
  return (value: unknown): Reading<A | "unknown"> => {
    const answer = words.find((word) => word === value);
    if (answer !== undefined) return { answer };
    return { answer: "unknown", problem: `it must be one of ${words.join(", ")}` };
  };
}

export const readCancel = wordReader<CancelAnswer>(["cancelled", "no", "unknown"]);
export const readDecide = wordReader<DecideAnswer>(["decided", "no", "unknown"]);

const BRAND = /^[\p{L}\p{N}][\p{L}\p{N} .&+-]{0,31}$/u;
const LAST_FOUR = /^\d{4}$/;

/**
 * A vault's description of a card: its brand and last four digits, and nothing else that the vault
 * may have sent, such as the card's whole number.
 * @returns null if the vault does not have the card
 * @throws if the description has a wrong form
 */
export function readCard(value: unknown): Card | null {
  if (value === null) return null;
  const { brand, last4 } = readFields(value);
  if (typeof brand !== "string" || !BRAND.test(brand)) {
    throw new Error("A vault's card must have a brand of 1 to 32 letters and digits");
  }
  if (typeof last4 !== "string" || !LAST_FOUR.test(last4)) {
    throw new Error("A vault's card must have four last digits");
  }
  return { brand, last4 };
}

/**
 * If an entry of a list has a wrong form, `problem` describes the error; `id` is set if it is
 * valid.
 */
export type EntryReading<E> = { entry: E } | { problem: string; id?: string };

/** 2000-01-01, epoch milliseconds: a moment before it is one in seconds. */
const EARLIEST_MS = 946_684_800_000;
/** The greatest time by which a partner's clock may be ahead of ours. */
const AHEAD_AT_MOST_MS = 15 * 60_000;

const RAIL_STATES = ["accepted", "settled", "rejected", "returned"] as const;
const CHARGE_STATES = ["done", "refused"] as const;
const ENTRY_KINDS = ["charge", "refund"] as const;

/** @param now epoch milliseconds; an entry that was made later has a wrong form */
export function readRailEntry(value: unknown, now: number): EntryReading<RailEntry> {
  const { state } = readFields(value);
  const known = RAIL_STATES.find((each) => each === state);
  if (!known) return wrongEntry(value, `its state must be one of ${RAIL_STATES.join(", ")}`);
  const read = readMoved(value, now);
  return "moved" in read ? { entry: { ...read.moved, state: known } } : read;
}

/** @param now epoch milliseconds; an entry that was made later has a wrong form */
export function readAcquirerEntry(value: unknown, now: number): EntryReading<AcquirerEntry> {
  const { kind, state } = readFields(value);
  const knownKind = ENTRY_KINDS.find((each) => each === kind);
  if (!knownKind) return wrongEntry(value, `its kind must be one of ${ENTRY_KINDS.join(", ")}`);
  const known = CHARGE_STATES.find((each) => each === state);
  if (!known) return wrongEntry(value, `its state must be one of ${CHARGE_STATES.join(", ")}`);
  const read = readMoved(value, now);
  return "moved" in read ? { entry: { ...read.moved, kind: knownKind, state: known } } : read;
}

type Moved = Omit<RailEntry, "state">;

/** The fields that entries of rails and acquirers share; a partner's other fields are dropped. */
function readMoved(value: unknown, now: number): { moved: Moved } | { problem: string } {
  const fields = readFields(value);
  const id = readUuid(fields.id);
  if (id === null) return wrongEntry(value, "its id must be a UUID, as ours are");
  try {
    return { moved: { id, ...readSum(fields), at: readTime(fields, now) } };
  } catch (error) {
    if (!(error instanceof WrongForm)) throw error;
    return wrongEntry(value, error.message);
  }
}

/** @throws WrongForm */
function readTime({ at }: Fields, now: number): number {
  if (typeof at === "number" && at >= EARLIEST_MS && at <= now + AHEAD_AT_MOST_MS) return at;
  throw new WrongForm("its at must be epoch milliseconds since 2000, and not in the future");
}

function wrongEntry(value: unknown, problem: string): { problem: string; id?: string } {
  const id = readUuid(readFields(value).id);
  return { problem, ...(id !== null && { id }) };
}
