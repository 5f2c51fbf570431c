// Reads the answers of partners: the only place that decides whether an answer has the promised
// form. An answer of any other form shows nothing about the money, so it is unknown, never a
// failure.

import type {
  AcquirerEntry,
  CancelAnswer,
  Card,
  ChargeAnswer,
  QueryAnswer,
  RailEntry,
  RefundAnswer,
  SubmitAnswer,
  Unknown,
  VoidAnswer,
} from "../../partners/types.ts";
import { isUuid } from "../ids.ts";
import { CURRENCIES } from "../money.ts";

/** If an answer has a wrong form, `problem` describes the error, without the answer's content. */
export interface Reading<A> {
  answer: A;
  problem?: string;
}

const DAY_MS = 86_400_000;
const CODE_AT_MOST = 128;
const NOTICE_AT_MOST = 200;
const ACTION_AT_MOST = 1_000;

/** The kinds with a code, and those that may have a time to ask again and a notice. */
const WITH_CODE = ["rejected", "returned", "declined", "refused"];
const WITH_HINTS = ["accepted", "settled"];

function reader<A extends { kind: string }>(kinds: readonly A["kind"][]) {
  return (value: unknown): Reading<A | Unknown> => {
    const { kind, code, ...hints } = readFields(value);
    if (kind === "unknown") return { answer: UNKNOWN };
    if (!kinds.includes(kind as A["kind"])) {
      return { answer: UNKNOWN, problem: `its kind must be one of ${kinds.join(", ")}, unknown` };
    }
    const answer = { kind } as unknown as A;
    if (WITH_CODE.includes(kind as string)) {
      const isCode = typeof code === "string" && code.length > 0 && code.length <= CODE_AT_MOST;
      if (isCode) return { answer: { ...answer, code } };
      const problem = `its code must be a text of 1 to ${CODE_AT_MOST} characters`;
      return { answer: UNKNOWN, problem };
    }
    if (kind === "action") return withAction(answer, hints);
    return WITH_HINTS.includes(kind as string) ? withHints(answer, hints) : { answer };
  };
}

function withAction<A>(answer: A, { action }: Record<string, unknown>): Reading<A | Unknown> {
  const isAction =
    typeof action === "string" && action.length > 0 && action.length <= ACTION_AT_MOST;
  if (isAction) return { answer: { ...answer, action } };
  const problem = `its action must be a text of 1 to ${ACTION_AT_MOST} characters`;
  return { answer: UNKNOWN, problem };
}

/** Adds the valid hints to an answer. An invalid hint is dropped, and the outcome stays valid. */
function withHints<A>(answer: A, { askAfterMs, notice }: Record<string, unknown>): Reading<A> {
  const isTime = typeof askAfterMs === "number" && askAfterMs >= 0 && askAfterMs <= DAY_MS;
  const isNotice =
    typeof notice === "string" && notice.length > 0 && notice.length <= NOTICE_AT_MOST;
  const problem =
    askAfterMs !== undefined && !isTime
      ? `its askAfterMs must be a number from 0 to ${DAY_MS}`
      : `its notice must be a text of 1 to ${NOTICE_AT_MOST} characters`;
  const isWrong = (askAfterMs !== undefined && !isTime) || (notice !== undefined && !isNotice);
  return {
    answer: { ...answer, ...(isTime && { askAfterMs }), ...(isNotice && { notice }) },
    ...(isWrong && { problem }),
  };
}

const UNKNOWN: Unknown = { kind: "unknown" };

/** The fields of an answer of any type; none if it is no object. */
function readFields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
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

const CANCEL_ANSWERS: readonly unknown[] = ["cancelled", "no", "unknown"];

export function readCancel(value: unknown): Reading<CancelAnswer> {
  return CANCEL_ANSWERS.includes(value)
    ? { answer: value as CancelAnswer }
    : { answer: "unknown", problem: "it must be cancelled, no or unknown" };
}

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
  const { id, amountMinor, currency, at } = readFields(value);
  if (!isUuid(id)) return wrongEntry(value, "its id must be a UUID, as ours are");
  if (!Number.isSafeInteger(amountMinor) || (amountMinor as number) < 0) {
    return wrongEntry(value, "its amountMinor must be a whole number of minor units, not negative");
  }
  const known = CURRENCIES.find((each) => each === currency);
  if (!known) return wrongEntry(value, `its currency must be one of ${CURRENCIES.join(", ")}`);
  const isTime = typeof at === "number" && at >= EARLIEST_MS && at <= now + AHEAD_AT_MOST_MS;
  if (!isTime) {
    return wrongEntry(value, "its at must be epoch milliseconds since 2000, and not in the future");
  }
  return { moved: { id, amountMinor: amountMinor as number, currency: known, at } };
}

function wrongEntry(value: unknown, problem: string): { problem: string; id?: string } {
  const { id } = readFields(value);
  return { problem, ...(isUuid(id) && { id }) };
}
