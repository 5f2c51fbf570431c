// Checks invoices against their lines, their subscriptions, the payments that were tried for them,
// and one another. A payment ends before its invoice stores the end, and an invoice ends before its
// subscription goes on. So payments and subscriptions are read after the invoice, and an invoice
// that may have ended in between is read again.

import { type Books, PHASES, readAll } from "../books.ts";
import { type Invoice, parsePeriod, readAttempts, readLines } from "../kinds/invoices.ts";
import { readDocuments, reporter } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { feesOf, type Payment } from "../kinds/payments.ts";
import { isInArrears, ownersText, type Subscription } from "../kinds/subscriptions.ts";
import { exact, linesText, lineText, toCents } from "./line-amounts.ts";
import { countPassed, startOfPeriod } from "./periods.ts";

export async function verifyInvoices(books: Books, batch: Invoice[]): Promise<void> {
  const owners = batch.map(({ subscriptionId }) => subscriptionId);
  const subscriptions = await readDocuments(books, KINDS.subscriptions, owners);
  const named = batch.flatMap((invoice) => readAttempts(invoice).map(({ paymentId }) => paymentId));
  const payments = await readDocuments(books, KINDS.payments, named);
  const report = reporter(books, KINDS.invoices);
  const left: Invoice[] = [];
  for (const invoice of batch) {
    const subscription = subscriptions.get(invoice.subscriptionId);
    report(invoice, linesProblem(invoice));
    report(invoice, subscription ? planProblem(invoice, subscription) : "is of no subscription");
    for (const problem of attemptProblems(invoice, payments)) report(invoice, problem);
    if (!subscription || isAt(subscription, invoice)) continue;
    if (isOpen(invoice)) left.push(invoice);
    const goesOn = invoice.status === "void" && subscription.cancelledAt === undefined;
    report(invoice, goesOn ? "is void, and its subscription goes on" : null);
  }
  // These invoices were open when they were read, and their subscription had gone on since: they
  // are open no more.
  const ids = left.map(({ _id }) => _id);
  const again = await readDocuments(books, KINDS.invoices, ids);
  for (const invoice of left) {
    const now = again.get(invoice._id);
    if (now && isOpen(now)) report(invoice, "is open, and no subscription collects it");
  }
  await verifyNumbers(books, batch);
}

function linesProblem(invoice: Invoice): string | null {
  const { totalMinor, occasion, periodStart, periodEnd } = invoice;
  const sum = readLines(invoice).reduce(
    (all, { amountMinor = Number.NaN }) => all + amountMinor,
    0,
  );
  if (sum !== totalMinor) return `is over ${totalMinor}, its lines come to ${sum}`;
  if (!(totalMinor >= 0)) return `is over ${totalMinor}`;
  // Usage at the moment of a boundary is billed on its own if the subscription is cancelled at that
  // moment.
  const isTime = periodStart < periodEnd || (occasion === "end" && periodStart === periodEnd);
  return isTime ? null : `is of ${periodStart} to ${periodEnd}, which is no time`;
}

function planProblem(invoice: Invoice, subscription: Subscription): string | null {
  const { plan } = subscription;
  const [actual, expected] = [invoice, { ...subscription, currency: plan?.currency }].map(
    ownersText,
  );
  if (actual !== expected) return `is for ${actual}, its subscription ${expected}`;
  const { occasion, totalMinor, chargeMinor, feesMinor, amountMinor } = invoice;
  const period = parsePeriod(occasion);
  const isKnown = period !== null || /^(end|seats:.+)$/.test(occasion);
  if (!isKnown) return `is for ${occasion}, for which nothing is billed`;
  const wrong = timeProblem(invoice, subscription) ?? priceProblem(invoice, subscription);
  if (wrong) return wrong;
  const money = [chargeMinor, feesMinor, amountMinor];
  if (money.some((minor) => !Number.isSafeInteger(minor))) return "has no amounts";
  const isRight =
    totalMinor === 0 ? money.every((minor) => minor === 0) : isChargeRight(invoice, plan);
  return isRight ? null : `charges ${chargeMinor} less ${feesMinor} for a total of ${totalMinor}`;
}

/** The period has begun, and lies where its subscription's anchor puts it. */
function timeProblem(invoice: Invoice, subscription: Subscription): string | null {
  const { occasion, periodStart, periodEnd } = invoice;
  const { plan, boundary, issuing, cancelledAt } = subscription;
  const isEnd = occasion === "end";
  if (isEnd && cancelledAt === undefined) return "is the end of a subscription that goes on";
  // Invoices for seats within a period, and the last invoice of seats, have no period of their own.
  if (isEnd && !isInArrears(plan)) return null;
  const period = isEnd ? lastPeriod(subscription) : parsePeriod(occasion);
  if (period === null) return null;
  const isIssuing = issuing?.occasion === occasion;
  const hasCome = isIssuing || period < countPassed({ plan, boundary });
  if (!hasCome) return `is for ${occasion}, which has not come`;
  const begins = startOfPeriod(subscription, period);
  const ends = isEnd ? cancelledAt : startOfPeriod(subscription, period + 1);
  if (periodStart === begins && periodEnd === ends) return null;
  return `is of ${periodStart} to ${periodEnd}, period ${period} of ${begins} to ${ends}`;
}

/**
 * A period that is billed in advance costs the price of its plan. The price is on the first lines,
 * after a credit from an earlier invoice. Usage is checked against its log (usage.ts).
 */
function priceProblem(invoice: Invoice, { plan }: Subscription): string | null {
  if (parsePeriod(invoice.occasion) === null || isInArrears(plan)) return null;
  const all = readLines(invoice);
  const own = (all[0]?.amountMinor ?? 0) < 0 ? all.slice(1) : all;
  const { amountMinor, charge } = plan;
  const { costPerSeat = 0, baseFee } = charge?.seatDetails ?? {};
  const fees = baseFee === undefined ? [] : [lineText(1, Math.round(baseFee * 100))];
  const seats = own[fees.length]?.quantity ?? Number.NaN;
  const isSeats = Number.isSafeInteger(seats) && seats >= 0;
  const seatsMinor = isSeats ? toCents(exact(seats) * exact(costPerSeat)) : Number.NaN;
  const isSeating = charge?.type === "seating";
  const expected = isSeating ? [...fees, lineText(seats, seatsMinor)] : [lineText(1, amountMinor)];
  const actual = linesText(own.slice(0, expected.length));
  if (actual === expected.join(", ")) return null;
  return `bills ${actual} for a period of ${expected.join(", ")}`;
}

/** The period that is billed together with the end of a subscription by usage. */
function lastPeriod({ boundary, issuing }: Subscription): number {
  return issuing?.occasion === "end" ? Math.max(0, boundary - 1) : boundary - 2;
}

/**
 * If the customer pays the fee, the charge that is asked for is the smallest that leaves the total.
 * The fee comes out of what was charged.
 */
function isChargeRight(
  { totalMinor, chargeMinor, askedMinor = chargeMinor, feesMinor, amountMinor }: Invoice,
  { customerPays, fee }: Subscription["plan"],
): boolean {
  const left = (charge: number) => charge - feesOf(fee, charge);
  const isCharge = customerPays
    ? left(askedMinor) >= totalMinor && left(askedMinor - 1) < totalMinor
    : askedMinor === totalMinor;
  const fees = feesOf(fee, chargeMinor);
  return isCharge && feesMinor === fees && amountMinor === chargeMinor - fees;
}

function attemptProblems(invoice: Invoice, payments: Map<string, Payment>): (string | null)[] {
  return readAttempts(invoice).map(({ paymentId, status }, i) => {
    if (status === "PENDING") return null;
    const payment = payments.get(paymentId);
    const isOwn = payment?.renewal?.invoiceId === invoice._id && payment.renewal.attempt === i + 1;
    const is = isOwn ? payment.status : "is not there";
    return is === status ? null : `has attempt ${i + 1} (${paymentId}) as ${status}, which ${is}`;
  });
}

function isOpen({ status }: Invoice): boolean {
  return status === "open" || status === "failed";
}

/** Whether the subscription works on this invoice; it may not yet store that the invoice exists. */
function isAt({ issuing, collecting }: Subscription, { _id, occasion }: Invoice): boolean {
  return collecting?.invoiceId === _id || issuing?.occasion === occasion;
}

/** Each number was given by the counter of the business, and to one invoice. */
async function verifyNumbers(books: Books, batch: Invoice[]): Promise<void> {
  const byBusiness = [...Map.groupBy(batch, ({ businessId }) => businessId)];
  if (byBusiness.length === 0) return;
  const wanted = byBusiness.map(([businessId, invoices]) => ({
    businessId,
    number: { $in: invoices.map(({ number }) => number) },
  }));
  const projection = { businessId: 1, number: 1 };
  const found = await books
    .find<Invoice>(PHASES.invoices, { $or: wanted }, { projection })
    .toArray();
  const businesses = byBusiness.map(([businessId]) => businessId);
  const counts = await readAll<{ _id: string; last: number }>(books, "invoice_counts", businesses, {
    last: 1,
  });
  const report = reporter(books, KINDS.invoices);
  const numberKey = ({ businessId, number }: Invoice) => `${businessId} ${number}`;
  const sameNumber = Map.groupBy(found, numberKey);
  for (const invoice of batch) {
    const { businessId, number } = invoice;
    const last = counts.get(businessId)?.last ?? 0;
    const isGiven = Number.isSafeInteger(number) && number >= 1 && number <= last;
    report(invoice, isGiven ? null : `has the number ${number}, ${last} were given`);
    const others =
      sameNumber.get(numberKey(invoice))?.filter(({ _id }) => _id !== invoice._id) ?? [];
    const [other] = others;
    report(invoice, other ? `has the number ${number}, as ${other._id} has` : null);
  }
}
