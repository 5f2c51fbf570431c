// What operators have stopped, as every process knows it: a copy in memory of all stopped businesses,
// wallets and people, which follows the changes that accounts stores. So a check is a lookup, and
// costs the hot path nothing.
//
// A stop holds within five seconds of its answer, over all processes: a process asks for the changes
// each second, and what it has read is good for four seconds. If accounts does not answer for that
// long, the process knows nothing: whoever asks is told so, and does not go on. These times are of a
// clock that nobody sets, so a clock that is put back neither puts off a reading nor keeps an old one.
//
// A change may be stored after a later one, and one that a majority does not have yet is not told. So
// the changes of half a minute are told again, for that long after the latest one. An answer may be
// older than one that came before it, so only a later change of a control counts. No control is ever
// deleted.

import type { Logger, ServiceBroker } from "moleculer";
import type { Clock } from "../clock.ts";
import type { Params, Result } from "../contracts/contracts.ts";
import type { Control, PayoutLimit } from "../contracts/controls.ts";
import { type ErrorType, fail } from "../errors.ts";
import { call, nodesServing } from "./actions.ts";

export type ReadControls = (
  asked: Params<"accounts.changedControls">,
) => Promise<Result<"accounts.changedControls">>;

/** Asks accounts once a node serves it, because the broker logs each call that no node serves. */
export function askAccounts(broker: ServiceBroker): ReadControls {
  const action = "accounts.changedControls";
  const isServed = () => nodesServing(broker, action).length > 0;
  return async (asked) => (isServed() ? call(broker, action, asked) : fail("UNAVAILABLE"));
}

/** Whose money moves, or who acts. */
export interface Subject {
  businessId: string;
  entityId?: string;
  walletId?: string;
}

/** What is to be done, and which stops forbid it. */
export type Undertaking = "payout" | "transfer" | "collection" | "change";

export interface Controls {
  /**
   * The error that refuses an undertaking; null if nothing stops it.
   * @throws UNAVAILABLE if this process does not know
   */
  find(what: Undertaking, subject: Subject): ErrorType | null;
  /** Waits for a while until this process knows. @throws UNAVAILABLE if it still does not */
  known(): Promise<void>;
  /** Throws what refuses an undertaking, once this process knows. */
  refuse(what: Undertaking, subject: Subject): Promise<void>;
  /** Whether this process knows of no stop, and need not ask whose business it is. */
  isQuiet(): boolean;
  isFrozen(id: string): boolean;
  /** The limits of what a business pays out. @throws UNAVAILABLE if this process does not know */
  limitsOf(businessId: string): readonly PayoutLimit[];
  /** The same as this process has known them last. */
  lastLimitsOf(businessId: string): readonly PayoutLimit[];
  stop(): Promise<void>;
}

const EVERY_MS = 1_000;
/** After a reading without an answer, because accounts may have just come up. */
const AGAIN_MS = 200;
const GOOD_FOR_MS = 4_000;
const TOLD_AGAIN_MS = 30_000;
/** The next reading begins and ends within this time, if accounts answers at all. */
const AWAITED_MS = 3_000;
/** The services of a system that starts know of each other within this time. */
const STARTED_WITHIN_MS = 10_000;

/** Follows the changes until it is stopped. */
export function followControls({
  clock,
  read,
  log,
  onReleased = () => {},
}: {
  clock: Clock;
  read: ReadControls;
  log: Pick<Logger, "warn">;
  /** Is called when a stop has ended. */
  onReleased?(control: Control): void;
}): Controls {
  const stopped = new Map<string, Control>();
  const limited = new Map<string, readonly PayoutLimit[]>();
  /** The changes that were told already, by id. */
  const told = new Map<string, number>();
  /** The time of the latest change, epoch ms, and when it was told first, by `elapsed`. */
  let latest = { changedAt: 0, toldAt: Number.NEGATIVE_INFINITY };
  /** The changes from here on are read next; epoch ms. */
  let from = 0;
  /** Until when what was read is good, and from when its lack is logged; by `elapsed`. */
  let goodUntil = Number.NEGATIVE_INFINITY;
  let lateFrom = clock.elapsed() + STARTED_WITHIN_MS;
  let reading = Promise.withResolvers<void>();
  const stopping = new AbortController();

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      const begunAt = clock.elapsed();
      let nextAt = begunAt + EVERY_MS;
      try {
        await readChanges();
        const isRecent = begunAt - latest.toldAt < TOLD_AGAIN_MS;
        from = Math.max(0, latest.changedAt - (isRecent ? TOLD_AGAIN_MS : 0));
        goodUntil = begunAt + GOOD_FOR_MS;
        lateFrom = goodUntil;
        reading.resolve();
        reading = Promise.withResolvers();
      } catch (error) {
        nextAt = begunAt + AGAIN_MS;
        if (clock.elapsed() >= lateFrom) {
          lateFrom = Number.POSITIVE_INFINITY;
          log.warn("What is stopped is not known until accounts answers", error);
        }
      }
      await clock.sleep(Math.max(0, nextAt - clock.elapsed()), stopping.signal);
    }
  }

  async function readChanges(): Promise<void> {
    let since = from;
    let after: string | undefined;
    for (let isWhole = false; !isWhole; ) {
      const page = await read({ since, ...(after !== undefined && { after }) });
      for (const control of page.controls) note(control);
      const last = page.controls.at(-1);
      if (last) ({ changedAt: since, id: after } = last);
      isWhole = page.isWhole;
    }
  }

  function note(control: Control): void {
    const { id, status = "ACTIVE", frozen, limits = [], changedAt } = control;
    if (changedAt <= (told.get(id) ?? 0)) return;
    if (changedAt > latest.changedAt) latest = { changedAt, toldAt: clock.elapsed() };
    if (limits.length > 0) limited.set(id, limits);
    else limited.delete(id);
    // A business is an entity too, so its control may have both, and one may end before the other.
    if (frozen || status !== "ACTIVE") stopped.set(id, control);
    else stopped.delete(id);
    if (frozen === false || control.status === "ACTIVE") onReleased(control);
    told.set(id, changedAt);
  }

  const isKnown = () => clock.elapsed() < goodUntil;
  const isFrozen = (id: string | undefined) => id !== undefined && stopped.get(id)?.frozen === true;

  function find(what: Undertaking, { businessId, entityId, walletId }: Subject): ErrorType | null {
    if (!isKnown()) return fail("UNAVAILABLE");
    if (stopped.size === 0) return null;
    const status = stopped.get(businessId)?.status;
    if (what === "collection") {
      return status === "FROZEN" || status === "COLLECTIONS_PAUSED" ? "COLLECTIONS_PAUSED" : null;
    }
    if (status === "FROZEN") return "BUSINESS_FROZEN";
    if (what === "change") return null;
    if (isFrozen(entityId)) return "ENTITY_FROZEN";
    if (isFrozen(walletId)) return "WALLET_FROZEN";
    return what === "payout" && status === "PAYOUTS_PAUSED" ? "PAYOUTS_PAUSED" : null;
  }

  const lastLimitsOf = (businessId: string) => limited.get(businessId) ?? [];

  async function known(): Promise<void> {
    if (!isKnown()) await clock.within(reading.promise, AWAITED_MS);
    if (!isKnown()) fail("UNAVAILABLE");
  }

  const ended = follow();
  return {
    find,
    known,
    async refuse(what, subject) {
      await known();
      const refused = find(what, subject);
      if (refused) fail(refused);
    },
    isQuiet: () => isKnown() && stopped.size === 0,
    isFrozen,
    limitsOf: (businessId) => (isKnown() ? lastLimitsOf(businessId) : fail("UNAVAILABLE")),
    lastLimitsOf,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
