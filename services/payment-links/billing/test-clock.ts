// The test clock of a business, in the sandbox alone: the time of its billing stands still where
// the clock is set. The wanted time is stored first. Then the clock stops at each time on the way
// at which a subscription is due, and the machine of subscriptions does the work of that time
// before the clock goes on: so a jump of months shows each period, retry and end as real time
// would. Another node resumes a run after a crash. The gateway asks again and again whether the run
// is over, because an answer that is due only then could be lost with a node or a connection.

import { DateTime } from "luxon";
import type { mongo } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { LEASE_MS } from "../../../shared/resumable/change.ts";
import { type Change, newResumable } from "../../../shared/resumable/document.ts";
import { currentOrigin } from "../../../shared/rpc/origin.ts";
import { isDuplicate, MAJORITY } from "../../../shared/storage/database.ts";
import { gatherById } from "../../../shared/storage/find-by-id.ts";
import type { BillingClock } from "./clock.model.ts";
import type { BillingDeps } from "./deps.ts";
import type { Subscription } from "./subscription.model.ts";

const YEARS_AT_MOST = 10;
/** Periods and retries follow the clock, and end within the years that the API can show. */
const LATEST = Date.parse("9990-01-01");
/** How long one node runs before it stores its progress: less than its lease. */
const RUN_MS = 5_000;
const CLAIMED_AT_ONCE = 200;
/** The pause before the next look, if other drivers are at work or the work failed. */
const PAUSE_MS = 50;
/** How long an answer waits for the end of a run: much less than the action may take. */
const LOOKS_FOR_MS = 1_000;
/** Tries to set a clock that other callers set meanwhile. */
const TRIES_AT_MOST = 20;

/**
 * Reads the test clock of a business; null if it has none.
 * @param sandbox outside of it no business has a test clock
 */
export function testClockReader(
  clocks: mongo.Collection<BillingClock>,
  sandbox: boolean,
): (businessId: string) => Promise<BillingClock | null> {
  // Callers that wait for a clock read it again and again, and share their reads.
  return sandbox ? gatherById(clocks) : async () => null;
}

/**
 * Sets a business's clock, and begins to bill up to that time.
 * @throws NOT_FOUND outside the sandbox; VALIDATION for a time before the clock's, or far after it
 */
export async function setTestClock(
  deps: BillingDeps,
  { businessId, now: wanted }: Params<"payment-links.setTestClock">,
): Promise<Result<"payment-links.setTestClock">> {
  if (!deps.config.sandbox) fail("NOT_FOUND");
  const until = Date.parse(wanted);
  const set = await store(deps, businessId, until);
  if (set) void deps.testClocks.driver.driveInBackground(set, { isFresh: true });
  return { id: businessId, now: new Date(until).toISOString() };
}

/** Says whether billing has reached the time of a clock, and waits a moment for that. */
export async function testClockRun(
  { clock, testClocks }: BillingDeps,
  { businessId }: Params<"payment-links.testClockRun">,
): Promise<Result<"payment-links.testClockRun">> {
  const endsAt = clock.now() + LOOKS_FOR_MS;
  for (;;) {
    const found = await testClocks.find(businessId);
    const isOver = found?.step === "rest";
    if (isOver || clock.now() >= endsAt) return { isOver, passed: found?.passed ?? 0 };
    await clock.sleep(PAUSE_MS);
  }
}

/** @returns the clock as it was set; null if it is set to that time already */
async function store(
  deps: BillingDeps,
  businessId: string,
  until: number,
): Promise<BillingClock | null> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const clock = await deps.testClocks.find(businessId);
    check(until, clock?.until ?? deps.clock.now());
    if (clock?.until === until) return null;
    const run = { step: "run" as const, until, origin: currentOrigin() };
    const set = clock
      ? await deps.testClocks.driver.transition(clock, { set: run, next: "now" })
      : await insert(deps, businessId, until);
    if (set) return set;
  }
  return fail("UNAVAILABLE");
}

function check(until: number, from: number): void {
  const later = DateTime.fromMillis(from, { zone: "utc" }).plus({ years: YEARS_AT_MOST });
  if (until >= from && until <= Math.min(later.toMillis(), LATEST)) return;
  const bounds = `${isoTime(from)}, or at most ${YEARS_AT_MOST} years later`;
  failField("now", `must be ${bounds}, and before ${isoTime(LATEST)}`);
}

/** Sets a clock for the first time; null if another caller was quicker. */
async function insert(
  { clock, testClocks }: BillingDeps,
  businessId: string,
  until: number,
): Promise<BillingClock | null> {
  const now = clock.now();
  const first: Omit<BillingClock, "status"> = {
    ...newResumable(businessId),
    step: "run",
    businessId,
    nextAttemptAt: now + LEASE_MS,
    // Real time may have passed the wanted time since the check.
    now: Math.min(now, until),
    until,
    passed: 0,
  };
  // A clock publishes no events, so it has no visible state.
  const inserted = first as BillingClock;
  try {
    await testClocks.documents.insertOne(inserted);
    return inserted;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/**
 * The step `run`: does the work that is due, for a while; the next driver goes on until none is
 * left.
 */
export async function runClock(
  deps: BillingDeps,
  run: BillingClock,
): Promise<Change<BillingClock>> {
  const { clock, testClocks } = deps;
  const { _id, until } = run;
  const endsAt = clock.now() + RUN_MS;
  let { now, passed } = run;
  while (clock.now() < endsAt) {
    const due = await earliestDue(deps, run);
    // At its end the run looks once more, because a subscription set up meanwhile saw an earlier
    // time.
    if (due === null && now === until) return { set: { step: "rest", passed }, next: "never" };
    const next = due ?? until;
    if (next > now) {
      await testClocks.documents.updateOne({ _id }, { $max: { now: next } });
      now = next;
    }
    if (due === null) continue;
    const moved = await driveDue(deps, _id, due);
    passed += moved;
    if (moved === 0) await clock.sleep(PAUSE_MS);
  }
  return { set: { passed }, next: 0 };
}

const NOT_CLOSED: Subscription["step"][] = ["wait", "issue", "collect", "retry"];

async function earliestDue(
  { subscriptions }: BillingDeps,
  { _id: businessId, until }: BillingClock,
): Promise<number | null> {
  const isDue = { businessId, dueAt: { $lte: until }, step: { $in: NOT_CLOSED } };
  const found = await subscriptions.documents
    .find(isDue, { ...MAJORITY, projection: { dueAt: 1 } })
    .sort({ dueAt: 1 })
    .limit(1)
    .next();
  return found?.dueAt ?? null;
}

/** Drives subscriptions that are due at a time, several at a time. @returns how many moved on */
async function driveDue(deps: BillingDeps, businessId: string, dueAt: number): Promise<number> {
  const { clock, log } = deps;
  const { documents, machine } = deps.subscriptions;
  const isAtRest = { step: { $in: ["wait", "retry"] as Subscription["step"][] } };
  // Drivers are at work at the others, or have died.
  const now = clock.now();
  const isLeft = {
    step: { $in: NOT_CLOSED },
    nextAttemptAt: { $lte: now },
    $or: [{ stepAt: { $exists: false } }, { stepAt: { $lte: now } }],
  };
  const due = await documents
    .find({ businessId, dueAt, $or: [isAtRest, isLeft] }, MAJORITY)
    .limit(CLAIMED_AT_ONCE)
    .toArray();
  const moved = await Promise.all(
    due.map(async (subscription): Promise<number> => {
      try {
        const claimed = await machine.transition(subscription, { set: {}, next: "now" });
        if (!claimed) return 0;
        const { step, dueAt: next } = await machine.drive(claimed, { isFresh: false });
        return step !== claimed.step || next !== dueAt ? 1 : 0;
      } catch (error) {
        log.warn("A subscription that is due is driven later", { id: subscription._id, error });
        return 0;
      }
    }),
  );
  return moved.reduce((sum, each) => sum + each, 0);
}
