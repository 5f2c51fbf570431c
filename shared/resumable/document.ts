// Resumable documents: one document holds the whole state of a money movement, its next step and
// the time of that step. The document is its own outbox. Each change of a field that decides the
// next step is a compare-and-set on `v` (grouped-cas.ts). Moments are epoch ms; the id holds the
// creation time.

import { currentOrigin, type Origin } from "../rpc/origin.ts";
import type { Versioned } from "./grouped-cas.ts";

/** A visible state that the document has entered. Its place (from 1) is the `seq` of its event. */
export interface Entered<S extends string = string> {
  status: S;
  at: number;
  /** The admin or caller that decided it, if the partner did not. */
  by?: string;
}

export interface Resumable<S extends string = string> extends Versioned {
  step: string;
  status: S;
  /** In the order in which they were entered; the timeline shows them. */
  states: Entered<S>[];
  /** The number of states that webhooks has acknowledged; the states after them are the outbox. */
  relayed: number;

  /** The owner of the events. */
  businessId: string;
  /** The admin or caller that decided the end, if the partner did not. */
  decidedBy?: string;
  needsAttention: boolean;

  /**
   * The time from which any node may claim the document, for its next step or for its outbox; never
   * if unset.
   */
  nextAttemptAt?: number;
  /**
   * The time of its next step, if the document is due for its outbox before that; null if it has no
   * next step. Unset while `nextAttemptAt` is the time of its next step.
   */
  stepAt?: number | null;
  /** The time since which the outcome of the step is unknown. */
  unknownSince?: number;
  /** In a document of the previous release: the time from which any node may relay its outbox. */
  relayAt?: number;

  /** The request that caused it: each driver and each event of the document works for it. */
  origin?: Origin;
}

/** The time of the document's next step; undefined if it has none. */
export function nextStepAt({
  nextAttemptAt,
  stepAt = nextAttemptAt,
}: Pick<Resumable, "nextAttemptAt" | "stepAt">): number | undefined {
  return stepAt ?? undefined;
}

/** The fields that are the same in every new document. */
export function newResumable(id: string) {
  const origin = currentOrigin();
  const common = { _id: id, v: 0, writtenBy: id, states: [], relayed: 0, needsAttention: false };
  return { ...common, ...(origin && { origin }) };
}

/** The fields that only transitions write. */
type Kept =
  | "_id"
  | "v"
  | "writtenBy"
  | "status"
  | "states"
  | "relayed"
  | "nextAttemptAt"
  | "stepAt"
  | "relayAt";

/** A change of one entry of a list of objects. */
export interface Amendment<T> {
  list: keyof T & string;
  /** The place of the entry, from 0. */
  index: number;
  set: Record<string, unknown>;
}

export interface Change<T extends Resumable> {
  /** The new values of fields; undefined removes a field. */
  set: Partial<Omit<T, Kept>>;
  /**
   * New values of fields in one entry of a list. It names only that entry, so documents with
   * different lists make the same update and share a statement.
   */
  amend?: Amendment<T>;
  /**
   * Visible states that the document enters, in order; the outlet makes an event of each
   * (relay.ts).
   */
  enter?: T["status"][];
  /** The outlet makes no event of these states, so they do not enter the outbox. */
  hasNoEvents?: boolean;
  /** The change removes the states: no caller has seen them, and no event tells of them. */
  dropsStates?: boolean;
  /**
   * When the document is driven again: "now" by the driver that makes the change (by another node
   * after the lease, if that driver dies), after so many milliseconds by any node, "never", or at
   * the "same" time as before.
   */
  next: "now" | "never" | "same" | number;
  /**
   * The driver calls it if another writer changed the document first, so that a partner's answer to
   * the step is not dropped. It handles its own errors.
   */
  onConflict?(): Promise<void>;
}

const SECOND_MS = 1_000;
/** An unknown outcome is asked for again after 1, 2, 4, 8 s and so on, up to this. */
export const ASK_AT_LATEST_MS = 300 * SECOND_MS;
/** An outcome that is unknown for this long flags the document for an admin. */
const ATTENTION_AFTER_MS = 24 * 3_600 * SECOND_MS;

/** The change after an unknown outcome: the step stays, and is tried again after a growing wait. */
export function askedAgain({ unknownSince, needsAttention }: Resumable, now: number) {
  // A clock that was put back does not shorten the wait, because the difference is at least 0.
  const unknownMs = Math.max(0, now - (unknownSince ?? now));
  return {
    set: {
      unknownSince: unknownSince ?? now,
      needsAttention: needsAttention || unknownMs >= ATTENTION_AFTER_MS,
    },
    next: Math.min(unknownMs + SECOND_MS, ASK_AT_LATEST_MS),
  };
}
