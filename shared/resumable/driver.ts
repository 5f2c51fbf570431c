// The driver of documents: runs one step after the other until the document waits, and claims the
// documents that are due. A step calls other systems and returns the change that follows; only the
// driver writes that change, by compare-and-set. A driver that loses the compare-and-set stops,
// because another driver goes on. Every call carries the document's id, and a repeated call has the
// same result as the first, so any node may begin again at the stored step.
//
// A document is due when its wait is over, or when its driver has not come back within the lease. A
// node claims it by compare-and-set, so that one of several sweepers drives it. If the next step
// only computes, the compare-and-set of that step is the claim. A sweep survives every error: after
// a step that throws the document is due again after a growing wait, and if even that cannot be
// written, after the lease.

import { LATE } from "../clock.ts";
import { type Log, throttledWarning } from "../observability/throttled-warning.ts";
import { workForOrigin } from "../rpc/origin.ts";
import { LEASE_MS } from "./change.ts";
import { askedAgain, type Change, nextStepAt, type Resumable } from "./document.ts";
import { earliestDue, findDue, startDueSweep } from "./due.ts";
import type { Outbox } from "./outbox.ts";
import type { Sweep, Turns } from "./sweeps.ts";
import {
  gatherTransitions,
  type Transition,
  type TransitionParts,
  type Transitions,
} from "./transitions.ts";
import { createWorkerPool } from "./worker-pool.ts";

/** How far the step is from which a document is driven. */
interface Begun {
  /** The caller entered the step, so no driver has begun it yet. */
  isFresh: boolean;
}

/** The sweep notices the waits that its transitions begin. */
export interface Driver<T extends Resumable> extends Transitions<T> {
  /**
   * Drives a document until it waits, relays its events, and comes back after a short wait.
   * @param from how far the step is; a change is that after a step which the caller has run itself
   * @returns the document as this driver left it
   */
  drive(document: T, from: Begun | { change: Change<T> }): Promise<T>;
  /**
   * Drives a document in the background, on the next beat.
   * @returns resolves once the document waits, or the drive has failed or been dropped
   */
  driveInBackground(document: T, from: Begun): Promise<void>;
  /** Sweeps until it is stopped. */
  start(): void;
  /** Waits for the sweep under way, then for the drives, within this limit. */
  stop(withinMs: number): Promise<void>;
}

export interface DriverParts<T extends Resumable> extends TransitionParts<T> {
  turns: Turns;
  log: Log & { info(message: string, details: unknown): void };
  /** Runs the step; returns the change that follows. */
  changeFor(document: T, isFresh: boolean): Promise<Change<T>>;
  /**
   * Whether the next step only computes: it calls no other system, so two nodes may run it at the
   * same time.
   */
  isPure?(document: T): boolean;
  /** Runs after each transition of a drive. */
  afterTransition?(document: T): Promise<void>;
}

/** The end of one step. */
interface Step<T> {
  document: T;
  /** The next step follows immediately. */
  isMore: boolean;
  /** How long the driver waits; null if it does not come back. */
  waitMs: number | null;
}

/** An earlier driver may have begun the step. */
const RESUMED: Begun = { isFresh: false };

/** No document has more steps in a row than this. */
const STEPS_AT_MOST = 12;
/** The driver itself comes back after waits up to this; the sweeps take the longer ones. */
const KEPT_UP_TO_MS = 5_000;
/**
 * How long a driver awaits its relay: the rest of the lease is for the two questions that a step may
 * ask a partner (ANSWERED_WITHIN_MS).
 */
const RELAY_AWAITED_MS = 1_500;
/** Documents that one process drives at a time; the sweeps take the rest. */
const DRIVEN_AT_ONCE = 2_000;
/** As many as a batch of transitions has, because they go on together and share its round trips. */
const CLAIMED_AT_ONCE = 500;

/** @param outbox relays the events; left out for documents without events */
export function createDriver<T extends Resumable>(
  parts: DriverParts<T>,
  outbox?: Pick<Outbox<T>, "relay">,
): Driver<T> {
  const { clock, turns, log, documents, changeFor, isPure, afterTransition } = parts;
  const transitions = gatherTransitions(parts);
  const stepFailed = throttledWarning(clock, log, "A step failed and is tried again");
  const driveFailed = throttledWarning(clock, log, "A drive failed");
  const pool = createWorkerPool(DRIVEN_AT_ONCE, clock, driveFailed);
  let sweep: Sweep | undefined;

  function noticed(write: Transition<T>): Transition<T> {
    return async (document, change) => {
      const changed = await write(document, change);
      const isWaiting = typeof change.next === "number";
      const at = changed && nextStepAt(changed);
      if (isWaiting && at != null) sweep?.noticeDue(at);
      return changed;
    };
  }
  const transition = noticed(transitions.transition);

  async function drive(document: T, from: Begun | { change: Change<T> }): Promise<T> {
    return goOn(
      "change" in from
        ? await endStep(document, from.change)
        : await takeStep(document, from.isFresh),
    );
  }

  /** Drives a document on after a step. */
  async function goOn(after: Step<T>): Promise<T> {
    const { document, waitMs } = await driveToWait(after);
    const relaying = outbox?.relay(document, waitMs === null);
    if (waitMs !== null) void comeBack(document, waitMs, relaying);
    return document;
  }

  /**
   * Drives a document on after its wait, and after the relay that this driver has begun: otherwise
   * the next relay sends the same events again, and the last one needs a write that clears them.
   */
  async function comeBack(
    document: T,
    waitMs: number,
    relaying = Promise.resolve(document.relayed),
  ): Promise<void> {
    const at = clock.now() + waitMs;
    const relayed = await clock.within(relaying, RELAY_AWAITED_MS);
    const again = relayed === LATE ? document : { ...document, relayed };
    await pool.submitLater(Math.max(0, at - clock.now()), () => drive(again, RESUMED));
  }

  /** Takes one step after the other until the document waits. */
  async function driveToWait(after: Step<T>): Promise<Step<T>> {
    let step = after;
    for (let i = 1; step.isMore && i < STEPS_AT_MOST; i++) {
      step = await takeStep(step.document, true);
    }
    if (step.isMore) throw new Error(`${after.document._id} does not come to rest`);
    return step;
  }

  /** Runs a step, for the request that caused the document, and writes the change that follows. */
  function takeStep(document: T, isFresh: boolean): Promise<Step<T>> {
    return workForOrigin(document.origin, async () =>
      endStep(document, await attempt(document, isFresh)),
    );
  }

  /** Writes the change that follows from a step. */
  async function endStep(document: T, change: Change<T>): Promise<Step<T>> {
    const { next, enter } = change;
    const waitMs = typeof next === "number" && next <= KEPT_UP_TO_MS ? next : null;
    // While this driver keeps a wait, other nodes leave the document alone until a lease after it.
    const changed = await (waitMs === null
      ? transition(document, change)
      : transitions.transition(document, { ...change, next: waitMs + LEASE_MS }));
    if (!changed) {
      // Another driver changed the document first, or the write is unknown and the lease runs out.
      await change.onConflict?.();
      return { document, isMore: false, waitMs: null };
    }
    if (enter?.length) {
      const { _id: id, status } = changed;
      log.info("A document entered a state", { what: documents.collectionName, id, status });
    }
    await afterTransition?.(changed);
    return { document: changed, isMore: next === "now", waitMs };
  }

  /**
   * Runs a step. A step that throws is tried again after growing waits, and flagged after a day,
   * like an unknown outcome. After a step that succeeds, the next unknown outcome counts from its
   * own beginning. Each change stores its step, because a document may have entered it without a
   * write of its own.
   */
  async function attempt(document: T, isFresh: boolean): Promise<Change<T>> {
    try {
      const change: Change<T> | undefined = await changeFor(document, isFresh);
      // The next release may run beside this one, and this one's lifecycle returns no change for a
      // step of the next release; the assemblies of payments and refunds still add a function to
      // it.
      if (change?.next === undefined) {
        throw new Error(`This version does not know the step ${document.step}`);
      }
      return { ...change, set: { step: document.step, unknownSince: undefined, ...change.set } };
    } catch (error) {
      stepFailed({ id: document._id, step: document.step, error });
      const { set, next } = askedAgain(document, clock.now());
      return { set: { step: document.step, ...set } as Change<T>["set"], next };
    }
  }

  /**
   * Claims a due document, relays its outbox, and begins to drive it if its next step is due too.
   * The outbox waits for no step, which may be slow.
   * @returns false if another node changed it
   */
  async function claim(document: T): Promise<boolean> {
    const isStepDue = (nextStepAt(document) ?? Number.POSITIVE_INFINITY) <= clock.now();
    if (isStepDue && isPure?.(document)) {
      const step = await takeStep(document, false);
      if (step.document === document) return false;
      void pool.submit(() => goOn(step));
      return true;
    }
    const claimed = await transition(document, { set: {}, next: isStepDue ? "now" : "same" });
    if (!claimed) return false;
    void outbox?.relay(claimed, !isStepDue);
    if (isStepDue) void pool.submit(() => drive(claimed, RESUMED));
    return true;
  }

  /**
   * Claims the documents that are due, as many as there is capacity for, and begins to drive them.
   * @returns the moment from which a document is due
   */
  async function sweepDue(isStopped: () => boolean): Promise<number | undefined> {
    for (;;) {
      const limit = Math.min(CLAIMED_AT_ONCE, pool.capacity());
      if (limit === 0) return clock.now();
      const at = await earliestDue(documents, "nextAttemptAt");
      if (at === undefined || at > clock.now()) return at;
      const due = await findDue(documents, "nextAttemptAt", clock.now(), limit);
      const claims = await Promise.all(due.map(claim));
      // If other nodes have claimed all of them, or no write succeeds, the next round looks again.
      if (due.length < limit || isStopped() || !claims.includes(true)) return clock.now();
    }
  }

  return {
    drive,
    driveInBackground: (document, from) => pool.submitLater(0, () => drive(document, from)),
    transition,
    transitionAlone: noticed(transitions.transitionAlone),
    start() {
      sweep = startDueSweep({ clock, turns, log }, sweepDue);
    },
    async stop(withinMs) {
      await sweep?.stop();
      await pool.stop(withinMs);
    },
  };
}
