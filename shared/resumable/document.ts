// Resumable documents: what moves money is one document that says all there is to know of it, what has
// to be done next and when. It is its own outbox. Every change of what decides what happens next is a
// compare-and-set on `v` (transitions.ts). Moments are epoch ms; when it was made is in its id.

/** A visible state entered. As an event for the merchant its place (from 1) is its `seq`. */
export interface Entered<S extends string = string> {
  status: S;
  at: number;
  /** Who decided it where the other side did not. */
  by?: string;
}

export interface Resumable<S extends string = string> {
  _id: string;
  /** Number of the last transition, and its id: how a writer finds out that it was its own. */
  v: number;
  writtenBy: string;

  /** What has to be done next. */
  step: string;
  /** The visible state. */
  status: S;
  /** In the order in which they were entered; the timeline shows them. */
  states: Entered<S>[];
  /** How many of the states webhooks has acknowledged; those after them are the outbox. */
  relayed: number;

  /** Whose events they are. */
  businessId: string;
  /** Who decided the end where the other side did not. */
  decidedBy?: string;
  needsAttention: boolean;

  /** When it is looked at again by whoever comes first; none: never. */
  nextAttemptAt?: number;
  /** Since when nobody knows what others made of the step. */
  unknownSince?: number;
  /** When somebody else hands the outbox over; none: it is empty. */
  relayAt?: number;
}

/** What transitions write by themselves. */
type Kept =
  | "_id"
  | "v"
  | "writtenBy"
  | "status"
  | "states"
  | "relayed"
  | "nextAttemptAt"
  | "relayAt";

export interface Change<T extends Resumable> {
  /** What changes; undefined takes a field away. */
  set: Partial<Omit<T, Kept>>;
  /** Visible states entered, in order; each is told as its outlet says (relay.ts). */
  enter?: T["status"][];
  /**
   * When the document is looked at again: "now" by whoever makes the change (by others after a lease,
   * should it die), after so many milliseconds by anybody, or "never".
   */
  next: "now" | "never" | number;
  /** Whoever makes the change comes back in time by itself; others after the lease. */
  isKept?: boolean;
  /**
   * Somebody has asked for just this change, and is told what became of it. It is written alone: of a
   * batch in which others lost, and whose documents go on, a winner may not find out that it was one.
   */
  isAlone?: boolean;
  /**
   * Called by the machine where the change is not made because another writer came first, so that
   * an answer that the step heard outside is not dropped. It handles its own errors.
   */
  lost?(): Promise<void>;
}

const SECOND_MS = 1_000;
/** What nobody knows is asked again after 1, 2, 4, 8 s and so on, up to this. */
export const ASK_AT_LATEST_MS = 300 * SECOND_MS;
/** How long nobody may know before a person should look. */
const ATTENTION_AFTER_MS = 24 * 3_600 * SECOND_MS;

/** Nobody knows: it is asked again, and the state stays as it is. */
export function askedAgain({ unknownSince, needsAttention }: Resumable, now: number) {
  // Clocks may have been put back since: it is never asked at once for that.
  const unknownMs = Math.max(0, now - (unknownSince ?? now));
  return {
    set: {
      unknownSince: unknownSince ?? now,
      needsAttention: needsAttention || unknownMs >= ATTENTION_AFTER_MS,
    },
    next: Math.min(unknownMs + SECOND_MS, ASK_AT_LATEST_MS),
  };
}
