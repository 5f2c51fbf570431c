// The limits of withdrawals: the number that is accepted in a window, and the number of declines
// for lack of funds. A place in the rate limit is a field of the payout (`slot`), unique for its
// entity while it is set. The insert takes the place, over all replicas. The update that declines
// the payout frees it. A holder that is older than the window loses its place to the next payout
// that needs it.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import type { RateLimit } from "../../shared/config/env-values.ts";
import type { RateLimitState } from "../../shared/contracts/payouts.ts";
import { fail } from "../../shared/errors.ts";
import { creationTime, lowestIdAt } from "../../shared/ids.ts";
import { gather } from "../../shared/resumable/gather.ts";
import { runUpdate } from "../../shared/storage/commands.ts";
import { MAJORITY } from "../../shared/storage/database.ts";
import { insertAll } from "../../shared/storage/insert-all.ts";
import { DECLINES, type Payout } from "./payout.model.ts";

/** A payout that has a place; its id holds its age. */
export interface Holder {
  id: string;
  slot: number;
}

/** How much of its limits an entity has used. */
export interface LimitUse {
  holders: Holder[];
  /** Ids of the payouts declined for funds within the window. */
  declines: string[];
}

const BATCH = { maxItems: 500 };
/** Nothing limits the payouts that a merchant makes itself. */
export const NO_LIMITS = { withdrawalLimit: null, declineLimit: null };
export const nothingUsed = (): LimitUse => ({ holders: [], declines: [] });

/** Reads for many entities together how much of their limits they have used. */
export function gatherLimitUse(
  payouts: mongo.Collection<Payout>,
  clock: Clock,
  { withdrawalLimit, declineLimit }: Pick<Config, "withdrawalLimit" | "declineLimit">,
): (entityId: string) => Promise<LimitUse> {
  const read = gather(async (entityIds: string[]) => {
    const use = new Map(entityIds.map((id) => [id, nothingUsed()]));
    const ofEntities = { entityId: { $in: [...use.keys()] } };
    const [holders, declines] = await Promise.all([
      withdrawalLimit ? find({ ...ofEntities, slot: { $exists: true } }) : [],
      // Without the hint the planner may read all payouts of the window.
      declineLimit
        ? find({ ...ofEntities, ...declinesSince(declineLimit, clock) }, { hint: DECLINES })
        : [],
    ]);
    for (const { _id: id, entityId, slot } of holders) {
      use.get(entityId)?.holders.push({ id, slot: slot as number });
    }
    for (const { _id: id, entityId } of declines) use.get(entityId)?.declines.push(id);
    return entityIds.map((id) => use.get(id) as LimitUse);
  }, BATCH);

  function find(filter: mongo.Filter<Payout>, options: mongo.FindOptions = {}) {
    return payouts
      .find(filter, { ...MAJORITY, ...options })
      .project<Pick<Payout, "_id" | "entityId" | "slot">>({ entityId: 1, slot: 1 })
      .toArray();
  }

  return withdrawalLimit || declineLimit ? read : () => Promise.resolve(nothingUsed());
}

function declinesSince({ windowMs }: RateLimit, clock: Clock): mongo.Filter<Payout> {
  const since = lowestIdAt(clock.now() - windowMs);
  return { declined: "funds", byMerchant: { $exists: false }, _id: { $gte: since } };
}

/** A place that may be taken, and the overdue holder that loses it; no slot without a limit. */
export interface Slot {
  slot?: number;
  evict?: Holder;
}

/**
 * The places that an entity may take, the free ones before those of overdue holders.
 * @param id the payout's; it varies the first place, so that concurrent payouts seldom collide
 * @throws RATE_LIMITED if there is no place, or if the entity was declined too often
 */
export function candidateSlots(
  { holders, declines }: LimitUse,
  { withdrawalLimit, declineLimit }: Pick<Config, "withdrawalLimit" | "declineLimit">,
  id: string,
  now: number,
): Slot[] {
  const oldestDecline = declines.toSorted()[0];
  if (declineLimit && oldestDecline && declines.length >= declineLimit.count) {
    const retryAfterS = secondsUntil(creationTime(oldestDecline) + declineLimit.windowMs, now);
    fail("RATE_LIMITED", undefined, { retryAfterS });
  }
  if (!withdrawalLimit) return [{}];
  const { count, windowMs } = withdrawalLimit;
  const free = freePlaces(holders, count, Number.parseInt(id.slice(-6), 16) % count);
  const overdue = holders
    .filter((holder) => isOverdue(holder, windowMs, now) && holder.slot < count)
    .map((holder) => ({ slot: holder.slot, evict: holder }));
  const places = [...free, ...overdue];
  return places.length > 0 ? places : failLimited(holders, withdrawalLimit, now);
}

/** How many slots of a large limit one withdrawal tries. 32 collisions in a row do not happen. */
const TRIED_AT_MOST = 32;

function freePlaces(holders: Holder[], count: number, from: number): Slot[] {
  const held = new Set(holders.map(({ slot }) => slot));
  const free: Slot[] = [];
  for (let i = 0; i < count && free.length < TRIED_AT_MOST; i++) {
    const slot = (from + i) % count;
    if (!held.has(slot)) free.push({ slot });
  }
  return free;
}

/** @throws RATE_LIMITED with the limit's state */
export function failLimited(holders: Holder[], limit: RateLimit, now: number): never {
  const rateLimit = { ...rateLimitState(holders, limit, now), remaining: 0 };
  return fail("RATE_LIMITED", undefined, { retryAfterS: rateLimit.resetS, rateLimit });
}

export function rateLimitState(
  holders: Holder[],
  { count, windowMs }: RateLimit,
  now: number,
): RateLimitState {
  const current = holders.filter((holder) => !isOverdue(holder, windowMs, now));
  const oldest = Math.min(now, ...current.map(({ id }) => creationTime(id)));
  return {
    limit: count,
    remaining: Math.max(0, count - current.length),
    windowS: Math.ceil(windowMs / 1_000),
    resetS: secondsUntil(oldest + windowMs, now),
  };
}

function isOverdue({ id }: Holder, windowMs: number, now: number): boolean {
  return now - creationTime(id) >= windowMs;
}

function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / 1_000));
}

export interface Insertion {
  payout: Payout;
  evict?: Holder;
}

/**
 * Inserts payouts in batches, none after its deadline.
 * @returns `taken` if another payout has the place, or the Idempotency-Key
 * @throws any error leaves it unknown whether the payout was inserted
 */
export function gatherLimitedInserts(
  payouts: mongo.Collection<Payout>,
  clock: Clock,
): (insertion: Insertion) => Promise<"inserted" | "taken"> {
  return gather<Insertion, "inserted" | "taken">(async (insertions) => {
    const now = clock.now();
    const inTime = insertions.filter(({ payout }) => payout.deadline > now);
    await evictHolders(payouts, inTime);
    const results = await insertAll(
      payouts,
      inTime.map(({ payout }) => payout),
    );
    const inserted = new Map(inTime.map((insertion, i) => [insertion, results[i]]));
    return insertions.map((each) => inserted.get(each) ?? new Error("The deadline has passed"));
  }, BATCH);
}

async function evictHolders(
  payouts: mongo.Collection<Payout>,
  insertions: Insertion[],
): Promise<void> {
  const evicted = insertions.flatMap(({ evict }) => evict ?? []);
  const statements = evicted.map(({ id: _id, slot }) => ({
    filter: { _id, slot },
    update: { $unset: { slot: "" as const } },
  }));
  if (statements.length > 0) await runUpdate(payouts, statements);
}
