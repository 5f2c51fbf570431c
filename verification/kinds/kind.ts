// What a verification has to know of a kind of documents for which other services have money moved, or
// of which they tell: what each has to have in the journal and among the events, and what it cannot say
// at once. Pure. It is said anew, and shares nothing with the code that moves the money: what that gets
// wrong shows.

import type { Posting } from "../../services/wallet-ledger/postings.ts";
import type { Currency } from "../../shared/money.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Books, Phase } from "../books.ts";
import type { Rule } from "../findings.ts";

/** What all kinds have. What was tampered with may hold anything; what counts on more, looks first. */
export interface Document {
  _id: string;
  step: string;
  status: string;
  states: { status: string; at: number }[];
  relayed: number;
  relayAt?: number;
  businessId: string;
}

/** What those have that move money by themselves. */
export interface Moving extends Document {
  currency: Currency;
  amountMinor: number;
  feesMinor: number;
}

export const MONEY = ["currency", "amountMinor", "feesMinor"] as const;

/** What an event has to say: its type, its status where that is not the state's, of its payload this. */
export interface Told {
  eventType: string;
  status?: string;
  payload: Record<string, unknown>;
}

export interface Kind<D extends Document = Document> {
  /** As a violation names one. */
  name: string;
  phase: Phase;
  /** What is violated where the journal and the document's state disagree. */
  rule: Rule;
  /** What is read of it, beside what all kinds have. */
  fields: readonly string[];
  /** Its transfers in the journal. */
  postings: Record<string, (document: D) => Posting>;
  /** The kinds of transfers that have to be committed, as it stands. */
  owes(document: D): string[];
  /** What is wrong if a transfer of that kind is committed, as it stands; null for nothing. */
  forbids(document: D, kind: string): string | null;
  /** What it says that cannot be true at once; null for nothing. */
  findContradiction(document: D): string | null;
  eventTypes: readonly string[];
  /** What its event of a state says, the `seq`-th from 1; null for a state that is told to nobody. */
  expectedEvent(document: D, seq: number): Told | null;
}

const COMMON = ["step", "status", "states", "relayed", "relayAt", "businessId"];

/** What is read of a kind's documents. */
export function selectFields({ fields }: Pick<Kind, "fields">): Record<string, 1> {
  return Object.fromEntries([...COMMON, ...fields].map((field) => [field, 1 as const]));
}

/** A document as it is stored, with states that can be looked at. */
export function sanitize<D extends Document>(stored: D): D {
  const states: unknown = stored.states;
  return { ...stored, states: Array.isArray(states) ? states.filter(Boolean) : [] };
}

export function describe({ name }: Pick<Kind, "name">, { _id, status, step }: Document): string {
  return `${name} ${_id} (${status}, ${step})`;
}

/** Says under a rule what is wrong with documents of a kind; nothing where that is null. */
export function reporter({ findings }: Books, rule: Rule, kind: Pick<Kind, "name">) {
  return (document: Document, problem: string | null): void => {
    if (problem) findings.violation(rule, `${describe(kind, document)} ${problem}`);
  };
}

/** What is not told and nobody tells; null for nothing. */
export function relayProblem(
  entered: number,
  { relayed, relayAt }: Pick<Document, "relayed" | "relayAt">,
): string | null {
  const isBeingTold = relayed < entered && relayAt !== undefined;
  if (relayed === entered || isBeingTold) return null;
  return `has told of ${relayed} states of ${entered}, and nobody tells the rest`;
}

/** What was tampered with may be no moment. */
export function isoText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** What was tampered with may be no amount. */
export function decimalText(minor: number): string {
  return Number.isSafeInteger(minor) ? toDecimal(minor) : String(minor);
}
