// Reads and appends to usage logs (usage.model.ts). Entries of one log that come together in one
// process are one write. Between processes the unique places of the log decide, and the losing
// writer reads again.

import type { mongo } from "mongoose";
import { gather, gatherPerKey, gatherWrites } from "../../../shared/resumable/gather.ts";
import { runInsert, runUpdate } from "../../../shared/storage/commands.ts";
import { isDuplicate, MAJORITY } from "../../../shared/storage/database.ts";
import { gatherInserts } from "../../../shared/storage/insert-all.ts";
import type { Subscription } from "./subscription.model.ts";
import type { PeriodUsage, UsageEntry } from "./usage.model.ts";
import { entriesAfter, NONE, type Wanted } from "./usage-entries.ts";

type Log = mongo.Collection<UsageEntry>;

/**
 * Appends an entry.
 * @returns the entry; null if another writer came first: the caller looks for an equal entry, and
 *   tries again
 * @throws USAGE_NOT_TAKEN if the last period is closed; CHARGE_BOUND
 */
export type AppendUsage = (wanted: Wanted) => Promise<UsageEntry | null>;

const BATCH = { maxItems: 500 };

export function gatherUsage(
  log: Log,
  subscriptions: mongo.Collection<Subscription>,
  newId: () => string,
): AppendUsage {
  const findLast = gather(async (ids: string[]) => {
    const last = await lastEntries(log, ids);
    return ids.map((id) => last.get(id) ?? null);
  }, BATCH);
  const insertSingle = gatherInserts(log);
  const markEnd = gatherWrites(
    (ends: UsageEntry[]) =>
      runUpdate(
        subscriptions,
        ends.map(({ subscriptionId, seq }) => ({
          filter: { _id: subscriptionId },
          update: { $max: { usageEntries: seq + 1 } },
        })),
      ),
    BATCH,
  );

  /**
   * Inserts entries of one log in order. Logs that get one entry share an insert, because at
   * midnight the periods of many subscriptions are closed.
   * @returns how many entries from the front are stored; a place or a reference was taken after
   *   them
   * @throws if that is unknown
   */
  async function insert(entries: UsageEntry[]): Promise<number> {
    const [first, ...others] = entries;
    if (!first) return 0;
    if (others.length === 0) return (await insertSingle(first)) === "inserted" ? 1 : 0;
    const [refusal] = await runInsert(log, entries, { ordered: true });
    if (!refusal) return entries.length;
    if (!isDuplicate(refusal)) throw refusal;
    return refusal.index;
  }

  return gatherPerKey(
    ({ subscription }: Wanted) => subscription._id,
    async (subscriptionId, all) => {
      const made = entriesAfter(await findLast(subscriptionId), all, newId);
      const entries = made.filter((each): each is UsageEntry => each !== null && "seq" in each);
      const stored = await insert(entries);
      const end = entries[stored - 1];
      // The subscription has the length of its log before the entries are acknowledged, so that
      // verification notices a log that loses its last entries. If this fails, the caller repeats
      // its request.
      if (end) await markEnd(end);
      // The entries after one that is not stored were computed with it.
      const lost = entries[stored];
      const valid = lost ? made.indexOf(lost) : made.length;
      return made.map((each, i) => (i < valid ? each : null));
    },
    BATCH,
  );
}

/** The usage of a period: so far, or at its closing. */
export async function readUsage(
  log: Log,
  subscriptionId: string,
  period: number,
): Promise<PeriodUsage> {
  const last = await lastEntry(log, subscriptionId);
  if (!last) return NONE;
  const isOpen = last.open !== null && last.open <= period;
  if (isOpen) return last.periods[period] ?? NONE;
  const closed = await log.findOne({ subscriptionId, closes: period }, MAJORITY);
  if (closed?.closed) return closed.closed;
  throw new Error(`Period ${period} of ${subscriptionId} was never closed`);
}

/** The last entry of each log. The scan jumps from log to log, and reads no other entry. */
async function lastEntries(log: Log, ids: string[]): Promise<Map<string, UsageEntry>> {
  const found = log.aggregate<{ _id: string; last: UsageEntry }>(
    [
      { $match: { subscriptionId: { $in: ids } } },
      { $sort: { subscriptionId: -1, seq: -1 } },
      { $group: { _id: "$subscriptionId", last: { $first: "$$ROOT" } } },
    ],
    MAJORITY,
  );
  return new Map((await found.toArray()).map(({ _id, last }) => [_id, last]));
}

function lastEntry(log: Log, subscriptionId: string): Promise<UsageEntry | null> {
  return log.findOne({ subscriptionId }, { ...MAJORITY, sort: { seq: -1 } });
}
