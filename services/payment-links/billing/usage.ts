// Takes reports of usage, and closes periods for their invoices. Each report counts once, in one
// period: in its own or, once that is invoiced, in the open one.

import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { fail, failField } from "../../../shared/errors.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { newestFirst } from "../../../shared/storage/paging.ts";
import type { BillingDeps } from "./deps.ts";
import { fromMillionths, toMillionths } from "./exact-decimals.ts";
import { boundaryAt, periodAt } from "./periods.ts";
import { isInArrears } from "./plan.ts";
import type { Subscription } from "./subscription.model.ts";
import { type BillingModels, findSubscription } from "./subscription-listing.ts";
import type { PeriodUsage, UsageEntry } from "./usage.model.ts";
import type { Closing, Used } from "./usage-entries.ts";

type View = Result<"payment-links.recordUsage">;
type Report = UsageEntry & Required<Pick<UsageEntry, "reference" | "units" | "at" | "period">>;

/** Tries of an entry when another writer takes its place, with a pause in between. */
const TRIES_AT_MOST = 100;
const PAUSE_AT_MOST_MS = 20;
/**
 * Usage further ahead is refused, because each entry of the log carries the usage of all open
 * periods.
 */
const PERIODS_AHEAD = 24;

/**
 * Counts usage, once for each reference.
 * @returns the report, as it was counted first
 * @throws SUBSCRIPTION_NOT_FOUND; NOT_BILLED_BY_USAGE; VALIDATION its date is too far ahead;
 *   CONFLICT the reference has another number of units; USAGE_NOT_TAKEN during the trial, or after
 *   the end; CHARGE_BOUND; UNAVAILABLE it may count or not: a repetition shows which
 */
export async function recordUsage(
  deps: BillingDeps,
  { businessId, id, units, reference, at }: Params<"payment-links.recordUsage">,
): Promise<View> {
  const subscription = await findSubscription(deps, { businessId, id });
  if (!isInArrears(subscription.plan)) fail("NOT_BILLED_BY_USAGE");
  const now = await deps.businessNow(businessId);
  const usedAt = at === undefined ? now : Date.parse(at);
  if (periodAt(subscription, usedAt) > periodAt(subscription, now) + PERIODS_AHEAD) {
    failField("at", `must be at most ${PERIODS_AHEAD} periods ahead`);
  }
  const used = { subscription, reference, units: toMillionths(units), at: usedAt };
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const earlier = await findReport(deps, used);
    if (earlier) return usageView(subscription, earlier);
    checkInside(subscription, now, usedAt);
    const entry = await append(deps, used);
    if (entry) return usageView(subscription, entry);
    await pause(deps);
  }
  return fail("UNAVAILABLE");
}

/** @throws CONFLICT */
async function findReport(
  { usage }: BillingDeps,
  { subscription, reference, units }: Used,
): Promise<Report | null> {
  const found = await usage.documents.findOne(
    { subscriptionId: subscription._id, reference },
    MAJORITY,
  );
  if (found && found.units !== String(units)) fail("CONFLICT");
  return found as Report | null;
}

/**
 * What is reported again after a restore was used before the end, and may be reported after it.
 * @throws USAGE_NOT_TAKEN
 */
function checkInside(subscription: Subscription, now: number, at: number): void {
  const { anchorAt, status, heldSince } = subscription;
  const isHeld = heldSince !== undefined;
  const isOver = status === "cancelled" && !isHeld;
  const last = isHeld ? at : Math.max(now, at);
  const isInside = Math.min(now, at) >= anchorAt && last < endOf(subscription);
  if (isOver || !isInside) fail("USAGE_NOT_TAKEN");
}

/** The first moment at which no usage is taken; the very moment of a cancellation is billed too. */
function endOf(subscription: Subscription): number {
  const { cancelledAt, endsAtBoundary } = subscription;
  if (cancelledAt !== undefined) return cancelledAt + 1;
  if (endsAtBoundary === undefined) return Number.POSITIVE_INFINITY;
  return boundaryAt(subscription, endsAtBoundary);
}

/** Appends a report. A refused one may repeat a report that another writer has stored meanwhile. */
async function append(deps: BillingDeps, used: Used): Promise<Report | null> {
  try {
    return (await deps.usage.append(used)) as Report | null;
  } catch (error) {
    const earlier = await findReport(deps, used);
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
    units: Number(fromMillionths(BigInt(report.units))),
    at: isoTime(report.at),
    periodStart: isoTime(boundaryAt(subscription, report.period)),
    periodEnd: isoTime(boundaryAt(subscription, report.period + 1)),
    late: report.isLate === true,
  };
}

/** The index that has only reports, in the order of the list. */
const LISTED_BY = "subscriptionId_1__id_1";

/**
 * The usage of a subscription, newest first.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function listUsage(
  deps: BillingDeps,
  { usage_log }: BillingModels,
  { businessId, id, cursor, limit }: Params<"payment-links.usage">,
): Promise<Result<"payment-links.usage">> {
  const subscription = await findSubscription(deps, { businessId, id });
  const filter = { subscriptionId: id, reference: { $exists: true } };
  const options = { hint: LISTED_BY, readConcern: "majority" };
  const { documents, nextCursor } = await newestFirst(
    usage_log,
    filter,
    { cursor, limit },
    options,
  );
  const items = documents.map((report) => usageView(subscription, report as Report));
  return { items, meta: { nextCursor } };
}

/**
 * Closes a period, so that no usage enters it any more. Closing it again gives the same result.
 * @returns the usage in it
 */
export async function closePeriod(deps: BillingDeps, closing: Closing): Promise<PeriodUsage> {
  const { subscription, period } = closing;
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const entry = await deps.usage.append(closing);
    if (entry?.closed) return entry.closed;
    const { _id: subscriptionId } = subscription;
    const closed = await deps.usage.documents.findOne({ subscriptionId, closes: period }, MAJORITY);
    if (closed?.closed) return closed.closed;
    await pause(deps);
  }
  return fail("UNAVAILABLE");
}
