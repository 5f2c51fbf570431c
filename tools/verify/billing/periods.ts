// The periods that subscriptions have passed: each is on an invoice of its own. After the end of a
// subscription these are all periods that had begun. An invoice is stored before its subscription
// passes the period, so invoices are read after it. The limits of periods follow from the anchor,
// and are computed apart from the code that bills.

import { DateTime } from "luxon";
import { type Books, PHASES } from "../books.ts";
import { type Invoice, parsePeriod } from "../kinds/invoices.ts";
import { reporter } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { isInArrears, type Subscription } from "../kinds/subscriptions.ts";

/** The last moment with a year of four digits, at which every later period begins and ends. */
export const LATEST_MS = Date.parse("9999-12-31T23:59:59.999Z");

const INTERVALS = ["day", "week", "month", "year"];

/** The beginning of a period, epoch ms; NaN if the anchor or the interval was tampered with. */
export function startOfPeriod(
  { anchorAt, plan }: Pick<Subscription, "anchorAt" | "plan">,
  k: number,
): number {
  const { type = "", count = Number.NaN } = plan?.charge?.interval ?? {};
  const isKnown = INTERVALS.includes(type) && Number.isSafeInteger(count * k);
  if (!isKnown || !Number.isSafeInteger(anchorAt)) return Number.NaN;
  const anchor = DateTime.fromMillis(anchorAt, { zone: "utc" });
  return Math.min(anchor.plus({ [type]: count * k }).toMillis(), LATEST_MS);
}

/**
 * Counts the periods that a subscription has passed, which are billed; the last may be cut short.
 */
export function countPassed({
  boundary,
  plan,
  endsAtBoundary = Number.POSITIVE_INFINITY,
}: Pick<Subscription, "boundary" | "plan" | "endsAtBoundary">): number {
  return Math.max(0, Math.min(isInArrears(plan) ? boundary - 1 : boundary, endsAtBoundary));
}

interface Billed {
  /** How many of the periods with an invoice of their own are billed. */
  periods: number;
  /** Whether there is an invoice for the end of the subscription. */
  hasEnd: boolean;
}

/** Checks that every period below the next one is on one invoice, and on one only. */
export async function verifyPeriods(books: Books, batch: Subscription[]): Promise<void> {
  const byId = new Map(batch.map((subscription) => [subscription._id, subscription]));
  const order = { subscriptionId: 1, occasion: 1 } as const;
  const wanted = { subscriptionId: { $in: [...byId.keys()] } };
  const cursor = books
    .find<Invoice>(PHASES.invoices, wanted, { projection: { ...order, _id: 0 } })
    .sort(order);
  const billed = new Map(
    batch.map(({ _id }): [string, Billed] => [_id, { periods: 0, hasEnd: false }]),
  );
  let before: Pick<Invoice, "subscriptionId" | "occasion"> | null = null;
  const report = reporter(books, KINDS.subscriptions);
  for await (const invoice of cursor) {
    const { subscriptionId, occasion } = invoice;
    const subscription = byId.get(subscriptionId) as Subscription;
    const has = billed.get(subscriptionId) as Billed;
    if (before?.subscriptionId === subscriptionId && before.occasion === occasion) {
      report(subscription, `is billed twice for ${occasion}`);
      continue;
    }
    before = invoice;
    // The sort order puts the invoice of the end before those of periods.
    if (occasion === "end") has.hasEnd = true;
    if ((parsePeriod(occasion) ?? Infinity) < countOwed(subscription, has)) has.periods += 1;
  }
  const early: Subscription[] = [];
  for (const subscription of batch) {
    const has = billed.get(subscription._id) as Billed;
    const owed = countOwed(subscription, has);
    const problem = `is billed for ${has.periods} of the ${owed} periods that it has come by`;
    report(subscription, has.periods < owed ? problem : null);
    if (hasMissed(subscription, has)) early.push(subscription);
  }
  await verifyEnds(books, early);
}

/**
 * Counts the periods that need an invoice of their own. The invoice of the end passes a boundary
 * too.
 */
function countOwed(
  { boundary, plan, endsAtBoundary }: Subscription,
  { hasEnd }: Pick<Billed, "hasEnd">,
): number {
  const counted = { plan, boundary: hasEnd ? boundary - 1 : boundary };
  return countPassed(endsAtBoundary === undefined ? counted : { ...counted, endsAtBoundary });
}

/** Whether it is closed although another period had begun before its end. */
function hasMissed(subscription: Subscription, has: Billed): boolean {
  const { step, plan, cancelledAt = Number.NaN, endsAtBoundary = Infinity } = subscription;
  if (step !== "closed") return false;
  // The last period by usage is billed with the end, and a last period without length may be billed
  // by no invoice (usage.ts).
  const next = isInArrears(plan) ? countPassed(subscription) : countOwed(subscription, has);
  const begins = startOfPeriod(subscription, next);
  const hasBegun = begins < cancelledAt || (begins === cancelledAt && !isInArrears(plan));
  return hasBegun && next < endsAtBoundary;
}

/** After an invoice that could not be collected no more periods are billed. */
async function verifyEnds(books: Books, early: Subscription[]): Promise<void> {
  if (early.length === 0) return;
  const wanted = { subscriptionId: { $in: early.map(({ _id }) => _id) }, status: "void" };
  const projection = { subscriptionId: 1 };
  const found = await books.find<Invoice>(PHASES.invoices, wanted, { projection }).toArray();
  const unpaid = new Set(found.map(({ subscriptionId }) => subscriptionId));
  const report = reporter(books, KINDS.subscriptions);
  for (const subscription of early) {
    if (unpaid.has(subscription._id)) continue;
    report(subscription, "has ended after the beginning of a period that it is not billed for");
  }
}
