// The logs of usage: each entry follows the entry before it and counts each report in the period
// that bills it, and the closing of a period is the sum of its reports. An entry that closes a
// period is stored before the invoice, while its subscription issues that invoice. So the
// subscription is read after the entry, and the invoice after the subscription. Memory is flat: one
// entry of a log is kept.

import { type Books, inBatches, PHASES } from "../books.ts";
import { type Invoice, readLines } from "../kinds/invoices.ts";
import { readDocuments } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { isInArrears, type Subscription } from "../kinds/subscriptions.ts";
import { exact, linesText, lineText, millionths, toCents } from "./line-amounts.ts";
import { countPassed, LATEST_MS, startOfPeriod } from "./periods.ts";

const READ_AT_ONCE = 1_000;
const INVOICE_FIELDS = {
  subscriptionId: 1,
  occasion: 1,
  periodStart: 1,
  periodEnd: 1,
  "lines.quantity": 1,
  "lines.amountMinor": 1,
};

/** Whole millionths, in decimal digits. */
interface Used {
  units: string;
  late: string;
}

interface Entry {
  _id: string;
  subscriptionId: string;
  businessId: string;
  seq: number;
  open: number | null;
  periods: Record<string, Used>;
  units?: string;
  at?: number;
  period?: number;
  isLate?: boolean;
  closes?: number;
  closed?: Used;
}

/** The fields that an entry must have after the entry before it. */
type After = Pick<Entry, "open" | "periods">;

const NONE: Used = { units: "0", late: "0" };
const BEFORE_ALL: After & Pick<Entry, "seq"> = { seq: -1, open: 0, periods: {} };

/** Checks every log of usage, and the bill of every closed period. */
export async function verifyUsage(books: Books): Promise<void> {
  const { find, findings, began, looked } = books;
  // Sorted by place, because the ids of entries are not in the order of their places.
  const cursor = find<Entry>(PHASES.usage, { subscriptionId: { $lt: began } })
    .sort({ subscriptionId: 1, seq: 1 })
    .batchSize(READ_AT_ONCE);
  let previous: Entry | null = null;
  for await (const batch of inBatches(cursor, READ_AT_ONCE)) {
    const ids = batch.map(({ subscriptionId }) => subscriptionId);
    const subscriptions = await readDocuments(books, KINDS.subscriptions, ids);
    for (const entry of batch) {
      const { subscriptionId } = entry;
      const before = previous?.subscriptionId === subscriptionId ? previous : BEFORE_ALL;
      const problem = findProblem(before, entry, subscriptions.get(subscriptionId));
      if (problem) findings.violation("usage", `${describeEntry(entry)} ${problem}`);
      previous = entry;
    }
    await verifyBilled(books, batch, subscriptions);
    looked("usage", batch.length);
  }
}

function describeEntry({ _id, subscriptionId, seq }: Entry): string {
  return `entry ${_id} (${seq} of subscription ${subscriptionId})`;
}

function findProblem(
  before: typeof BEFORE_ALL,
  entry: Entry,
  subscription: Subscription | undefined,
): string | null {
  if (!subscription) return "is of no subscription";
  if (!isInArrears(subscription.plan)) return "is of a subscription that is not billed by usage";
  const { businessId } = subscription;
  if (entry.businessId !== businessId) return `is of ${entry.businessId}, not of ${businessId}`;
  if (entry.seq !== before.seq + 1) return `has no entry ${before.seq + 1} before it`;
  if (before.open === null) return "comes after all was closed";
  const open = { open: before.open, periods: Object(before.periods) as Entry["periods"] };
  const after = entry.closes === undefined ? reported(open, entry) : settled(open, entry);
  const wrong = entry.closes === undefined ? misplaced(open, entry, subscription) : null;
  if (typeof after === "string" || wrong) return wrong ?? (after as string);
  if (entry.open !== after.open) return `leaves ${entry.open} open instead of ${after.open}`;
  const [actual, expected] = [entry, after].map(({ periods }) => periodsText(periods));
  return actual === expected ? null : `counts ${actual}, the reports come to ${expected}`;
}

type Open = { open: number; periods: Entry["periods"] };

/** The count after a report, or the problem with the report. */
function reported({ open, periods }: Open, { units, period, isLate }: Entry): After | string {
  const counted = periods[String(period)] ?? NONE;
  const all = plus(counted.units, units);
  const late = isLate ? plus(counted.late, units) : counted.late;
  if (all === null || late === null) return `reports ${units}, which is no number of units`;
  return { open, periods: { ...periods, [String(period)]: { units: all, late } } };
}

/**
 * A report counts in its own period; if that is closed, in the lowest open period. The last moment
 * of all belongs to the period that it ends.
 */
function misplaced({ open }: Open, entry: Entry, subscription: Subscription): string | null {
  const { at = Number.NaN, period = Number.NaN, isLate } = entry;
  const [begins, ends] = [period, period + 1].map((k) => startOfPeriod(subscription, k)) as [
    number,
    number,
  ];
  const isIn = isLate
    ? period === open && at < begins
    : period >= open && begins <= at && (at < ends || at === LATEST_MS);
  return isIn ? null : `counts usage of ${at} in period ${period}`;
}

/** The rest of the count after a period is closed, or the problem with the closing. */
function settled({ open, periods }: Open, entry: Entry): After | string {
  if (entry.closes !== open) return `closes period ${entry.closes}, and ${open} is open`;
  const { [String(open)]: counted, ...later } = periods;
  const [actual, expected] = [entry.closed, counted ?? NONE].map(usageText);
  if (actual !== expected)
    return `closes period ${open} with ${actual}, its reports come to ${expected}`;
  return entry.open === null ? { open: null, periods: {} } : { open: open + 1, periods: later };
}

/** The sum of two numbers of units; null if one of them is not a number of units. */
function plus(one: unknown, other: unknown): string | null {
  const a = millionths(one);
  const b = millionths(other);
  return a === null || b === null ? null : String(a + b);
}

function periodsText(periods: unknown): string {
  const counted = Object.entries(Object(periods) as Entry["periods"]);
  const sorted = counted.toSorted(([a], [b]) => Number(a) - Number(b));
  return sorted.map(([k, used]) => `${k}: ${usageText(used)}`).join("; ") || "nothing";
}

function usageText(used: Used | undefined): string {
  return `${used?.units} (${used?.late} late)`;
}

/** A closed period is on an invoice at its price, or its invoice is being issued. */
async function verifyBilled(
  { find, findings }: Books,
  batch: Entry[],
  subscriptions: Map<string, Subscription>,
): Promise<void> {
  const closings = batch.filter(({ closes }) => closes !== undefined);
  if (closings.length === 0) return;
  const wanted = {
    subscriptionId: { $in: [...new Set(closings.map(({ subscriptionId }) => subscriptionId))] },
    occasion: { $in: [...new Set(closings.flatMap(possibleOccasions))] },
  };
  const cursor = find<Invoice>(PHASES.invoices, wanted, { projection: INVOICE_FIELDS });
  const invoices = new Map<string, Invoice>();
  for await (const invoice of cursor) {
    invoices.set(`${invoice.subscriptionId} ${invoice.occasion}`, invoice);
  }
  for (const closing of closings) {
    const subscription = subscriptions.get(closing.subscriptionId);
    if (!subscription) continue;
    const occasions = possibleOccasions(closing);
    const found = occasions.map((each) => invoices.get(`${closing.subscriptionId} ${each}`));
    const invoice = found.find(Boolean);
    const isIssuing = occasions.includes(subscription.issuing?.occasion ?? "");
    const isRight = isIssuing || isNothing(subscription, closing);
    const missing = isRight ? null : `closes period ${closing.closes}, which is not billed`;
    const problem = invoice ? linesProblem(subscription, closing, invoice) : missing;
    if (problem) findings.violation("usage", `${describeEntry(closing)} ${problem}`);
  }
}

/** A last period without length and without usage is not billed. */
function isNothing(subscription: Subscription, closing: Entry): boolean {
  const { step, cancelledAt } = subscription;
  const isNoTime = cancelledAt === startOfPeriod(subscription, closing.closes ?? Number.NaN);
  const isEnd = step === "closed" && closing.open === null;
  return isEnd && isNoTime && usageCost(subscription, closing).amountMinor === 0;
}

/** The occasions under which a closed period may be billed. */
function possibleOccasions({ closes, open }: Entry): string[] {
  return [`period:${closes}`, ...(open === null ? ["end"] : [])];
}

function linesProblem(subscription: Subscription, closing: Entry, invoice: Invoice): string | null {
  const { _id, periodStart, periodEnd } = invoice;
  const baseFee = subscription.plan?.charge?.consumptionDetails?.baseFee;
  const { quantity, amountMinor } = usageCost(subscription, closing);
  const hasBaseFee = baseFee !== undefined && periodEnd > periodStart;
  const expected = [
    ...(hasBaseFee ? [lineText(1, Math.round(baseFee * 100))] : []),
    lineText(quantity, amountMinor),
  ].join(", ");
  const actual = linesText(readLines(invoice));
  if (actual === expected) return null;
  return `is billed as ${actual} by the invoice ${_id} instead of ${expected}`;
}

/** The usage above the included units, and its price. */
function usageCost({ plan }: Subscription, { closed }: Entry) {
  const { costPerUnit = 0, minimumUnits = 0 } = plan?.charge?.consumptionDetails ?? {};
  const over = (millionths(closed?.units) ?? 0n) - exact(minimumUnits);
  const billed = over > 0n ? over : 0n;
  return { quantity: Number(`${billed}e-6`), amountMinor: toCents(billed * exact(costPerUnit)) };
}

/**
 * Checks that a log reaches as far as its subscription stores, and that the usage of every passed
 * period is closed. The end of a log is stored before its subscription names it.
 */
export async function verifyClosings(books: Books, batch: Subscription[]): Promise<void> {
  const byUsage = batch.filter((each) => isInArrears(each.plan));
  if (byUsage.length === 0) return;
  const found = books.aggregate<Pick<Entry, "seq" | "open"> & { _id: string }>(PHASES.usage, [
    { $match: { subscriptionId: { $in: byUsage.map(({ _id }) => _id) } } },
    { $sort: { subscriptionId: -1, seq: -1 } },
    { $group: { _id: "$subscriptionId", open: { $first: "$open" }, seq: { $first: "$seq" } } },
  ]);
  const last = new Map<string, Pick<Entry, "seq" | "open">>();
  for await (const { _id, ...entry } of found) last.set(_id, entry);
  for (const subscription of byUsage) {
    const { seq, open } = last.get(subscription._id) ?? BEFORE_ALL;
    const { usageEntries = 0 } = subscription;
    const closed = open ?? Infinity;
    const passed = countPassed(subscription);
    const report = (problem: string) =>
      books.findings.violation("usage", `subscription ${subscription._id} ${problem}`);
    if (seq + 1 < usageEntries) {
      report(`has ${usageEntries} entries of usage, of which ${seq + 1} exist`);
    }
    if (closed < passed) {
      report(`has passed ${passed} periods, of which the usage of ${closed} is closed`);
    }
  }
}
