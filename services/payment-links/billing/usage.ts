// Usage: what the merchant reports of it, and what of it an invoice bills. Each report counts exactly once, in
// one period: in its own, or, once that is invoiced, in the one that is open.

import type { Model } from "mongoose";
import type { Params, Result } from "../../../shared/contracts.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail } from "../../../shared/errors.ts";
import { newestFirst } from "../../../shared/paging.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { decimalOf, millionthsOf } from "./exact-decimals.ts";
import { isInArrears } from "./invoice-draft.ts";
import { boundaryAt, periodOf } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";
import { findSubscription } from "./subscription-listing.ts";
import { isoOf } from "./subscription-views.ts";
import type { PeriodUsage, UsageEntry } from "./usage.model.ts";
import type { Closing, Used } from "./usage-log.ts";

type View = Result<"payment-links.recordUsage">;
/** An entry that is a report. */
type Report = UsageEntry & Required<Pick<UsageEntry, "reference" | "units" | "at" | "period">>;

/** How often an entry is tried again whose place others took, and how long it waits in between. */
const TRIES_AT_MOST = 100;
const PAUSE_AT_MOST_MS = 20;
/** Further ahead nothing is taken: each entry of the log carries what was used in every open period. */
const PERIODS_AHEAD = 24;

/**
 * Counts usage, once for each reference.
 * @returns the report, as it counted when it was made
 * @throws SUBSCRIPTION_NOT_FOUND; NOT_BILLED_BY_USAGE; VALIDATION it is dated too far ahead; CONFLICT the
 *   reference stands for another number of units; USAGE_NOT_TAKEN during the trial, or after the end;
 *   CHARGE_BOUND; UNAVAILABLE it may count or not: the same again will tell
 */
export async function recordUsage(
  deps: BillingDeps,
  { businessId, id, units, reference, at }: Params<"payment-links.recordUsage">,
): Promise<View> {
  const subscription = await findSubscription(deps.subscriptions, { businessId, id });
  if (!isInArrears(subscription.plan)) fail("NOT_BILLED_BY_USAGE");
  const now = await deps.businessNow(businessId);
  const usedAt = at === undefined ? now : Date.parse(at);
  if (periodOf(subscription, usedAt) > periodOf(subscription, now) + PERIODS_AHEAD) {
    fail("VALIDATION", `at must be at most ${PERIODS_AHEAD} periods ahead`);
  }
  const used = { subscription, reference, units: millionthsOf(units), at: usedAt };
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const earlier = await earlierReport(deps, used);
    if (earlier) return usageView(subscription, earlier);
    refuseOutside(subscription, now, usedAt);
    const entry = await append(deps, used);
    if (entry) return usageView(subscription, entry);
    await pause(deps);
  }
  return fail("UNAVAILABLE");
}

/** @throws CONFLICT */
async function earlierReport(
  { usageLog }: BillingDeps,
  { subscription, reference, units }: Used,
): Promise<Report | null> {
  const found = await usageLog.findOne({ subscriptionId: subscription._id, reference }, MAJORITY);
  if (found && found.units !== String(units)) fail("CONFLICT");
  return found as Report | null;
}

/** @throws USAGE_NOT_TAKEN */
function refuseOutside(subscription: Subscription, now: number, at: number): void {
  const { anchorAt, status, endsAtBoundary } = subscription;
  const endsAt =
    endsAtBoundary === undefined
      ? Number.POSITIVE_INFINITY
      : boundaryAt(subscription, endsAtBoundary);
  const isInside = Math.min(now, at) >= anchorAt && Math.max(now, at) < endsAt;
  if (status === "cancelled" || !isInside) fail("USAGE_NOT_TAKEN");
}

/** Appends it; who is refused may be repeating what is in by now. */
async function append(deps: BillingDeps, used: Used): Promise<Report | null> {
  try {
    return (await deps.appendUsage(used)) as Report | null;
  } catch (error) {
    const earlier = await earlierReport(deps, used);
    if (earlier) return earlier;
    throw error;
  }
}

function pause({ clock }: BillingDeps): Promise<void> {
  return clock.sleep(clock.random() * PAUSE_AT_MOST_MS);
}

/** The report as its merchant sees it, with the period in which it counts. */
function usageView(subscription: Subscription, report: Report): View {
  return {
    id: report._id,
    subscriptionId: report.subscriptionId,
    reference: report.reference,
    units: Number(decimalOf(BigInt(report.units))),
    at: isoOf(report.at),
    periodStart: isoOf(boundaryAt(subscription, report.period)),
    periodEnd: isoOf(boundaryAt(subscription, report.period + 1)),
    late: report.isLate === true,
  };
}

/** The index that has usage alone, in the order in which it is listed. */
const LISTED_BY = "subscriptionId_1__id_1";

/**
 * The usage of a subscription, newest first.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function listUsage(
  usageLog: Model<UsageEntry>,
  { subscriptions }: BillingDeps,
  { businessId, id, cursor, limit }: Params<"payment-links.usage">,
): Promise<Result<"payment-links.usage">> {
  const subscription = await findSubscription(subscriptions, { businessId, id });
  const filter = { subscriptionId: id, reference: { $exists: true } };
  const options = { hint: LISTED_BY, readConcern: "majority" };
  const { documents, nextCursor } = await newestFirst(usageLog, filter, { cursor, limit }, options);
  const items = documents.map((report) => usageView(subscription, report as Report));
  return { items, meta: { nextCursor } };
}

/**
 * Closes a period, so that nothing enters it any more; closed again it is as it was.
 * @param isLast nothing is billed after it: nothing is taken any more
 * @returns what was used in it
 */
export async function closePeriod(
  deps: BillingDeps,
  subscription: Subscription,
  period: number,
  isLast: boolean,
): Promise<PeriodUsage> {
  const closing: Closing = { subscription, period, isLast };
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const entry = await deps.appendUsage(closing);
    if (entry?.closed) return entry.closed;
    const { _id: subscriptionId } = subscription;
    const closed = await deps.usageLog.findOne({ subscriptionId, closes: period }, MAJORITY);
    if (closed?.closed) return closed.closed;
    await pause(deps);
  }
  return fail("UNAVAILABLE");
}
