// The test clock of a business, in the sandbox alone: its billing's time stands where the clock was set.
// Where it was set to is stored first. Then the clock comes there by every moment on the way at which
// something is due, and the machine of subscriptions does what is due at each before the next one: so
// a jump of months shows each period, retry and end as the real time would. Whoever set the clock is
// answered once nothing is due any more; a run that is cut off is taken up by any node.

import { DateTime } from "luxon";
import type { mongo } from "mongoose";
import type { Params, Result } from "../../../shared/contracts.ts";
import { isDuplicate, MAJORITY } from "../../../shared/database.ts";
import { fail } from "../../../shared/errors.ts";
import { gatherById } from "../../../shared/find-by-id.ts";
import { type Change, newResumable } from "../../../shared/resumable/document.ts";
import { createDriver, type Driver } from "../../../shared/resumable/driver.ts";
import {
  gatherTransitions,
  LEASE_MS,
  type Transition,
} from "../../../shared/resumable/transitions.ts";
import type { BillingDeps } from "./billing-deps.ts";
import type { BillingClock } from "./clock.model.ts";
import type { Subscription } from "./subscription.model.ts";

const YEARS_AT_MOST = 10;
/** How long one node runs before it says so: less than its lease. */
const RUN_MS = 5_000;
const CLAIMED_AT_ONCE = 200;
/** Before it is looked again, where others are at what is due, or it failed. */
const PAUSE_MS = 50;
/** How long nothing may come of a run that somebody waits for. */
const STUCK_AFTER_MS = 60_000;
/** How often a clock is read that others set meanwhile. */
const TRIES_AT_MOST = 20;

/** @param sandbox outside of it nobody has a test clock */
export function createTestClocks(
  clocks: mongo.Collection<BillingClock>,
  sandbox: boolean,
): Pick<BillingDeps, "findClock" | "testClockOf"> {
  if (!sandbox) return { findClock: async () => null, testClockOf: async () => null };
  // However many wait for a clock, and ask again and again, share their reads.
  const findClock = gatherById(clocks);
  const testClockOf = async (business: string) => (await findClock(business))?.now ?? null;
  return { findClock, testClockOf };
}

/**
 * Sets a business's clock, and waits until its billing has come to that moment. The same moment again
 * waits for the rest.
 * @throws NOT_FOUND outside the sandbox; VALIDATION for a moment before the clock's, or far after it;
 *   UNAVAILABLE where the run does not come on, though it goes on by itself
 */
export async function setTestClock(
  deps: BillingDeps,
  { businessId, now: wanted }: Params<"payment-links.setTestClock">,
): Promise<Result<"payment-links.setTestClock">> {
  if (!deps.config.sandbox) fail("NOT_FOUND");
  const until = Date.parse(wanted);
  const set = await store(deps, businessId, until);
  if (set) await deps.clockMachine.drive(set);
  await untilRest(deps, businessId);
  return { id: businessId, now: new Date(until).toISOString() };
}

/** @returns the clock as it was set; null where it stands there already */
async function store(
  deps: BillingDeps,
  businessId: string,
  until: number,
): Promise<BillingClock | null> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const clock = await deps.findClock(businessId);
    check(until, clock?.until ?? deps.clock.now());
    if (clock?.until === until) return null;
    const set = clock
      ? await deps.clockMachine.transition(clock, { set: { step: "run", until }, next: "now" })
      : await insert(deps, businessId, until);
    if (set) return set;
  }
  return fail("UNAVAILABLE");
}

function check(until: number, from: number): void {
  const latest = DateTime.fromMillis(from, { zone: "utc" }).plus({ years: YEARS_AT_MOST });
  if (until >= from && until <= latest.toMillis()) return;
  const at = new Date(from).toISOString();
  fail("VALIDATION", `now must be ${at}, or at most ${YEARS_AT_MOST} years later`);
}

/** The first time it is set; null where somebody else was quicker. */
async function insert(
  { clock, clocks }: BillingDeps,
  businessId: string,
  until: number,
): Promise<BillingClock | null> {
  const now = clock.now();
  const first: Omit<BillingClock, "status"> = {
    ...newResumable(businessId),
    step: "run",
    businessId,
    nextAttemptAt: now + LEASE_MS,
    // Time has gone on since it was looked at.
    now: Math.min(now, until),
    until,
    passed: 0,
  };
  // It tells nobody anything, so it has no visible state.
  const inserted = first as BillingClock;
  try {
    await clocks.insertOne(inserted);
    return inserted;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/** As long as it comes on. */
async function untilRest({ clock, findClock }: BillingDeps, businessId: string): Promise<void> {
  let passed = -1;
  let stuckAt = clock.now() + STUCK_AFTER_MS;
  while (clock.now() < stuckAt) {
    const found = await findClock(businessId);
    if (found?.step === "rest") return;
    if (found && found.passed !== passed) {
      passed = found.passed;
      stuckAt = clock.now() + STUCK_AFTER_MS;
    }
    await clock.sleep(PAUSE_MS);
  }
  fail("UNAVAILABLE");
}

/** Clocks have no outbox, because they have no events. */
export interface ClockMachine extends Driver<BillingClock> {
  transition: Transition<BillingClock>;
}

/** Drives the clocks' runs. */
export function createClockMachine(deps: BillingDeps): ClockMachine {
  const { clock, newId, log, clocks } = deps;
  const transition = gatherTransitions(clocks, clock, newId);
  const changeFor = (run: BillingClock) => passFor(deps, run);
  return {
    transition,
    ...createDriver({ clock, log, documents: clocks, changeFor }, transition),
  };
}

/** Passes what is due, for a while; whoever comes next goes on, until nothing is. */
async function passFor(deps: BillingDeps, run: BillingClock): Promise<Change<BillingClock>> {
  const { clock, clocks } = deps;
  const { _id, until } = run;
  const endsAt = clock.now() + RUN_MS;
  let { now, passed } = run;
  while (clock.now() < endsAt) {
    const due = await earliest(deps, run);
    // Once it has come there it looks again: what was set up meanwhile saw an earlier moment.
    if (due === null && now === until) return { set: { step: "rest", passed }, next: "never" };
    const next = due ?? until;
    if (next > now) {
      await clocks.updateOne({ _id }, { $max: { now: next } });
      now = next;
    }
    if (due === null) continue;
    const came = await passMoment(deps, _id, due);
    passed += came;
    if (came === 0) await clock.sleep(PAUSE_MS);
  }
  return { set: { passed }, next: 0 };
}

const NOT_CLOSED: Subscription["step"][] = ["wait", "issue", "collect", "retry"];

/** The first moment at which something of the business is due. */
async function earliest(
  { subscriptions }: BillingDeps,
  { _id: businessId, until }: BillingClock,
): Promise<number | null> {
  const isDue = { businessId, dueAt: { $lte: until }, step: { $in: NOT_CLOSED } };
  const found = await subscriptions
    .find(isDue, { ...MAJORITY, projection: { dueAt: 1 } })
    .sort({ dueAt: 1 })
    .limit(1)
    .next();
  return found?.dueAt ?? null;
}

/** Drives what is due at a moment, some at a time. @returns how many came on */
async function passMoment(deps: BillingDeps, businessId: string, dueAt: number): Promise<number> {
  const { subscriptions, machine, clock, log } = deps;
  const isAtRest = { step: { $in: ["wait", "retry"] as Subscription["step"][] } };
  // Somebody is at the others, or was, and may have died.
  const isLeft = { step: { $in: NOT_CLOSED }, nextAttemptAt: { $lte: clock.now() } };
  const due = await subscriptions
    .find({ businessId, dueAt, $or: [isAtRest, isLeft] }, MAJORITY)
    .limit(CLAIMED_AT_ONCE)
    .toArray();
  const came = await Promise.all(
    due.map(async (subscription): Promise<number> => {
      try {
        const claimed = await machine.transition(subscription, { set: {}, next: "now" });
        if (!claimed) return 0;
        const { step, dueAt: next } = await machine.drive(claimed, false);
        return step !== claimed.step || next !== dueAt ? 1 : 0;
      } catch (error) {
        log.warn("A subscription that is due is passed later", { id: subscription._id, error });
        return 0;
      }
    }),
  );
  return came.reduce((sum, each) => sum + each, 0);
}
