// Transitions: the only way a payout changes. Each is one update of one document, compare-and-set on
// its version, with the event of a visible change in the same update: nobody sees a state whose event
// can be lost, and of two writers with the same version one loses. Gathered: a batch is one bulk write.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Status } from "../../shared/contracts/payouts.ts";
import { MAJORITY } from "../../shared/database.ts";
import { gather } from "../../shared/gather.ts";
import type { Entered, OutboxEntry, Payout } from "./payout.model.ts";

/** What may change; undefined takes a field away. */
type Settable = Pick<
  Payout,
  | "step"
  | "visible"
  | "walletId"
  | "slot"
  | "declined"
  | "railCode"
  | "failureReason"
  | "decidedBy"
  | "needsAttention"
  | "unknownSince"
>;

export interface Change {
  set: Partial<Settable>;
  /** Visible states entered, in order; each makes an event. */
  enter?: Status[];
  /**
   * When the payout is looked at again: "now" by whoever makes the change (by others after a lease,
   * should it die), after so many milliseconds by anybody, or "never".
   */
  next: "now" | "never" | number;
}

/** One update on its way to the database. */
export interface Write {
  id: string;
  v: number;
  writtenBy: string;
  update: mongo.UpdateFilter<Payout>;
}

/** How long a payout is left to whoever changed it last, in milliseconds: more than one rail call. */
export const LEASE_MS = 10_000;
/** When others hand over an outbox that its writer did not, in milliseconds. */
export const RELAY_LEASE_MS = 5_000;

const BATCH = { maxItems: 500 };

/** Writes transitions in batches; true where it was this very write that made the next version. */
export function gatherWrites(
  payouts: mongo.Collection<Payout>,
): (write: Write) => Promise<boolean> {
  return gather(async (writes: Write[]) => {
    const operations = writes.map(({ id, v, update }) => ({
      updateOne: { filter: { _id: id, v }, update },
    }));
    try {
      const { matchedCount } = await payouts.bulkWrite(operations, { ordered: false });
      if (matchedCount === writes.length) return writes.map(() => true);
    } catch {
      // What was stored is read back; what does not show has to be tried again by its writer.
    }
    return readBack(payouts, writes);
  }, BATCH);
}

/** A bulk write does not tell which of its updates matched: the documents do. */
async function readBack(payouts: mongo.Collection<Payout>, writes: Write[]): Promise<boolean[]> {
  const found = await payouts
    .find({ _id: { $in: writes.map(({ id }) => id) } }, MAJORITY)
    .project<Pick<Payout, "_id" | "writtenBy">>({ writtenBy: 1 })
    .toArray();
  const writers = new Map(found.map(({ _id, writtenBy }) => [_id, writtenBy]));
  return writes.map(({ id, writtenBy }) => writers.get(id) === writtenBy);
}

export interface Writer {
  clock: Clock;
  newId(): string;
  write(write: Write): Promise<boolean>;
}

/**
 * Changes a payout.
 * @returns the payout as it is now; null where somebody else changed it first, or where it is not
 *   known: read it again
 */
export async function transition(
  { clock, newId, write }: Writer,
  payout: Payout,
  change: Change,
): Promise<Payout | null> {
  const now = clock.now();
  const writtenBy = newId();
  const entered = enteredBy(payout, change, now, newId);
  const scheduled: Partial<Payout> = {
    ...change.set,
    nextAttemptAt: nextAttemptAt(change, now),
    ...(entered.length > 0 && {
      status: (entered.at(-1) as OutboxEntry).status,
      relayAt: now + RELAY_LEASE_MS,
    }),
  };
  const $set: Record<string, unknown> = { v: payout.v + 1, writtenBy };
  const $unset: Record<string, ""> = {};
  for (const [field, value] of Object.entries(scheduled)) {
    if (value !== undefined) $set[field] = value;
    else if (Object.hasOwn(payout, field)) $unset[field] = "";
  }
  const by = change.set.decidedBy ?? payout.decidedBy;
  const states: Entered[] = entered.map(({ status, at }) => ({ status, at, ...(by && { by }) }));
  const update = {
    $set,
    ...(Object.keys($unset).length > 0 && { $unset }),
    ...(entered.length > 0 && {
      $push: { states: { $each: states }, outbox: { $each: entered } },
    }),
  };
  const won = await write({ id: payout._id, v: payout.v, writtenBy, update });
  if (!won) return null;
  const changed: Payout = { ...payout, ...$set };
  for (const field of Object.keys($unset)) delete changed[field as keyof Payout];
  changed.states = [...payout.states, ...states];
  changed.outbox = [...payout.outbox, ...entered];
  return changed;
}

function enteredBy(
  { states }: Payout,
  { enter = [] }: Change,
  at: number,
  newId: () => string,
): OutboxEntry[] {
  return enter.map((status, i) => ({ id: newId(), seq: states.length + 1 + i, status, at }));
}

function nextAttemptAt({ next }: Change, now: number): number | undefined {
  if (next === "never") return undefined;
  return now + (next === "now" ? LEASE_MS : next);
}
