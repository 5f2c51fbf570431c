// The description of a kind of document for verification: its transfers in the journal, its events,
// and its contradictions. Pure. It shares no code with the services that move the money, because
// shared code would repeat their errors.

import type { Transfer } from "../../../services/wallet-ledger/journal.model.ts";
import type { Posting } from "../../../services/wallet-ledger/postings.ts";
import type { Currency } from "../../../shared/money.ts";
import { toDecimal } from "../../../shared/money.ts";
import { type Books, PHASES, type Phase, readAll } from "../books.ts";
import type { Rule } from "../findings.ts";

/**
 * The fields of all kinds. A document that was tampered with may hold anything, so a check that
 * needs more looks first.
 */
export interface Document {
  _id: string;
  step: string;
  status: string;
  states: { status: string; at: number }[];
  relayed: number;
  nextAttemptAt?: number;
  /** The moment of its next step, if it is due for its outbox before that; null if it has none. */
  stepAt?: number | null;
  relayAt?: number;
  businessId: string;
}

type Outbox = Pick<Document, "relayed" | "nextAttemptAt" | "relayAt">;

/** The fields of kinds that move money by themselves. */
export interface Moving extends Document {
  currency: Currency;
  amountMinor: number;
  feesMinor: number;
}

export const MONEY = ["currency", "amountMinor", "feesMinor"] as const;

/**
 * The content of an event: its type, its status if it differs from the state's, and these fields of
 * its payload.
 */
export interface ExpectedEvent {
  eventType: string;
  status?: string;
  payload: Record<string, unknown>;
}

export interface Kind<D extends Document = Document> {
  name: string;
  phase: Phase;
  /** The violated rule if the journal and the document's state disagree. */
  rule: Rule;
  /** The fields to read, beside those of all kinds. */
  fields: readonly string[];
  /** Its transfers in the journal. */
  postings: Record<string, (document: D) => Posting>;
  /** The kinds of transfers that must be committed for the document's present state. */
  owes(document: D): string[];
  /**
   * The problem with a committed transfer of that kind for the document's present state; null for
   * none.
   */
  forbids(document: D, kind: string, transfer: Transfer): string | null;
  /** A contradiction among the document's own fields; null for none. */
  findContradiction(document: D): string | null;
  eventTypes: readonly string[];
  /** The event of a state, the `seq`-th from 1; null for a state without an event. */
  expectedEvent(document: D, seq: number): ExpectedEvent | null;
}

/** For kinds that move no money by themselves. */
export const MOVES_NOTHING = { postings: {}, owes: () => [], forbids: () => null };

const COMMON = [
  ...["step", "status", "states", "businessId"],
  ...["relayed", "nextAttemptAt", "stepAt", "relayAt"],
];

/** The projection for the documents of a kind. */
export function selectFields({ fields }: Pick<Kind, "fields">): Record<string, 1> {
  return Object.fromEntries([...COMMON, ...fields].map((field) => [field, 1 as const]));
}

/** A stored document with states that can be read. */
export function sanitize<D extends Document>(stored: D): D {
  const states: unknown = stored.states;
  return { ...stored, states: Array.isArray(states) ? states.filter(Boolean) : [] };
}

export function describe(
  { name }: Pick<Kind, "name">,
  { _id, status, step }: Pick<Document, "_id" | "status" | "step">,
): string {
  return `${name} ${_id} (${status}, ${step})`;
}

/** Reports problems of documents of a kind under a rule; a null problem reports nothing. */
export function reporter<D extends Document>({ findings }: Books, kind: Kind<D>, rule = kind.rule) {
  return (document: D, problem: string | null): void => {
    if (problem) findings.violation(rule, `${describe(kind, document)} ${problem}`);
  };
}

/** Reads the documents of a kind with these ids, by id; a missing document is left out. */
export function readDocuments<D extends Document>(
  books: Books,
  kind: Kind<D>,
  ids: string[],
): Promise<Map<string, D>> {
  return readAll<D>(books, PHASES[kind.phase], ids, selectFields(kind));
}

/** Reports the problems of documents that are still as they were read. */
export async function reportUnlessChanged<D extends Document & { v: number }>(
  books: Books,
  kind: Kind<D>,
  rule: Rule,
  problems: Map<D, string>,
): Promise<void> {
  const ids = [...problems.keys()].map(({ _id }) => _id);
  const again = await readDocuments(books, kind, ids);
  const report = reporter(books, kind, rule);
  for (const [document, problem] of problems) {
    if (again.get(document._id)?.v === document.v) report(document, problem);
  }
}

/** The moment of a document's next step; undefined if it has none. */
export function stepMoment<T>({
  nextAttemptAt,
  stepAt = nextAttemptAt,
}: {
  nextAttemptAt?: T;
  stepAt?: T | null;
}): T | undefined {
  return stepAt ?? undefined;
}

/** The longest wait of an outbox, and the difference of clocks (shared/resumable). */
const TOLD_WITHIN_MS = 120_000;

/** The problem with an outbox that holds events and has no moment to send them; null for none. */
export function relayProblem(
  entered: number,
  { relayed, nextAttemptAt = Number.NaN, relayAt }: Outbox,
): string | null {
  const isDue = relayAt !== undefined || nextAttemptAt <= Date.now() + TOLD_WITHIN_MS;
  const isBeingTold = relayed < entered && isDue;
  if (relayed === entered || isBeingTold) return null;
  return `has sent ${relayed} of its ${entered} states, and no relay sends the rest`;
}

/** A document that was tampered with may hold an invalid moment. */
export function isoText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** A document that was tampered with may hold an invalid amount. */
export function decimalText(minor: number): string {
  return Number.isSafeInteger(minor) ? toDecimal(minor) : String(minor);
}
