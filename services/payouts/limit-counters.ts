// The counters of limits: what the payouts of an owner in a window come to, without fees. A counter
// serves every limit of the same owner, window, currency and method. Each change is a compare-and-set
// of the whole counter, and the changes of one process to it travel together; counters do not wait
// for one another.
//
// Payouts that were accepted before there was a limit, or by a process that did not know it yet, do
// not name its counter. They are the counter's base, which is read from the payouts themselves: again
// and again in the first seconds of a limit, for at most a twentieth of the time, and once after
// them. Later there are no more of them, and one that fails is given back to the base.
//
// A mark says what a payout does not say yet. It goes once the payout says it, so a counter stays
// small. A request that comes after that finds no mark: then the payout itself is asked, after the
// counter is read, because the write fails if a mark has gone meanwhile.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { PayoutLimit } from "../../shared/contracts/controls.ts";
import { fail } from "../../shared/errors.ts";
import { lowestIdAt } from "../../shared/ids.ts";
import { toMinor } from "../../shared/money.ts";
import { gatherPerKey } from "../../shared/resumable/gather.ts";
import { isDuplicate, MAJORITY } from "../../shared/storage/database.ts";
import type { LimitCounter, Mark } from "./limit-counter.model.ts";
import { EVERY_FLOW, EVERY_STATUS, OF_BUSINESS, OWN, type Payout } from "./payout.model.ts";

interface Window {
  /** Epoch ms; `to` is exclusive. */
  from: number;
  to: number;
}

/** The day or the month of a moment, in UTC. */
export function windowAt(per: "day" | "month", at: number): Window {
  const date = new Date(at);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return per === "day"
    ? { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
    : { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}

/** What a counter counts, and the limits that it serves. */
export interface Counting {
  counterId: string;
  window: Window;
  /** The payouts, beside the window. */
  filter: mongo.Filter<Payout>;
  /** The index that finds them. */
  hint: Record<string, 1 | -1>;
  limits: PayoutLimit[];
}

/** What a limit's counter counts at a moment; null for a limit of one payout. */
export function countingFor(
  limit: PayoutLimit,
  { businessId, entityId }: Pick<Payout, "businessId" | "entityId">,
  at: number,
): Counting | null {
  const { scope, method, currency, per } = limit;
  if (per === "payout") return null;
  const window = windowAt(per, at);
  const isOfBusiness = scope === "business";
  const owner = isOfBusiness ? { businessId } : { entityId };
  const day = new Date(window.from).toISOString().slice(0, 10);
  const counterId = [per, day, currency, method ?? "*", scope, ...Object.values(owner)].join(":");
  const listed = { ...owner, ...(isOfBusiness && { flow: EVERY_FLOW }), status: EVERY_STATUS };
  const filter = { ...listed, currency, ...(method !== undefined && { method }) };
  return { counterId, window, filter, hint: isOfBusiness ? OF_BUSINESS : OWN, limits: [limit] };
}

function windowOf(counterId: string): Window {
  const [per, day] = counterId.split(":") as ["day" | "month", string];
  return windowAt(per, Date.parse(day));
}

/** Whether the window of a counter is over: nothing that is given back changes it any more. */
export function isWindowOver(counterId: string, now: number): boolean {
  return windowOf(counterId).to <= now;
}

/** A limit that is reached, and what its counter has counted; in minor units. */
export interface Reached {
  limit: PayoutLimit;
  usedMinor: number;
  count: number;
  by: "amount" | "count";
}

/** Without an amount a limit allows any. */
export function maxMinorOf({ amount }: PayoutLimit): number {
  return amount === undefined ? Number.POSITIVE_INFINITY : (toMinor(Number(amount)) as number);
}

interface Money {
  payoutId: string;
  /** Without fees. */
  amountMinor: number;
}

export interface LimitCounters {
  /** Counts a payout, once. @returns the limit that forbids it; null if it is counted */
  count(counting: Counting, money: Money): Promise<Reached | null>;
  /** Gives a payout back, once. */
  giveBack(counterId: string, money: Money, counted: GivenBack): Promise<void>;
  /** The payout says itself what its mark says, so the mark goes with the next change. */
  forget(counterId: string, payoutId: string, mark: Mark): void;
  read(counting: Counting): Promise<Pick<Reached, "usedMinor" | "count">>;
}

/**
 * Where a payout is counted that has no mark: among the counted ones, because it says so; in the
 * base, because it does not name the counter; or nowhere.
 */
export type GivenBack = "counted" | "in base" | "not counted";

type Operation = { counterId: string } & (
  | ({ do: "count"; counting: Counting } & Money)
  | ({ do: "give back"; was: GivenBack } & Money)
);

const BATCH = { maxItems: 500 };
const TRIED_AT_MOST = 20;
/** The counters of which a process remembers marks to remove. */
const REMEMBERED_AT_MOST = 10_000;
/** A counter outlives its window, because a payout that has been given back stays marked. */
const KEPT_MS = 7 * 86_400_000;
/** Every process knows a limit by then, also by clocks that disagree by twenty seconds. */
const YOUNG_MS = 30_000;
/** The part of the time in which the base of a young limit is read. */
const READING_AT_MOST = 1 / 20;

export function createLimitCounters(
  stored: mongo.Collection<LimitCounter>,
  payouts: mongo.Collection<Payout>,
  clock: Clock,
): LimitCounters {
  /** The marks that go with the next change of their counter, by counter and payout. */
  const forgotten = new Map<string, Map<string, Mark>>();

  const operate = gatherPerKey(({ counterId }: Operation) => counterId, change, BATCH);

  /** Applies operations to their counter, in order. */
  async function change(
    counterId: string,
    operations: Operation[],
  ): Promise<(Reached | null | Error)[]> {
    for (let i = 0; i < TRIED_AT_MOST; i++) {
      const found = await stored.findOne({ _id: counterId }, MAJORITY);
      const counter = found ? { ...found, marks: { ...found.marks } } : newCounter(counterId);
      const counting = operations.find((each) => each.do === "count")?.counting;
      if (counting) Object.assign(counter, await readBase(counter, counting));
      const ended = await endedAmong(operations.filter(({ payoutId }) => !counter.marks[payoutId]));
      // A mark that this change reads stays until a later one.
      const asked = new Set(operations.map(({ payoutId }) => payoutId));
      const leaving = [...(forgotten.get(counterId) ?? [])].filter(([id]) => !asked.has(id));
      for (const [id, mark] of leaving) if (counter.marks[id] === mark) delete counter.marks[id];
      const results = operations.map((each) =>
        applyOrError(counter, each, ended.has(each.payoutId)),
      );
      if (!(await write(counter, found !== null))) continue;
      for (const [id] of leaving) forgotten.get(counterId)?.delete(id);
      return results;
    }
    return fail("UNAVAILABLE");
  }

  /** The payouts that have ended without a payment, so what they used was given back. */
  async function endedAmong(operations: Operation[]): Promise<Set<string>> {
    const ids = operations.map(({ payoutId }) => payoutId);
    if (ids.length === 0) return new Set();
    const isOver: mongo.Filter<Payout>[] = [{ step: "declined" }, { status: "FAILED" }];
    const ended = payouts.find({ _id: { $in: ids }, $or: isOver }, MAJORITY).project({ _id: 1 });
    return new Set((await ended.toArray()).map(({ _id }) => _id));
  }

  /** @returns whether it is written; another process may have been first */
  async function write({ v, ...counter }: LimitCounter, isThere: boolean): Promise<boolean> {
    const next = { ...counter, v: v + 1 };
    if (isThere) return (await stored.replaceOne({ _id: counter._id, v }, next)).matchedCount === 1;
    try {
      await stored.insertOne(next);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /** The payouts that do not name the counter, if they have to be read again. */
  async function readBase(
    { baseAt, baseMs, marks }: LimitCounter,
    { counterId, window: { from, to }, filter, hint, limits }: Counting,
  ): Promise<Partial<LimitCounter>> {
    const now = clock.now();
    const isOldAt = Math.max(...limits.map((limit) => limit.since)) + YOUNG_MS;
    const isRead = now < isOldAt && now < baseAt + baseMs / READING_AT_MOST;
    if (baseAt >= isOldAt || isRead) return {};
    const givenBack = Object.keys(marks).filter((id) => marks[id] === "out");
    const uncounted: mongo.Filter<Payout> = {
      ...filter,
      visible: true,
      _id: { $gte: lowestIdAt(from), $lt: lowestIdAt(to), $nin: givenBack },
      counted: { $ne: counterId },
      $or: [{ status: { $ne: "FAILED" } }, { "states.status": "SUCCESS" }],
    };
    const sums = { minor: { $sum: "$amountMinor" }, count: { $sum: 1 } };
    const [sum] = await payouts
      .aggregate<{ minor: number; count: number }>(
        [{ $match: uncounted }, { $group: { _id: null, ...sums } }],
        { ...MAJORITY, hint },
      )
      .toArray();
    const base = { baseMinor: sum?.minor ?? 0, baseCount: sum?.count ?? 0 };
    return { ...base, baseAt: now, baseMs: clock.now() - now };
  }

  function forget(counterId: string, payoutId: string, mark: Mark): void {
    const marks = forgotten.get(counterId) ?? new Map<string, Mark>();
    forgotten.set(counterId, marks.set(payoutId, mark));
    const [oldest] = forgotten.keys();
    // A mark that stays does no harm, and most counters of people never change again.
    if (forgotten.size > REMEMBERED_AT_MOST) forgotten.delete(oldest as string);
  }

  return {
    count: (counting, money) =>
      operate({ do: "count", counterId: counting.counterId, counting, ...money }),
    async giveBack(counterId, money, was) {
      await operate({ do: "give back", counterId, was, ...money });
    },
    forget,
    async read(counting) {
      const found = await stored.findOne({ _id: counting.counterId }, MAJORITY);
      const counter = found ?? newCounter(counting.counterId);
      return usedOf({ ...counter, ...(await readBase(counter, counting)) });
    },
  };
}

function newCounter(_id: string): LimitCounter {
  const base = { baseMinor: 0, baseCount: 0, baseAt: 0, baseMs: 0 };
  const expiresAt = new Date(windowOf(_id).to + KEPT_MS);
  return { _id, v: 0, usedMinor: 0, count: 0, marks: {}, ...base, expiresAt };
}

function usedOf({ usedMinor, baseMinor, count, baseCount }: LimitCounter) {
  return { usedMinor: usedMinor + baseMinor, count: count + baseCount };
}

function applyOrError(
  counter: LimitCounter,
  operation: Operation,
  hasEnded: boolean,
): Reached | null | Error {
  try {
    return apply(counter, operation, hasEnded);
  } catch (error) {
    return error as Error;
  }
}

/**
 * Applies an operation to a counter in memory; a repeated one changes nothing. A payout that was
 * given back is never counted again.
 */
function apply(counter: LimitCounter, operation: Operation, hasEnded: boolean): Reached | null {
  const { payoutId, amountMinor } = operation;
  const mark = counter.marks[payoutId];
  const isOut = mark === "out" || hasEnded;
  if (operation.do === "give back") {
    if (isOut) return null;
    const was = mark === "in" ? "counted" : operation.was;
    if (was === "counted") {
      counter.usedMinor -= amountMinor;
      counter.count -= 1;
    } else if (was === "in base" && counter.baseAt > 0) {
      counter.baseMinor -= amountMinor;
      counter.baseCount -= 1;
    }
    counter.marks[payoutId] = "out";
    return null;
  }
  if (isOut) return fail("UNAVAILABLE");
  if (mark === "in") return null;
  const reached = findReached(counter, operation);
  if (reached) return reached;
  counter.usedMinor += amountMinor;
  counter.count += 1;
  counter.marks[payoutId] = "in";
  return null;
}

/** The limit that a payout would exceed. */
function findReached(
  counter: LimitCounter,
  { counting: { limits }, amountMinor }: Extract<Operation, { do: "count" }>,
): Reached | null {
  const used = usedOf(counter);
  for (const limit of limits) {
    if (used.usedMinor + amountMinor > maxMinorOf(limit)) return { limit, ...used, by: "amount" };
    if (used.count >= (limit.count ?? Number.POSITIVE_INFINITY)) {
      return { limit, ...used, by: "count" };
    }
  }
  return null;
}
