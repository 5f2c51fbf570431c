// Collecting an open invoice: the attempt that is under way, a payment of its own, and what follows from
// its end. The invoice is changed first, then the subscription: whoever begins again in between finds
// the attempt decided, and goes on from there. An attempt of which nobody knows is asked for again, with
// the same payment; it is never a failure, and no other attempt is made beside it.

import type { PaymentStatus } from "../../../shared/contracts/payment-links.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { CLOSED, type Moment, restsUntil, waits } from "./due-dates.ts";
import { isGivenUp, nextTryAfter } from "./dunning.ts";
import type { Attempt, Invoice } from "./invoice.model.ts";
import { renew } from "./renewal.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/** No attempt is under way any more, and all is known of the last one. */
const DECIDED = { unknownSince: undefined, needsAttention: false };
/** Who drove the subscription before it was changed by others was at the invoice still. */
const LOOKED_AT_AGAIN: Change<Subscription> = { set: {}, next: 100 };

export async function collect(
  deps: BillingDeps,
  subscription: Subscription,
  moment: Moment,
): Promise<Change<Subscription>> {
  const collecting = subscription.collecting as Collecting;
  const open = await deps.findInvoice(collecting.invoiceId);
  if (isDecided(open, collecting)) return after(subscription, open, moment);
  const tried = await attempted(deps, subscription, open, moment);
  if (!tried) return LOOKED_AT_AGAIN;
  const { invoice, status, reason } = tried;
  if (status === "PENDING") return askedAgain(subscription, deps.clock.now());
  // Whether a decline is tried again, and who hears so, goes by the subscription as it is now.
  if (status === "FAILED" && !(await isCurrent(deps, subscription))) return LOOKED_AT_AGAIN;
  await deps.at("renewal-ended", subscription);
  const ended = await deps.invoiceMachine.transition(
    invoice,
    status === "SUCCEEDED"
      ? paid(invoice, moment)
      : declined(subscription, invoice, moment, reason),
  );
  if (!ended) return LOOKED_AT_AGAIN;
  deps.invoiceMachine.relay(ended);
  await deps.at("invoice-ended", subscription);
  return after(subscription, ended, moment);
}

/** Nobody has changed it meanwhile: it may have been cancelled while its attempt was under way. */
async function isCurrent({ subscriptions }: BillingDeps, { _id, v }: Subscription) {
  return (await subscriptions.countDocuments({ _id, v }, { ...MAJORITY, limit: 1 })) === 1;
}

function isDecided({ step, attempts }: Invoice, { attempt }: Collecting): boolean {
  return step === "closed" || attempts[attempt - 1]?.status === "FAILED";
}

/**
 * The attempt as far as it has come; where nothing is charged, it is there without one.
 * @returns null where somebody else changed the invoice first
 */
async function attempted(
  deps: BillingDeps,
  subscription: Subscription,
  open: Invoice,
  { now }: Moment,
): Promise<{ invoice: Invoice; status: PaymentStatus; reason?: string } | null> {
  if (open.chargeMinor === 0) return { invoice: open, status: "SUCCEEDED" };
  const { methodId } = subscription;
  const { attempt, paymentId } = subscription.collecting as Collecting;
  const next: Attempt = { paymentId, methodId, at: now, status: "PENDING" };
  const set = { attempts: [...open.attempts, next], nextTryAt: undefined };
  const isThere = open.attempts.length >= attempt;
  const invoice = isThere
    ? open
    : await deps.invoiceMachine.transition(open, { set, next: "never" });
  if (!invoice) return null;
  const { status, failureReason } = await renew(deps, subscription, invoice);
  return { invoice, status, ...(failureReason !== undefined && { reason: failureReason }) };
}

function paid(invoice: Invoice, { now }: Moment): Change<Invoice> {
  return {
    set: { step: "closed", paidAt: now, attempts: withLast(invoice, { status: "SUCCEEDED" }) },
    enter: ["paid"],
    next: "never",
  };
}

/** It is tried again, or was for the last time. */
function declined(
  subscription: Subscription,
  invoice: Invoice,
  { now }: Moment,
  reason = "",
): Change<Invoice> {
  const attempts = withLast(invoice, { status: "FAILED", at: now, reason });
  const collecting = subscription.collecting as Collecting;
  const nextTryAt = nextTryAfter({ ...collecting, failedAt: attempts[0]?.at ?? now }, now);
  if (nextTryAt === null || isGivenUp(subscription)) {
    return { set: { step: "closed", attempts }, enter: ["failed", "void"], next: "never" };
  }
  return { set: { attempts, nextTryAt }, enter: ["failed"], next: "never" };
}

function withLast({ attempts }: Invoice, end: Partial<Attempt>): Attempt[] {
  return attempts.map((each, i) => (i === attempts.length - 1 ? { ...each, ...end } : each));
}

/** The open invoice is not collected any more. */
export async function voidInvoice(deps: BillingDeps, { invoiceId }: Collecting): Promise<void> {
  const invoice = await deps.findInvoice(invoiceId);
  if (invoice.step === "closed") return;
  const set = { step: "closed" as const, nextTryAt: undefined };
  const ended: Change<Invoice> = { set, enter: ["void"], next: "never" };
  const changed = await deps.invoiceMachine.transition(invoice, ended);
  // Whoever is at it goes on, or this is due again after the lease.
  if (!changed) throw new Error(`Invoice ${invoice._id} was changed by somebody else`);
  deps.invoiceMachine.relay(changed);
}

/** What becomes of the subscription once the attempt is decided. */
function after(subscription: Subscription, invoice: Invoice, moment: Moment): Change<Subscription> {
  if (invoice.status === "paid") return afterPaid(subscription, moment);
  return invoice.step === "closed"
    ? afterVoid(subscription, moment)
    : afterDeclined(subscription, invoice, moment);
}

function afterPaid(subscription: Subscription, moment: Moment): Change<Subscription> {
  const { set, next } = waits({ ...subscription, step: "wait" }, moment);
  return {
    set: { ...DECIDED, ...set, collecting: undefined },
    enter: subscription.status === "past_due" ? ["active"] : [],
    next,
  };
}

/**
 * It is tried again when it is time; with a method that was saved meanwhile, at once. Where it was cancelled
 * just then, and is given up, that is next.
 */
function afterDeclined(
  subscription: Subscription,
  { attempts, nextTryAt }: Invoice,
  moment: Moment,
): Change<Subscription> {
  const { status, collecting, methodId } = subscription;
  const isCharged = attempts.at(-1)?.methodId === methodId;
  const rests = isCharged && !isGivenUp(subscription);
  const { set, next } = restsUntil((rests && nextTryAt) || moment.now, moment);
  const failedAt = attempts[0]?.at ?? moment.now;
  return {
    set: {
      ...DECIDED,
      ...set,
      step: "retry",
      collecting: { ...(collecting as Collecting), failedAt },
    },
    enter: status === "active" ? ["past_due"] : [],
    next,
  };
}

/** The last attempt was declined. */
function afterVoid({ status, cancelledAt }: Subscription, { now }: Moment): Change<Subscription> {
  return {
    ...CLOSED,
    set: {
      ...DECIDED,
      ...CLOSED.set,
      collecting: undefined,
      cancelledAt: cancelledAt ?? now,
      ...(status !== "cancelled" && { isUnpaid: true as const }),
    },
    enter: status === "cancelled" ? [] : ["cancelled"],
  };
}
