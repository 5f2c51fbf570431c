// What operators have stopped, as every process knows it: a copy in memory of all stopped businesses,
// wallets and people, which follows the changes that accounts stores. So a check is a lookup, and
// costs the hot path nothing.
//
// A stop holds within five seconds of its answer, over all processes: a process asks for the changes
// each second, and what it has read is good for four seconds. If accounts does not answer for that
// long, the process knows nothing: whoever asks is told so, and does not go on. A change is told
// again for half a minute, because it may be stored after a later one, and one that a majority does
// not have yet is not told. An answer may be older than one that came before it, so only a later
// change of a control counts. A clock that is put back puts off no reading: the readings are counted
// in intervals, and what was read at a later time is not known any more.

import { type Clock, LATE } from "../clock.ts";
import type { Params, Result } from "../contracts/contracts.ts";
import type { Control, PayoutLimit } from "../contracts/controls.ts";
import { type ErrorType, fail } from "../errors.ts";
import { startSweep } from "../resumable/sweeps.ts";

export type ReadControls = (
  asked: Params<"accounts.changedControls">,
) => Promise<Result<"accounts.changedControls">>;

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
  /** Waits for a while until this process knows, and throws what refuses the undertaking. */
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
const GOOD_FOR_MS = 4_000;
const TOLD_AGAIN_MS = 30_000;
const AWAITED_MS = 1_500;
/** Each process reads for itself. */
const ALWAYS = { everyMs: EVERY_MS, isOwn: () => true };

/** Follows the changes until it is stopped. */
export function followControls({
  clock,
  read,
  onError,
  onReleased = () => {},
}: {
  clock: Clock;
  read: ReadControls;
  onError(error: unknown): void;
  /** Is called when a stop has ended. */
  onReleased?(control: Control): void;
}): Controls {
  const stopped = new Map<string, Control>();
  const limited = new Map<string, readonly PayoutLimit[]>();
  /** The changes that were told already, by id. */
  const told = new Map<string, number>();
  let latest = 0;
  /** When the last whole reading began; epoch ms. */
  let readAt = Number.NEGATIVE_INFINITY;
  let known = Promise.withResolvers<void>();

  async function round(): Promise<undefined> {
    const begunAt = clock.now();
    let since = Math.max(0, latest - TOLD_AGAIN_MS);
    let after: string | undefined;
    for (let isWhole = false; !isWhole; ) {
      const page = await read({ since, ...(after !== undefined && { after }) });
      for (const control of page.controls) note(control);
      const last = page.controls.at(-1);
      if (last) ({ changedAt: since, id: after } = last);
      isWhole = page.isWhole;
    }
    readAt = begunAt;
    known.resolve();
    known = Promise.withResolvers();
  }

  function note(control: Control): void {
    const { id, status = "ACTIVE", frozen, limits = [], changedAt } = control;
    if (changedAt <= (told.get(id) ?? 0)) return;
    latest = Math.max(latest, changedAt);
    if (limits.length > 0) limited.set(id, limits);
    else limited.delete(id);
    if (frozen ?? status !== "ACTIVE") {
      stopped.set(id, control);
    } else {
      stopped.delete(id);
      onReleased(control);
    }
    told.set(id, changedAt);
  }

  const isKnown = () => Math.abs(clock.now() - readAt) < GOOD_FOR_MS;
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

  const sweep = startSweep({ clock, turns: ALWAYS, round, onError });
  return {
    find,
    async refuse(what, subject) {
      if (!isKnown() && (await clock.within(known.promise, AWAITED_MS)) === LATE) {
        return fail("UNAVAILABLE");
      }
      const refused = find(what, subject);
      if (refused) fail(refused);
    },
    isQuiet: () => isKnown() && stopped.size === 0,
    isFrozen,
    limitsOf: (businessId) => (isKnown() ? lastLimitsOf(businessId) : fail("UNAVAILABLE")),
    lastLimitsOf,
    stop: () => sweep.stop(),
  };
}
