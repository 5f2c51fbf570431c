// Reads and appends to usage logs (usage.model.ts). Entries of one process that come together share
// a write: all entries of one log, and single entries of many logs. Between processes the unique
// places of the log decide, and the losing writer reads again.

import type { mongo } from "mongoose";
import { fail } from "../../../shared/errors.ts";
import { gather } from "../../../shared/resumable/gather.ts";
import { runInsert, runUpdate } from "../../../shared/storage/commands.ts";
import { isDuplicate, MAJORITY } from "../../../shared/storage/database.ts";
import { insertAll } from "../../../shared/storage/insert-all.ts";
import { isChargeable } from "../links/charge-amounts.ts";
import { sumLines, usageLines } from "./invoice-lines.ts";
import { periodAt } from "./periods.ts";
import type { Plan } from "./plan.ts";
import type { Subscription } from "./subscription.model.ts";
import type { PeriodUsage, UsageEntry } from "./usage.model.ts";

type Log = mongo.Collection<UsageEntry>;

export interface Used {
  subscription: Subscription;
  reference: string;
  /** Millionths. */
  units: bigint;
  /** Epoch ms, by the business's clock; not before the anchor. */
  at: number;
}

/** A period to close; after the last one no usage is taken any more. */
export interface Closing {
  subscription: Subscription;
  period: number;
  isLast: boolean;
}

type Wanted = Used | Closing;

/**
 * Appends an entry.
 * @returns the entry; null if another writer came first: the caller looks for an equal entry, and
 *   tries again
 * @throws USAGE_NOT_TAKEN if the last period is closed; CHARGE_BOUND
 */
export type AppendUsage = (wanted: Wanted) => Promise<UsageEntry | null>;

const MOST_AT_ONCE = 500;

export function gatherUsage(
  log: Log,
  subscriptions: mongo.Collection<Subscription>,
  newId: () => string,
): AppendUsage {
  return gather<Wanted, UsageEntry | null>(
    async (batch) => {
      const groups = [...Map.groupBy(batch, ({ subscription }) => subscription._id)];
      const last = await lastEntries(
        log,
        groups.map(([subscriptionId]) => subscriptionId),
      );
      const additions = groups.map(([id, group]) =>
        makeAddition(last.get(id) ?? null, group, newId),
      );
      const inserted = await insertAdditions(log, additions);
      await markEnds(subscriptions, additions, inserted);
      const outcomes = new Map<Wanted, UsageEntry | Error | null>();
      for (const [i, addition] of additions.entries()) {
        const results = resolveOutcomes(addition, inserted[i] as number | Error);
        for (const [k, wanted] of addition.group.entries())
          outcomes.set(wanted, results[k] ?? null);
      }
      return batch.map((wanted) => outcomes.get(wanted) ?? null) as (UsageEntry | Error)[];
    },
    { maxItems: MOST_AT_ONCE },
  );
}

/**
 * Writes the length of each log into its subscription before the entries are acknowledged, so that
 * verification notices a log that loses its last entries. If this fails, the caller repeats its
 * request.
 */
async function markEnds(
  subscriptions: mongo.Collection<Subscription>,
  additions: Addition[],
  inserted: (number | Error)[],
): Promise<void> {
  const marks = additions.flatMap(({ entries }, i) => {
    const last = entries[Number(inserted[i]) - 1];
    if (!last) return [];
    const update = { $max: { usageEntries: last.seq + 1 } };
    return [{ filter: { _id: last.subscriptionId }, update }];
  });
  if (marks.length > 0) await runUpdate(subscriptions, marks);
}

interface Addition {
  group: Wanted[];
  /** For each of the group its entry, the error that refuses it, or null if another came first. */
  made: (UsageEntry | Error | null)[];
  /** The entries in `made`, in order. */
  entries: UsageEntry[];
}

function makeAddition(last: UsageEntry | null, group: Wanted[], newId: () => string): Addition {
  const entries: UsageEntry[] = [];
  const made = group.map((wanted) => {
    try {
      const entry = entryAfter(entries.at(-1) ?? last, wanted, newId());
      if (entry) entries.push(entry);
      return entry;
    } catch (error) {
      return error as Error;
    }
  });
  return { group, made, entries };
}

/**
 * Inserts the entries of each log in order. Logs that get one entry share an insert, because at
 * midnight the periods of many subscriptions are closed.
 * @returns for each log how many entries from the front are stored; an Error if that is unknown
 */
async function insertAdditions(log: Log, additions: Addition[]): Promise<(number | Error)[]> {
  const single = additions.flatMap(({ entries }) => (entries.length === 1 ? entries : []));
  const results = await insertAll(log, single);
  const inserted = new Map(single.map((entry, i) => [entry, results[i]]));
  return Promise.all(
    additions.map(async ({ entries }) => {
      const result = entries.length === 1 && inserted.get(entries[0] as UsageEntry);
      if (result instanceof Error) return result;
      return result ? Number(result === "inserted") : insertInOrder(log, entries);
    }),
  );
}

/** @returns for each its entry, the error that refuses it, or null if another writer came first */
function resolveOutcomes({ made, entries }: Addition, inserted: number | Error): Addition["made"] {
  if (inserted instanceof Error) return made.map(() => inserted);
  const lost = entries[inserted];
  // The entries after one that is not stored were computed with it.
  const valid = lost ? made.indexOf(lost) : made.length;
  return made.map((each, i) => (i < valid ? each : null));
}

/**
 * @returns how many entries from the front are stored; a place or a reference was taken after them
 */
async function insertInOrder(log: Log, entries: UsageEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const [refusal] = await runInsert(log, entries, { ordered: true });
  if (!refusal) return entries.length;
  if (!isDuplicate(refusal)) throw refusal;
  return refusal.index;
}

const BEFORE_ALL: Pick<UsageEntry, "seq" | "open" | "periods"> = { seq: -1, open: 0, periods: {} };

/** @returns null if the period is closed already */
function entryAfter(last: UsageEntry | null, wanted: Wanted, id: string): UsageEntry | null {
  const { subscription } = wanted;
  const { seq, open, periods } = last ?? BEFORE_ALL;
  const place = {
    _id: id,
    subscriptionId: subscription._id,
    businessId: subscription.businessId,
    seq: seq + 1,
  };
  if ("isLast" in wanted) return closingEntry(place, wanted, { open, periods });
  if (open === null) return fail("USAGE_NOT_TAKEN");
  const { reference, units, at } = wanted;
  const own = periodAt(subscription, at);
  const period = Math.max(own, open);
  const isLate = own < open;
  const used = { units: String(units), late: String(isLate ? units : 0n) };
  const counted = addUsage(periods[period] ?? NONE, used);
  checkBound(subscription.plan, counted);
  const entry = { reference, units: String(units), at, period, isLate };
  return { ...place, open, periods: { ...periods, [period]: counted }, ...entry };
}

function closingEntry(
  place: Pick<UsageEntry, "_id" | "subscriptionId" | "businessId" | "seq">,
  { period, isLast }: Closing,
  { open, periods }: Pick<UsageEntry, "open" | "periods">,
): UsageEntry | null {
  if (open === null || open > period) return null;
  if (open < period) throw new Error(`Period ${open} of ${place.subscriptionId} is not closed yet`);
  const closed = periods[period] ?? NONE;
  const { [period]: _closed, ...later } = periods;
  const rest = isLast ? { open: null, periods: {} } : { open: period + 1, periods: later };
  return { ...place, ...rest, closes: period, closed };
}

/** @throws CHARGE_BOUND if the invoice of the usage would exceed the largest charge */
function checkBound(plan: Plan, usage: PeriodUsage): void {
  if (!isChargeable(plan, sumLines(usageLines(plan, usage)))) fail("CHARGE_BOUND");
}

const NONE: PeriodUsage = { units: "0", late: "0" };

function addUsage(one: PeriodUsage, other: PeriodUsage): PeriodUsage {
  const sum = (name: keyof PeriodUsage) => String(BigInt(one[name]) + BigInt(other[name]));
  return { units: sum("units"), late: sum("late") };
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
