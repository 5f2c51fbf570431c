// Computes the update that a change makes in the database, and the document after it.
// A visible state and its event are one update, so that the event of a visible state is never lost.
// The update also sets the moment from which any node may claim the document:
//
//   next                     the moment of the next step
//   "now"                    a lease from now; the old moment, if that leaves about a lease
//   a wait                   the end of the wait
//   "never"                  none
//   "same"                   the time of the next step before the change
//
// If the outbox is not empty, the document is due for it a lease from now, and later at growing
// waits, unless its next step is due soon. The moment of that step is then kept in `stepAt`, and the
// write that clears the outbox puts it back (relay.ts). Pure.

import {
  type Amendment,
  type Change,
  type Entered,
  nextStepAt,
  type Resumable,
} from "./document.ts";
import type { Update } from "./grouped-cas.ts";

/**
 * The time for which other nodes leave a document to its driver, in milliseconds: longer than one
 * outside call.
 */
export const LEASE_MS = 10_000;
/**
 * If the next step follows immediately, a lease with this much time left is not renewed: an update
 * that touches no index costs the database half.
 */
const KEPT_LEASE_MS = { least: LEASE_MS - 1_000, most: 2 * LEASE_MS };
/** An outbox that webhooks does not take is relayed again after growing waits, up to this. */
const RELAY_AT_LATEST_MS = 60_000;

/**
 * Applies a change to a document at a moment.
 * @param counts whether the document's states are events by now; they are, by default
 * @returns the update, the same for all documents that change alike; and the document after it,
 *   without the version that the write gives it
 */
export function applyChange<T extends Resumable>(
  document: T,
  change: Change<T>,
  now: number,
  counts?: (document: T) => boolean,
): { update: Update; after: T } {
  const { amend, dropsStates } = change;
  const states = enteredStates(document, change, now);
  const before = dropsStates ? { ...document, states: [], relayed: 0 } : document;
  const { $set, $unset } = toUpdate(document, newFields(before, change, states, now, counts));
  const after: T = { ...document, ...$set, states: [...before.states, ...states] };
  for (const field of Object.keys($unset)) delete after[field as keyof T];
  if (amend) after[amend.list] = amended(document, amend);
  return {
    update: {
      $set: { ...$set, ...(dropsStates && { states: [] }), ...(amend && amendedPaths(amend)) },
      ...(Object.keys($unset).length > 0 && { $unset }),
      ...(states.length > 0 && { $push: { states: { $each: states } } }),
    },
    after,
  };
}

function enteredStates<T extends Resumable>(
  document: T,
  { set, enter = [] }: Change<T>,
  at: number,
): Entered<T["status"]>[] {
  const by = set.decidedBy ?? document.decidedBy;
  return enter.map((status) => ({ status, at, ...(by && { by }) }));
}

/** The new values of fields; undefined removes a field. */
function newFields<T extends Resumable>(
  document: T,
  { set, next, hasNoEvents }: Change<T>,
  states: Entered<T["status"]>[],
  now: number,
  counts: (document: T) => boolean = () => true,
): Record<string, unknown> {
  const isEmpty = document.relayed === document.states.length;
  const skipped = hasNoEvents && isEmpty ? states.length : 0;
  const entered = states.at(-1);
  // Webhooks may have acknowledged more states since the document was read.
  const relayed = document.relayed + skipped;
  const untold = counts({ ...document, ...set })
    ? [...document.states, ...states][relayed]
    : undefined;
  return {
    ...set,
    relayed,
    relayAt: undefined,
    ...moments(document, next, untold, now),
    ...(entered && { status: entered.status }),
  };
}

/** @param untold the first state in the outbox */
function moments(
  document: Resumable,
  next: Change<Resumable>["next"],
  untold: Entered | undefined,
  now: number,
): Partial<Record<"nextAttemptAt" | "stepAt", number | null | undefined>> {
  if (keepsLease(document, next, now)) return { stepAt: undefined };
  const at = stepMoment(document, next, now);
  const isSoon = at !== undefined && at <= now + 2 * LEASE_MS;
  if (isSoon || !untold) return { nextAttemptAt: at, stepAt: undefined };
  return { nextAttemptAt: now + relayWaitMs(now - untold.at), stepAt: at ?? null };
}

/** A lease at first; then as long as the outbox is late, in powers of two, so that many share it. */
function relayWaitMs(lateMs: number): number {
  const doublings = Math.floor(Math.log2(Math.max(1, lateMs / LEASE_MS)));
  return Math.min(LEASE_MS * 2 ** doublings, RELAY_AT_LATEST_MS);
}

/**
 * The moment of an outbox is no lease that can be kept: the write that clears the outbox takes it
 * away, also between the read of the document and its change.
 */
function keepsLease(
  { nextAttemptAt: at = 0, stepAt }: Resumable,
  next: Change<Resumable>["next"],
  now: number,
): boolean {
  const leftMs = at - now;
  const isKept = next === "now" && stepAt === undefined;
  return isKept && leftMs >= KEPT_LEASE_MS.least && leftMs <= KEPT_LEASE_MS.most;
}

function stepMoment(
  document: Resumable,
  next: Change<Resumable>["next"],
  now: number,
): number | undefined {
  if (next === "never") return undefined;
  if (next === "same") return nextStepAt(document);
  return now + (next === "now" ? LEASE_MS : next);
}

function toUpdate(document: object, fields: Record<string, unknown>) {
  const $set: Record<string, unknown> = {};
  const $unset: Record<string, ""> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) $set[field] = value;
    else if (Object.hasOwn(document, field)) $unset[field] = "";
  }
  return { $set, $unset };
}

/** The amended fields by their paths, as a statement sets them. */
function amendedPaths<T>({ list, index, set }: Amendment<T>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).map(([field, value]) => [`${list}.${index}.${field}`, value]),
  );
}

function amended<T>(document: T, { list, index, set }: Amendment<T>): T[keyof T & string] {
  const entries = document[list] as object[];
  return entries.map((entry, i) => (i === index ? { ...entry, ...set } : entry)) as never;
}
