// Collects an open invoice: makes the attempt that is under way, which is a payment of its own, and
// stores its outcome. The invoice changes first and the subscription second: a driver that resumes
// in between finds the attempt decided, and goes on from there. While the outcome of an attempt is
// unknown, the same payment is asked again: it is not a failure, and no second attempt is made
// beside it.

import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { Payment } from "../payments/payment.model.ts";
import type { BillingDeps } from "./deps.ts";
import { type BillingTime, close, waitUntil } from "./due-dates.ts";
import { afterAttempt, decline, nextAttempt, pay } from "./dunning.ts";
import type { CollectionAttempt, Invoice } from "./invoice.model.ts";
import { payAttempt } from "./renewal.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/** Another driver changed the document first: read it again in 100 ms. */
const READ_AGAIN: Change<Subscription> = { set: {}, next: 100 };

/**
 * Collections of the business are paused: nothing is charged or declined, and no dunning begins. A
 * test clock goes on without the subscription.
 */
const UNTIL_UNPAUSED: Change<Subscription> = { set: { dueAt: undefined }, next: 10_000 };

/** A process that does not know waits too. */
function isPaused({ controls }: BillingDeps, { businessId }: Subscription): boolean {
  try {
    return controls.find("collection", { businessId }) !== null;
  } catch {
    return true;
  }
}

/** Makes the attempt that is under way at the open invoice, and stores its outcome. */
export async function collect(
  deps: BillingDeps,
  subscription: Subscription,
  time: BillingTime,
  open: Invoice,
): Promise<Change<Subscription>> {
  const collecting = subscription.collecting as Collecting;
  if (isDecided(open, collecting)) return afterAttempt(subscription, open, time);
  if (isPaused(deps, subscription) && !(await isBegun(deps, collecting))) return UNTIL_UNPAUSED;
  const tried = await tryToCollect(deps, subscription, open, time);
  if (!tried) return READ_AGAIN;
  const { invoice, payment } = tried;
  // An invoice for nothing has no payment.
  const { status, failureReason } = payment ?? { status: "SUCCEEDED" };
  if (status === "PENDING") return askedAgain(subscription, deps.clock.now());
  // The merchant may have cancelled during the attempt, and then a decline is not tried again.
  if (status === "FAILED" && !(await isCurrent(deps, subscription))) return READ_AGAIN;
  await deps.reached("renewal-ended", subscription);
  const change =
    status === "SUCCEEDED"
      ? pay(invoice, payment, time)
      : decline(subscription, invoice, time, failureReason);
  const ended = await deps.invoices.machine.transition(invoice, change);
  if (!ended) return READ_AGAIN;
  void deps.invoices.machine.relay(ended);
  await deps.reached("invoice-ended", subscription);
  return afterAttempt(subscription, ended, time);
}

/** Whether the payment of the attempt is stored: its card may be charged by then. */
async function isBegun({ payments }: BillingDeps, { paymentId: _id }: Collecting) {
  return (await payments.documents.countDocuments({ _id }, { ...MAJORITY, limit: 1 })) === 1;
}

function isDecided({ step, attempts }: Invoice, { attempt }: Collecting): boolean {
  return step === "closed" || attempts[attempt - 1]?.status === "FAILED";
}

/** Whether the stored subscription is still this one. */
async function isCurrent({ subscriptions }: BillingDeps, { _id, v }: Subscription) {
  return (
    (await subscriptions.documents.countDocuments({ _id, v }, { ...MAJORITY, limit: 1 })) === 1
  );
}

/**
 * Makes the attempt, or asks for its outcome. An invoice for nothing is paid without an attempt.
 * @returns null if another driver changed the invoice first
 */
async function tryToCollect(
  deps: BillingDeps,
  subscription: Subscription,
  open: Invoice,
  { now }: BillingTime,
): Promise<{ invoice: Invoice; payment?: Payment } | null> {
  if (open.chargeMinor === 0) return { invoice: open };
  const { methodId } = subscription;
  const { attempt, paymentId } = subscription.collecting as Collecting;
  const next: CollectionAttempt = { paymentId, methodId, at: now, status: "PENDING" };
  const set = { attempts: [...open.attempts, next], nextTryAt: undefined };
  const isStored = open.attempts.length >= attempt;
  const invoice = isStored
    ? open
    : await deps.invoices.machine.transition(open, { set, next: "never" });
  if (!invoice) return null;
  return { invoice, payment: await payAttempt(deps, subscription, invoice) };
}

/** The step `retry`: begins the next attempt once it is due, or gives the invoice up. */
export async function retry(
  deps: BillingDeps,
  subscription: Subscription,
  time: BillingTime,
): Promise<Change<Subscription>> {
  const { dueAt = time.dueBy } = subscription;
  const collecting = nextAttempt(subscription, deps.newId(), time.now);
  if (!collecting) {
    await voidInvoice(deps, (subscription.collecting as Collecting).invoiceId);
    return close({ collecting: undefined });
  }
  if (dueAt > time.dueBy) return waitUntil(dueAt, time);
  if (isPaused(deps, subscription)) return UNTIL_UNPAUSED;
  return { set: { step: "collect", collecting, dueAt: time.now }, next: "now" };
}

async function voidInvoice(deps: BillingDeps, invoiceId: string): Promise<void> {
  const invoice = await deps.invoices.find(invoiceId);
  if (invoice.step === "closed") return;
  const changed = await deps.invoices.machine.transition(invoice, {
    set: { step: "closed", nextTryAt: undefined },
    enter: ["void"],
    next: "never",
  });
  // The other driver goes on, or the subscription is due again after the lease.
  if (!changed) throw new Error(`Another driver changed invoice ${invoiceId}`);
  void deps.invoices.machine.relay(changed);
}
