// Dunning: the changes that follow from the end of an attempt at an invoice. A declined invoice is
// tried again 1, 3, 5 and 7 days after the first decline; an attempt that a new payment method
// causes takes no retry away. A retry that comes late, because no node ran, is followed by the next
// one a day later. Pure.

import { MAX_ATTEMPTS } from "../../../shared/contracts/subscriptions.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import type { Payment } from "../payments/payment.model.ts";
import { type BillingTime, close, waitForNext, waitUntil } from "./due-dates.ts";
import type { CollectionAttempt, Invoice } from "./invoice.model.ts";
import { parseOccasion } from "./occasion.ts";
import { isInArrears } from "./plan.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

const DAY_MS = 24 * 3_600_000;
const RETRIED_AFTER_DAYS = [1, 3, 5, 7];

/** No attempt is under way, and the outcome of the last one is known. */
const DECIDED = { unknownSince: undefined, needsAttention: false };

/**
 * Whether a declined invoice is given up: a period of service is not owed once its subscription is
 * cancelled. Usage is owed, and so is the invoice of the end.
 */
export function isGivenUp({
  status,
  plan,
  collecting,
}: Pick<Subscription, "status" | "plan" | "collecting">): boolean {
  if (status !== "cancelled" || isInArrears(plan)) return false;
  return !collecting || parseOccasion(collecting.occasion).kind !== "end";
}

/**
 * The next attempt, a payment of its own.
 * @param now epoch ms by the business's clock: it decides whether the attempt is a retry of the
 *   schedule
 * @returns null if the invoice is given up
 */
export function nextAttempt(
  subscription: Subscription,
  paymentId: string,
  now: number,
): Collecting | null {
  if (isGivenUp(subscription)) return null;
  const collecting = subscription.collecting as Collecting;
  const { attempt, retries, failedAt } = collecting;
  const days = RETRIED_AFTER_DAYS[retries];
  const isRetry = failedAt !== undefined && days !== undefined && now >= failedAt + days * DAY_MS;
  return {
    ...collecting,
    attempt: attempt + 1,
    paymentId,
    retries: retries + (isRetry ? 1 : 0),
  };
}

/**
 * The change of an invoice of which the last attempt succeeded. The billed total stays. The charge
 * is the payment's: the acquirer may have captured another sum, and an admin may have accepted that
 * one.
 * @param payment none for an invoice for nothing
 */
export function pay(
  invoice: Invoice,
  payment: Payment | undefined,
  { now }: BillingTime,
): Change<Invoice> {
  return {
    set: { step: "closed", paidAt: now, ...(payment && takenSum(payment)) },
    ...endLast(invoice, { status: "SUCCEEDED" }),
    enter: ["paid"],
    next: "never",
  };
}

function takenSum({ askedMinor, totalMinor: chargeMinor, feesMinor, amountMinor }: Payment) {
  return askedMinor === undefined ? {} : { askedMinor, chargeMinor, feesMinor, amountMinor };
}

/** The change of an invoice of which the last attempt was declined: it is tried again, or void. */
export function decline(
  subscription: Subscription,
  invoice: Invoice,
  { now }: BillingTime,
  reason = "",
): Change<Invoice> {
  const ended = endLast(invoice, { status: "FAILED", at: now, reason });
  const [first, ...others] = invoice.attempts;
  const failedAt = first && others.length > 0 ? first.at : now;
  const nextTryAt = nextTry(subscription.collecting as Collecting, failedAt, now);
  if (nextTryAt === null || isGivenUp(subscription)) {
    return { set: { step: "closed" }, ...ended, enter: ["failed", "void"], next: "never" };
  }
  return { set: { nextTryAt }, ...ended, enter: ["failed"], next: "never" };
}

/**
 * When the next attempt is due, after a decline.
 * @param failedAt epoch ms of the first decline
 * @param now epoch ms of this decline
 * @returns epoch ms; null after the last attempt
 */
function nextTry({ retries, attempt }: Collecting, failedAt: number, now: number): number | null {
  const days = RETRIED_AFTER_DAYS[retries];
  if (days === undefined || attempt >= MAX_ATTEMPTS) return null;
  const planned = failedAt + days * DAY_MS;
  return planned > now ? planned : now + DAY_MS;
}

/** The end of the last attempt; an invoice for nothing has none. */
function endLast(
  { attempts }: Invoice,
  set: Partial<CollectionAttempt>,
): Pick<Change<Invoice>, "amend"> {
  if (attempts.length === 0) return {};
  return { amend: { list: "attempts", index: attempts.length - 1, set } };
}

/** The change of a subscription after its attempt is decided. */
export function afterAttempt(
  subscription: Subscription,
  invoice: Invoice,
  time: BillingTime,
): Change<Subscription> {
  if (invoice.status === "paid") return afterPaid(subscription, time);
  return invoice.step === "closed"
    ? afterVoid(subscription, time)
    : afterDecline(subscription, invoice, time);
}

function afterPaid(subscription: Subscription, time: BillingTime): Change<Subscription> {
  const { set, next } = waitForNext(subscription, time);
  return {
    set: { ...DECIDED, ...set, collecting: undefined },
    enter: subscription.status === "past_due" ? ["active"] : [],
    next,
  };
}

/**
 * The subscription waits for the next attempt. It does not wait if the customer has saved another
 * method since, or if the merchant has just cancelled and the invoice is given up.
 */
function afterDecline(
  subscription: Subscription,
  { attempts, nextTryAt }: Invoice,
  time: BillingTime,
): Change<Subscription> {
  const { status, collecting, methodId } = subscription;
  const isSameMethod = attempts.at(-1)?.methodId === methodId;
  const isWaiting = isSameMethod && !isGivenUp(subscription);
  const { set, next } = waitUntil((isWaiting && nextTryAt) || time.now, time);
  const failedAt = attempts[0]?.at ?? time.now;
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

/** The last attempt was declined: the subscription ends. */
function afterVoid(
  { status, cancelledAt }: Subscription,
  { now }: BillingTime,
): Change<Subscription> {
  const isCancelled = status === "cancelled";
  return {
    ...close({
      ...DECIDED,
      collecting: undefined,
      cancelledAt: cancelledAt ?? now,
      ...(!isCancelled && { isUnpaid: true as const }),
    }),
    enter: isCancelled ? [] : ["cancelled"],
  };
}
