// Transitions: the only way a payout changes. Each is one update of one document, compare-and-set on
// its version, with the event of a visible change in the same update: nobody sees a state whose event
// can be lost, and of two writers with the same version one loses.
//
// They are gathered, and those of a batch that change the same from the same version are one
// statement: that halves what an update costs the database.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Status } from "../../shared/contracts/payouts.ts";
import { MAJORITY } from "../../shared/database.ts";
import { gather } from "../../shared/gather.ts";
import type { Entered, Payout } from "./payout.model.ts";

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
  /** Visible states entered, in order; each is an event. */
  enter?: Status[];
  /**
   * When the payout is looked at again: "now" by whoever makes the change (by others after a lease,
   * should it die), after so many milliseconds by anybody, or "never".
   */
  next: "now" | "never" | number;
  /** Whoever makes the change comes back in time by itself; others after the lease. */
  isKept?: boolean;
}

/**
 * Changes a payout.
 * @returns the payout as it is now; null where somebody else changed it first, or where that is not
 *   known: read it again
 */
export type Transition = (payout: Payout, change: Change) => Promise<Payout | null>;

/** How long a payout is left to whoever drives it, in milliseconds: more than one rail call. */
export const LEASE_MS = 10_000;
/** When others hand over an outbox that its driver did not, in milliseconds. */
export const RELAY_LEASE_MS = 10_000;

const BATCH = { maxItems: 500 };

/** What a change comes to, the same for all payouts of a statement. */
interface Update {
  $set: Partial<Payout>;
  $unset: Partial<Record<keyof Payout, "">>;
  states: Entered[];
}

interface Statement {
  ids: Set<string>;
  v: number;
  update: Update;
  /** How its writer finds its own work. */
  writtenBy: string;
}

export function gatherTransitions(
  payouts: mongo.Collection<Payout>,
  clock: Clock,
  newId: () => string,
): Transition {
  const run = gather(async (items: { payout: Payout; change: Change }[]) => {
    const now = clock.now();
    const statements = new Map<string, Statement>();
    const places = items.map(({ payout, change }) => {
      const update = updateOf(payout, change, now);
      return placeIn(statements, payout, update, newId);
    });
    const isWritten = await write(payouts, [...statements.values()], items.length);
    return items.map(({ payout }, i) => {
      const statement = places[i] as Statement;
      return isWritten(payout._id, statement) ? changed(payout, statement) : null;
    });
  }, BATCH);
  return (payout, change) => run({ payout, change });
}

function updateOf(payout: Payout, { set, enter = [], next, isKept }: Change, now: number): Update {
  const by = set.decidedBy ?? payout.decidedBy;
  const states = enter.map((status) => ({ status, at: now, ...(by && { by }) }));
  const wanted: Partial<Payout> = {
    ...set,
    v: payout.v + 1,
    // Webhooks may have acknowledged some since the payout was read.
    relayed: payout.relayed,
    relayAt: relayAt(payout, states.length, now),
    nextAttemptAt: nextAttemptAt(next, isKept === true, now),
  };
  const entered = states.at(-1);
  if (entered) wanted.status = entered.status;
  const update: Update = { $set: {}, $unset: {}, states };
  for (const [field, value] of Object.entries(wanted)) {
    if (value !== undefined) Object.assign(update.$set, { [field]: value });
    else if (Object.hasOwn(payout, field)) Object.assign(update.$unset, { [field]: "" });
  }
  return update;
}

function relayAt(
  { states, relayed, relayAt: at }: Payout,
  entering: number,
  now: number,
): number | undefined {
  if (relayed === states.length + entering) return undefined;
  return relayed < states.length && at !== undefined ? at : now + RELAY_LEASE_MS;
}

function nextAttemptAt(next: Change["next"], isKept: boolean, now: number): number | undefined {
  if (next === "never") return undefined;
  if (next === "now") return now + LEASE_MS;
  return now + next + (isKept ? LEASE_MS : 0);
}

/** The statement that makes this update of this version; a payout is in it once. */
function placeIn(
  statements: Map<string, Statement>,
  { _id }: Payout,
  update: Update,
  newId: () => string,
): Statement {
  let key = JSON.stringify(update);
  while (statements.get(key)?.ids.has(_id)) key += "+";
  const found = statements.get(key);
  const v = (update.$set.v as number) - 1;
  const statement = found ?? { ids: new Set(), v, update, writtenBy: newId() };
  statement.ids.add(_id);
  statements.set(key, statement);
  return statement;
}

/** @returns whether a payout was changed by a statement */
async function write(
  payouts: mongo.Collection<Payout>,
  statements: Statement[],
  count: number,
): Promise<(id: string, statement: Statement) => boolean> {
  const operations = statements.map(({ ids, v, update, writtenBy }) => ({
    updateMany: {
      filter: { _id: { $in: [...ids] }, v },
      update: {
        $set: { ...update.$set, writtenBy },
        ...(Object.keys(update.$unset).length > 0 && { $unset: update.$unset }),
        ...(update.states.length > 0 && { $push: { states: { $each: update.states } } }),
      },
    },
  }));
  try {
    const { matchedCount } = await payouts.bulkWrite(operations, { ordered: false });
    if (matchedCount === count) return () => true;
  } catch {
    // What was stored is read back; what does not show has to be tried again by its writer.
  }
  const ids = statements.flatMap((statement) => [...statement.ids]);
  const writers = await readWriters(payouts, ids);
  return (id, { writtenBy }) => writers.get(id) === writtenBy;
}

/** A bulk write does not tell which documents matched: they do. */
async function readWriters(
  payouts: mongo.Collection<Payout>,
  ids: string[],
): Promise<Map<string, string>> {
  const found = await payouts
    .find({ _id: { $in: ids } }, MAJORITY)
    .project<Pick<Payout, "_id" | "writtenBy">>({ writtenBy: 1 })
    .toArray();
  return new Map(found.map(({ _id, writtenBy }) => [_id, writtenBy]));
}

function changed(payout: Payout, { update, writtenBy }: Statement): Payout {
  const after: Payout = { ...payout, ...update.$set, writtenBy };
  for (const field of Object.keys(update.$unset)) delete after[field as keyof Payout];
  after.states = [...payout.states, ...update.states];
  return after;
}
