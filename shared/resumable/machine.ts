// The machine: drives documents step by step, hands their events over, and takes over what is due. A
// step does what has to be done outside and says what changes because of it; one place writes the
// change, compare-and-set. Whoever loses that stops: somebody else goes on. Every outside effect has
// the document's id, and asking twice for it is the same as asking once; so anybody may begin again at
// the step that is stored.
//
// A document is due when it has to wait no longer, or when the node that drove it has not come back
// within its lease; it is claimed by a compare-and-set, so that of several sweepers one drives it.
// Sweeping survives every error: a document that fails now is due again. A step that throws is due
// again at growing waits; where not even that can be written, the lease remains.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { MAJORITY } from "../database.ts";
import { askedAgain, type Change, type Resumable } from "./document.ts";
import { gatherRelays, type Outlet } from "./relay.ts";
import { gatherTransitions, RELAY_LEASE_MS, type Transition } from "./transitions.ts";
import { createCrew } from "./worker-pool.ts";

export interface Machine<T extends Resumable> {
  transition: Transition<T>;
  /**
   * Drives a document as far as it comes now, hands its events over, and comes back to it after a
   * short wait.
   * @param isFresh the step was entered by this very caller: nobody has done yet what it asks for
   * @returns the document as this driver left it
   */
  drive(document: T, isFresh?: boolean): Promise<T>;
  /** Drives it on the next beat, while nobody waits. */
  driveOn(document: T): void;
  /** Begins to hand its events over where nobody drives it; what fails is overdue soon. */
  tell(document: T): void;
  /** Claims the documents that are due, as many as there is room for, and begins to drive them. */
  sweepDue(): Promise<void>;
  /**
   * Hands over the outboxes that their drivers did not.
   * @throws where webhooks did not take them; they are due again after the lease
   */
  relayOverdue(): Promise<void>;
  /** Sweeps until it is stopped; never two of a kind at once. */
  start(): void;
  /** Ends the sweeps under way, then what is driven, then what is handed over, each so long at most. */
  stop(withinMs: number): Promise<void>;
}

export interface Parts<T extends Resumable> {
  clock: Clock;
  newId(): string;
  documents: mongo.Collection<T>;
  log: { warn(message: string, details: unknown): void };
  /** Does what the step asks for; what changes because of it. */
  changeFor(document: T, isFresh: boolean): Promise<Change<T>>;
  /** Comes by after each transition of a drive. */
  passed?(document: T): Promise<void>;
  outlet: Outlet<T>;
}

/** No document has more steps in a row than this. */
const STEPS_AT_MOST = 12;
/** Waits up to this long are kept by the driver itself; longer ones are the sweepers'. */
const KEPT_UP_TO_MS = 5_000;
/** Documents that one process drives, or hands over, at a time; the sweepers have the rest. */
const DRIVEN_AT_ONCE = 1_000;
const RELAYED_AT_ONCE = 5_000;
const CLAIMED_AT_ONCE = 200;
const OVERDUE_AT_ONCE = 200;
const DUE_EVERY_MS = 250;
const OUTBOXES_EVERY_MS = 1_000;
/** Between two sweeps of outboxes where webhooks does not take them. */
const REFUSED_PAUSE_MS = 5_000;

export function createMachine<T extends Resumable>(parts: Parts<T>): Machine<T> {
  const { clock, documents, log, changeFor, passed } = parts;
  const transition = gatherTransitions(documents, clock, parts.newId);
  const relay = gatherRelays(documents, parts.outlet);
  const stepFailed = sparing(parts, "A step failed and is asked again");
  const driving = createCrew(DRIVEN_AT_ONCE, clock, sparing(parts, "A drive failed"));
  const relaying = createCrew(
    RELAYED_AT_ONCE,
    clock,
    sparing(parts, "Events are handed over later"),
  );
  let loops: (() => Promise<void>)[] = [];
  let isStopping = false;

  async function drive(from: T, isFresh = true): Promise<T> {
    const { document, waitMs } = await driveToWait(from, isFresh);
    const handed = handOver(document, waitMs === null);
    if (waitMs !== null) {
      driving.takeLater(waitMs, () => drive({ ...document, relayed: handed.relayed }, false));
    }
    return document;
  }

  /** @returns the document, and how long its driver waits; null where it does not come back */
  async function driveToWait(
    from: T,
    isFresh: boolean,
  ): Promise<{ document: T; waitMs: number | null }> {
    let document = from;
    let fresh = isFresh;
    for (let i = 0; i < STEPS_AT_MOST; i++) {
      const change = await attempt(document, fresh);
      const { next } = change;
      const isKept = typeof next === "number" && next <= KEPT_UP_TO_MS;
      const changed = await transition(document, { ...change, isKept });
      if (!changed) {
        // Another node goes on, or the lease runs out.
        await change.lost?.();
        return { document, waitMs: null };
      }
      document = changed;
      fresh = true;
      await passed?.(document);
      if (next !== "now") return { document, waitMs: isKept ? next : null };
    }
    throw new Error(`${from._id} does not come to rest`);
  }

  /**
   * Takes a step. A step that throws is asked again at growing waits, and flagged after a day, like
   * an unknown outcome; once a step succeeds the next unknown counts from its own beginning.
   */
  async function attempt(document: T, isFresh: boolean): Promise<Change<T>> {
    try {
      const change = await changeFor(document, isFresh);
      return { ...change, set: { unknownSince: undefined, ...change.set } };
    } catch (error) {
      stepFailed({ id: document._id, step: document.step, error });
      return askedAgain(document, clock.now()) as Change<T>;
    }
  }

  /** @returns what will have been relayed: `relayed` grows once webhooks has acknowledged */
  function handOver(document: T, isLast: boolean): { relayed: number } {
    const handed = { relayed: document.relayed };
    if (document.relayed === document.states.length) return handed;
    relaying.take(async () => {
      await relay({ document, isLast });
      handed.relayed = document.states.length;
    });
    return handed;
  }

  async function sweepDue(): Promise<void> {
    for (;;) {
      const limit = Math.min(CLAIMED_AT_ONCE, driving.room());
      if (limit === 0) return;
      const due = await findBefore("nextAttemptAt", limit);
      const claims = await Promise.all(
        due.map(async (document) => {
          const claimed = await transition(document, { set: {}, next: "now" });
          if (claimed) driving.take(() => drive(claimed, false));
          return claimed !== null;
        }),
      );
      // Where others were at all of them, or nothing can be written, the next sweep looks again.
      if (due.length < limit || isStopping || !claims.includes(true)) return;
    }
  }

  async function relayOverdue(): Promise<void> {
    const now = clock.now();
    const overdue = await findBefore("relayAt", OVERDUE_AT_ONCE);
    if (overdue.length === 0) return;
    const stillOverdue = { _id: { $in: overdue.map(({ _id }) => _id) }, relayAt: { $lte: now } };
    // Keeps others from doing the same; that they may do it is no harm.
    await documents.updateMany(
      stillOverdue as unknown as mongo.Filter<T>,
      { $set: { relayAt: now + RELAY_LEASE_MS } } as unknown as mongo.UpdateFilter<T>,
    );
    await Promise.all(overdue.map((document) => relay({ document, isLast: true })));
  }

  /** The documents whose moment has come, the earliest first. */
  async function findBefore(field: "nextAttemptAt" | "relayAt", limit: number): Promise<T[]> {
    const hasCome = { [field]: { $lte: clock.now() } } as unknown as mongo.Filter<T>;
    const found = documents.find(hasCome, MAJORITY).sort({ [field]: 1 });
    return (await found.limit(limit).toArray()) as T[];
  }

  let outboxesRestUntil = 0;
  async function sweepOutboxes(): Promise<void> {
    if (clock.now() < outboxesRestUntil) return;
    try {
      await relayOverdue();
    } catch (error) {
      outboxesRestUntil = clock.now() + REFUSED_PAUSE_MS;
      throw error;
    }
  }

  return {
    transition,
    drive,
    driveOn: (document) => driving.takeLater(0, () => drive(document, false)),
    tell: (document) => void handOver(document, true),
    sweepDue,
    relayOverdue,
    start() {
      loops = [repeat(DUE_EVERY_MS, sweepDue, log), repeat(OUTBOXES_EVERY_MS, sweepOutboxes, log)];
    },
    async stop(withinMs) {
      isStopping = true;
      await Promise.all(loops.map((stop) => stop()));
      // What is driven hands its events over.
      await driving.stop(withinMs);
      await relaying.stop(withinMs);
    },
  };
}

/** @returns ends it, after the round that is under way */
function repeat(everyMs: number, work: () => Promise<void>, log: Parts<Resumable>["log"]) {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error) => log.warn("A sweep failed and is tried again", error))
      .finally(() => {
        running = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

const QUIET_MS = 1_000;

/** Logs an error at most once a second: where one thing is away, everything fails for it. */
function sparing(
  { clock, log }: Pick<Parts<Resumable>, "clock" | "log">,
  message: string,
): (details: unknown) => void {
  let quietUntil = 0;
  return (details) => {
    if (clock.now() < quietUntil) return;
    quietUntil = clock.now() + QUIET_MS;
    log.warn(message, details);
  };
}
