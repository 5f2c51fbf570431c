// Checks that everything that has not ended is driven: a sweeper finds it at a stored moment, or a
// test clock has come to that moment. One rule serves all kinds: the moment exists, is valid, and
// lies no farther ahead than the code can store. Each document proves this alone, so beside live
// traffic one read is enough.

import type { mongo } from "mongoose";
import { CLOCKS_DIFFER_BY_MS } from "../../../shared/clock.ts";
import { type Books, inBatches, readAll, select, valueAt } from "../books.ts";
import { isoText, stepMoment } from "../kinds/kind.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The longest lease of a document or of its outbox (shared/resumable). */
const LEASE_MS = MINUTE_MS;

/** A kind of document, and the field by which a sweeper finds it. */
interface Driven {
  collection: string;
  name: string;
  /**
   * The documents that a sweeper has to find. Null: none has to be found, but a set field has to be
   * right.
   */
  moving: mongo.Filter<Found> | null;
  field: string;
  /** Whether the field is a date; else it is epoch ms. */
  isDate?: true;
  /** The farthest moment ahead that the code stores. */
  withinMs: number;
}

const notAt = (...steps: string[]) => ({ step: { $nin: steps } });
const PENDING = { status: "PENDING" };

/**
 * A partner may put the next question off by a day at most (shared/partners). A document that is due
 * for its outbox before its next step keeps the moment of that step, if it moves.
 */
function resumable(collection: string, name: string, moving: Driven["moving"]): Driven[] {
  const kept = { stepAt: { $exists: true } };
  const of = { collection, name, withinMs: DAY_MS };
  return [
    { ...of, moving, field: "nextAttemptAt" },
    { ...of, moving: moving && { ...moving, ...kept }, field: "stepAt" },
  ];
}

/** Each kind checks that an outbox with events has a moment (kind.ts, relayProblem). */
function outbox(collection: string, name: string): Driven {
  return { collection, name, moving: null, field: "relayAt", withinMs: LEASE_MS };
}

/** A request of the ledger; one of the previous release has no step, and is found by its age. */
const ON_ITS_WAY = { step: "post" };
const OF_EARLIER_RELEASE = {
  moving: { ...PENDING, step: { $exists: false } },
  field: "createdAt",
  isDate: true,
  withinMs: 0,
} as const;

const ALL: Driven[] = [
  ...resumable("ledger_fundings", "funding", ON_ITS_WAY),
  ...resumable("ledger_adjustments", "adjustment", ON_ITS_WAY),
  ...resumable("ledger_transfers", "account transfer", ON_ITS_WAY),
  ...resumable("ledger_wallet_transfers", "transfer", ON_ITS_WAY),
  // A payout in review waits for a person.
  ...resumable("payouts", "payout", {
    ...notAt("closed", "declined"),
    reviewSince: { $exists: false },
  }),
  ...resumable("payments", "payment", notAt("closed")),
  ...resumable("payment_refunds", "refund", notAt("closed", "declined")),
  ...resumable("billing_clocks", "test clock", { step: { $ne: "rest" } }),
  // A subscription drives its invoices.
  ...resumable("invoices", "invoice", null),
  outbox("ledger_fundings", "funding"),
  outbox("ledger_adjustments", "adjustment"),
  outbox("ledger_wallet_transfers", "transfer"),
  outbox("payouts", "payout"),
  outbox("payments", "payment"),
  outbox("payment_refunds", "refund"),
  outbox("subscriptions", "subscription"),
  outbox("invoices", "invoice"),
  { collection: "ledger_fundings", name: "funding", ...OF_EARLIER_RELEASE },
  { collection: "ledger_transfers", name: "account transfer", ...OF_EARLIER_RELEASE },
  {
    collection: "webhook_deliveries",
    name: "delivery",
    moving: PENDING,
    field: "nextAttemptAt",
    isDate: true,
    // The retry schedule ends within the retention, which is ten years at most.
    withinMs: 3_650 * DAY_MS,
  },
  {
    collection: "webhook_endpoints",
    name: "replay of endpoint",
    moving: { replay: { $exists: true } },
    field: "replay.due",
    isDate: true,
    withinMs: LEASE_MS,
  },
];

interface Found extends mongo.Document {
  _id: string;
  step?: string;
  status?: string;
}

/** Checks that a driver finds every document that has not ended. */
export async function verifyDriven(books: Books): Promise<void> {
  // The checks of the kinds are independent, so none waits for another.
  await Promise.all(ALL.map((driven) => verifyMoments(books, driven)));
  await verifySubscriptionsDriven(books);
  await verifyClocks(books);
}

async function verifyMoments(books: Books, driven: Driven): Promise<void> {
  for await (const found of undecided(books, driven)) {
    const problem = findProblem(driven, found);
    if (problem) report(books, driven.name, found, problem);
  }
}

function report({ findings }: Books, name: string, { _id, status, step }: Found, problem: string) {
  const state = [status, step].filter(Boolean).join(", ");
  findings.violation("driven", `${name} ${_id}${state && ` (${state})`} ${problem}`);
}

/** The documents that a sweeper has to find, and those with a moment. */
async function* undecided(
  { find, findings }: Books,
  { collection, moving: has, field }: Driven,
): AsyncGenerator<Found, void, undefined> {
  const isSet = { [field]: { $ne: null } };
  const filter = has ? { $or: [has, isSet] } : isSet;
  const projection = select("step", "status", field);
  for await (const found of find<Found>(collection, filter, { projection })) {
    findings.count("driven");
    yield found;
  }
}

function findProblem({ field, isDate, withinMs }: Driven, found: Found): string | null {
  const value = valueAt(found, field);
  const isRight = isDate ? value instanceof Date : typeof value === "number";
  return isRight && isWithin(Number(value), withinMs) ? null : undriven(field, value);
}

/** Clocks may differ, and a lease may be added to every wait. */
function isWithin(at: number, ms: number, from = Date.now()): boolean {
  return at >= 0 && at <= Math.max(from, Date.now()) + ms + LEASE_MS + CLOCKS_DIFFER_BY_MS;
}

function undriven(field: string, value: unknown): string {
  const at = typeof value === "number" ? isoText(value) : String(value);
  return `has the ${field} ${at}: nothing will ever drive it`;
}

interface Subscription extends Found {
  businessId: string;
  dueAt?: unknown;
  nextAttemptAt?: unknown;
  stepAt?: unknown;
  heldSince?: unknown;
}

/** An operator releases it, which makes it due. */
function isHeld(subscription: Subscription): boolean {
  const { step = "", dueAt, heldSince } = subscription;
  const isUndue = dueAt === undefined && stepMoment(subscription) === undefined;
  return isUndue && typeof heldSince === "number" && ["wait", "issue"].includes(step);
}

/**
 * A subscription may wait for years, and its driver looks at it again at its due date; or it waits
 * for the test clock of its business, which was stored before the wait; or for its release.
 */
async function verifySubscriptionsDriven(books: Books): Promise<void> {
  const fields = ["businessId", "dueAt", "nextAttemptAt", "stepAt", "heldSince"];
  const projection = select("step", "status", ...fields);
  const cursor = books.find<Subscription>("subscriptions", notAt("closed"), { projection });
  for await (const found of inBatches(cursor)) {
    books.findings.count("driven", found.length);
    const businesses = found.map(({ businessId }) => businessId);
    const clocks = await readAll<{ _id: string }>(books, "billing_clocks", businesses, { _id: 1 });
    for (const subscription of found) {
      const { nextAttemptAt, stepAt } = subscription;
      const isTold = typeof nextAttemptAt === "number" && isWithin(nextAttemptAt, DAY_MS);
      if (stepAt !== undefined && !isTold) {
        report(books, "subscription", subscription, undriven("nextAttemptAt", nextAttemptAt));
      }
      if (isHeld(subscription)) continue;
      const { step = "", businessId, dueAt } = subscription;
      const drivenAt = stepMoment(subscription);
      const isAtRest = ["wait", "retry"].includes(step);
      const isDue = typeof dueAt === "number" && Number.isFinite(dueAt);
      if (drivenAt === undefined && isAtRest && isDue && clocks.has(businessId)) continue;
      const until = isAtRest && isDue ? dueAt : 0;
      const isDriven = typeof drivenAt === "number" && isWithin(drivenAt, DAY_MS, until);
      const problem = undriven("nextAttemptAt", drivenAt);
      if (!isDriven) report(books, "subscription", subscription, problem);
    }
  }
}

/** A test clock at rest has come to the moment that it was set to. */
async function verifyClocks(books: Books): Promise<void> {
  const astray = {
    $or: [
      { step: { $nin: ["run", "rest"] } },
      { step: "rest", $expr: { $ne: ["$now", "$until"] } },
      { now: { $not: { $gte: 0 } } },
      { until: { $not: { $gte: 0 } } },
      { $expr: { $gt: ["$now", "$until"] } },
    ],
  };
  for await (const found of books.find<Found>("billing_clocks", astray)) {
    const { now, until } = found;
    report(books, "test clock", found, `is at ${now}, and was set to ${until}`);
  }
}
