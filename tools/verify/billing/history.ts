// Checks a subscription against its history: its next due date against its anchor, its pending
// changes and its end; its seats against the invoice of its last period and the changes since. A
// subscription that is driven now or soon is left out, because its driver computes both anew: only
// a subscription at rest has to be right. An invoice is stored before its subscription names it. So
// invoices are read after their subscription, and if they do not fit, the subscription is read
// again to see whether another node has changed it.

import { CLOCKS_DIFFER_BY_MS } from "../../../shared/clock.ts";
import { type Books, PHASES, readAll } from "../books.ts";
import { type Invoice, readLines } from "../kinds/invoices.ts";
import { readDocuments, reportUnlessChanged, stepMoment } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import {
  isInArrears,
  readChanges,
  type SeatChange,
  type Subscription,
} from "../kinds/subscriptions.ts";
import { exact, halfUp } from "./line-amounts.ts";
import { startOfPeriod } from "./periods.ts";

/**
 * Longer than a lease: by then the driver has written, or another node has taken the document over.
 */
const DRIVEN_WITHIN_MS = 60_000 + CLOCKS_DIFFER_BY_MS;

/**
 * The clocks of businesses: the moment of a test clock, or the real time, which may be ahead on a
 * node.
 */
type Clocks = Map<string, { _id: string; now: number }>;

export async function verifyHistory(books: Books, batch: Subscription[]): Promise<void> {
  const resting = batch.filter(isAtRest);
  const businesses = resting.map(({ businessId }) => businessId);
  const clocks: Clocks = await readAll(books, "billing_clocks", businesses, { now: 1 });
  const found = new Map<Subscription, string>();
  const note = (subscription: Subscription, problem: string | null) => {
    if (problem) found.set(subscription, problem);
  };
  const collected = resting.flatMap(({ collecting }) => collecting?.invoiceId ?? []);
  const invoices = await readDocuments(books, KINDS.invoices, collected);
  for (const subscription of resting) {
    const now = clockTime(clocks, subscription);
    const tried = invoices.get(subscription.collecting?.invoiceId ?? "");
    note(subscription, dueProblem(subscription, now, tried) ?? changesProblem(subscription));
  }
  const seated = resting.filter(
    (each) => hasWorth(each, clockTime(clocks, each)) && !found.has(each),
  );
  const seats = await seatsByInvoices(books, seated);
  for (const subscription of seated) {
    note(subscription, seatsProblem(subscription, seats.get(subscription._id)));
  }
  await reportUnlessChanged(books, KINDS.subscriptions, "billing", found);
}

/** Whether no node drives it now or soon. */
function isAtRest(subscription: Subscription): boolean {
  const { step, status } = subscription;
  const waits = (step === "wait" && status !== "cancelled") || step === "retry";
  const drivenAt = stepMoment(subscription) ?? Infinity;
  return waits && !(drivenAt <= Date.now() + DRIVEN_WITHIN_MS);
}

function clockTime(clocks: Clocks, { businessId }: Subscription): number {
  return clocks.get(businessId)?.now ?? Date.now() + CLOCKS_DIFFER_BY_MS;
}

/**
 * A subscription is due at the moment that its history gives; if that moment was past when the
 * document was written, at the moment of the write. Its driver comes back then, unless a test clock
 * does.
 */
function dueProblem(subscription: Subscription, now: number, invoice?: Invoice): string | null {
  const { step, dueAt = Number.NaN, heldSince } = subscription;
  const drivenAt = stepMoment(subscription);
  const due = step === "retry" ? invoice?.nextTryAt : nextDue(subscription);
  const isWaiting = heldSince !== undefined && Number.isNaN(dueAt) && drivenAt === undefined;
  if (isWaiting && due !== undefined && due <= now) return null;
  const isLate = dueAt > (due ?? 0) && dueAt <= now;
  // After a change of the saved method the invoice is tried immediately, before its scheduled
  // moment.
  const isRight = dueAt === due || (step === "retry" ? dueAt <= now : isLate);
  if (!isRight) return `is due at ${dueAt}, its history gives ${due ?? "no moment"}`;
  const comesBack = drivenAt === undefined || drivenAt <= dueAt + DRIVEN_WITHIN_MS;
  return comesBack ? null : `is due at ${dueAt}, and is not looked at before ${drivenAt}`;
}

/**
 * The due date of a waiting subscription: the next boundary, or an earlier change of seats that is
 * charged immediately.
 */
function nextDue(subscription: Subscription): number {
  const { boundary, plan } = subscription;
  const next = startOfPeriod(subscription, boundary);
  if (isInArrears(plan)) return next;
  const isNow = ({ isImmediate, at }: SeatChange) => isImmediate && at < next;
  return readChanges(subscription).find(isNow)?.at ?? next;
}

/**
 * Each change begins with the seats of the change before it, and the last change ends with the
 * present seats.
 */
function changesProblem(subscription: Subscription): string | null {
  const { seats } = subscription;
  const changes = readChanges(subscription);
  const breaks = changes.findIndex(({ to }, i) => to !== (changes[i + 1]?.from ?? seats));
  const broken = changes[breaks];
  if (broken)
    return `has ${changes[breaks + 1]?.from ?? seats} seats after a change to ${broken.to}`;
  const isInOrder = changes.every(({ at }, i) => at >= (changes[i - 1]?.at ?? 0));
  if (!isInOrder) return "has changes of seats that are out of order";
  const wrong = changes.find((change) => change.amountMinor !== changePrice(subscription, change));
  return wrong
    ? `has a change from ${wrong.from} to ${wrong.to} seats for ${wrong.amountMinor} instead of ${changePrice(subscription, wrong)}`
    : null;
}

/** Far more periods than a hold after a restore may last. */
const OVERDUE_AT_MOST = 1_000;

/** The price of a change for the rest of its period; a change in the trial costs nothing. */
function changePrice(subscription: Subscription, { at, from, to }: SeatChange): number {
  const { plan, boundary, anchorAt } = subscription;
  const { costPerSeat = 0, newSeatBillingType } = plan?.charge?.seatDetails ?? {};
  if (newSeatBillingType === "next_cycle" || at < anchorAt) return 0;
  // Periods that are overdue are not billed yet, so a change may lie in one of the next periods
  // too.
  const isBefore = (k: number) => at < startOfPeriod(subscription, k);
  const k =
    Array.from({ length: OVERDUE_AT_MOST }, (_, i) => boundary + i).find(isBefore) ?? Number.NaN;
  const [begins, end] = [k - 1, k].map((each) => startOfPeriod(subscription, each)) as [
    number,
    number,
  ];
  const parts = [to - from, end - at, end - begins];
  if (!parts.every(Number.isSafeInteger)) return Number.NaN;
  const [seats, left, whole] = parts.map(BigInt) as [bigint, bigint, bigint];
  return Number(halfUp(seats * exact(costPerSeat) * left, 10_000n * whole));
}

/**
 * Whether every change of seats since the last period began is on an invoice, or will be: a change
 * of one seat, made as late as now, is worth a cent. A change that is worth nothing is not stored.
 */
function hasWorth(subscription: Subscription, now: number): boolean {
  const { plan, boundary } = subscription;
  const { costPerSeat = 0, newSeatBillingType } = plan?.charge?.seatDetails ?? {};
  if (plan?.charge?.type !== "seating" || newSeatBillingType === "next_cycle") return false;
  const [begins, ends] = [boundary - 1, boundary].map((k) => startOfPeriod(subscription, k)) as [
    number,
    number,
  ];
  const share = (ends - Math.max(now, begins)) / (ends - begins);
  return boundary > 0 && (Number(exact(costPerSeat)) / 10_000) * share >= 1;
}

const SEATS_BEFORE = /^Seats from (\d+) to (\d+) on /;

/** Reads how many seats the invoices of the last period leave to each subscription. */
async function seatsByInvoices(
  { find }: Books,
  batch: Subscription[],
): Promise<Map<string, number>> {
  const byId = new Map(batch.map((subscription) => [subscription._id, subscription]));
  const seats = new Map<string, number>();
  if (batch.length === 0) return seats;
  const wanted = {
    $or: batch.map((subscription) => ({
      subscriptionId: subscription._id,
      periodStart: { $gte: startOfPeriod(subscription, subscription.boundary - 1) },
    })),
  };
  const projection = { subscriptionId: 1, occasion: 1, lines: 1 };
  const cursor = find<Invoice>(PHASES.invoices, wanted, { projection });
  for await (const { subscriptionId, occasion, ...invoice } of cursor.sort({ number: 1 })) {
    const { boundary } = byId.get(subscriptionId) as Subscription;
    for (const { description = "", quantity } of readLines(invoice)) {
      const isPeriod = occasion === `period:${boundary - 1}` && /^\d+ seats?$/.test(description);
      if (isPeriod) seats.set(subscriptionId, quantity ?? Number.NaN);
      const to = occasion.startsWith("seats:") ? SEATS_BEFORE.exec(description)?.[2] : undefined;
      if (to !== undefined) seats.set(subscriptionId, Number(to));
    }
  }
  return seats;
}

function seatsProblem(subscription: Subscription, billed: number | undefined): string | null {
  const first = readChanges(subscription)[0]?.from ?? subscription.seats;
  if (billed === undefined || first === billed) return null;
  return `has ${first} seats that changes do not lead to, its invoices ${billed}`;
}
