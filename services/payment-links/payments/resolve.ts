// Resolves a payment or a refund that needs attention: an admin decides its outcome if the
// acquirer does not answer, or if its answers contradict each other. The timeline names the
// admin.
//
// A stored end stays, because the merchant has its event, and money has moved because of it.
// An admin can confirm it but not change it. If a customer was charged after the payment had
// FAILED, the money goes back at the acquirer; money that a SUCCEEDED payment never got goes back
// by a refund. If the acquirer has captured another sum than the asked one, SUCCESS takes that sum,
// and FAILED says that the admin has given it back there.

import type { VoidAnswer } from "../../../partners/types.ts";
import { fail } from "../../../shared/errors.ts";
import type { Change, Resumable } from "../../../shared/resumable/document.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import { isConfigured } from "../acquirers/acquirer.ts";
import type { RefundDeps } from "../refunds/deps.ts";
import { decidedReversal, refundEnd } from "../refunds/lifecycle.ts";
import type { Refund } from "../refunds/refund.model.ts";
import { captured, failure, unlessPosted, VOIDED } from "./collection.ts";
import type { Deps } from "./deps.ts";
import { afterAnswer, voidCharge } from "./lifecycle.ts";
import { givenBack, isAsked, takeSum } from "./other-sum.ts";
import type { Payment } from "./payment.model.ts";

export interface Resolution {
  outcome: "SUCCESS" | "FAILED";
  /** The admin that decided it, and the reason. */
  by: string;
  /** Whether an earlier run of the request may have resolved it already. */
  isRepeat?: boolean;
}

/** A question may be on its way to the acquirer for so long. */
const UNDER_WAY_MS = 600_000;

/**
 * Ends a flagged payment.
 * @returns the payment, as far as it has come since
 * @throws NOT_RESOLVABLE if it is not flagged, if another end is stored, if its money is on its way
 *   to the ledger, or if it may still be captured
 */
export async function resolvePayment(
  deps: Deps,
  payment: Payment,
  resolution: Resolution,
): Promise<Payment> {
  if (isResolved(payment, resolution)) return payment;
  if (!payment.needsAttention) return fail("NOT_RESOLVABLE");
  const changed = await decide(deps, payment, await paymentChange(deps, payment, resolution));
  return changed.step === "post" ? deps.machine.drive(changed) : changed;
}

/** An earlier run of the same request has resolved it. */
function isResolved(
  { needsAttention, decidedBy: decided }: Resumable,
  { by, isRepeat = false }: Resolution,
): boolean {
  return isRepeat && decided === by && !needsAttention;
}

async function paymentChange(
  deps: Deps,
  payment: Payment,
  { outcome, by }: Resolution,
): Promise<Change<Payment> | null> {
  switch (payment.step) {
    case "charge":
      return outcome === "SUCCESS" ? charged(deps, payment, by) : neverCharged(deps, payment, by);
    case "post":
      return null;
    case "closed":
      return confirmation(payment, outcome, by);
  }
}

/** The admin decides that the payment was charged; another sum, only if the acquirer says it now. */
async function charged(deps: Deps, payment: Payment, by: string): Promise<Change<Payment> | null> {
  const change =
    payment.contradicted === undefined
      ? captured()
      : await takeSum(deps, payment, await voidCharge(deps, payment));
  return change && decidedBy(change, by);
}

/**
 * The admin decides that the payment was not charged. The acquirer is asked for a void first. If it
 * does not answer, the decision counts once no charge can be under way: no request charges a
 * one-time payment after its deadline, but a renewal is charged again while its acquirer is
 * configured.
 * @returns null if the payment was or may be captured
 */
async function neverCharged(
  deps: Deps,
  payment: Payment,
  by: string,
): Promise<Change<Payment> | null> {
  const answer = await voidCharge(deps, payment);
  const isOver = payment.renewal
    ? !isConfigured(deps, payment.acquirer)
    : deps.clock.now() >= Math.max(payment.deadline, payment.confirmUntil ?? 0) + UNDER_WAY_MS;
  const end = endWithout(deps, payment, answer, isOver);
  const change = await unlessPosted(deps, payment, end, answer.kind);
  if (change.set.step === "closed") return decidedBy(change, by);
  if (change.set.step === "post") await deps.machine.driveAfter(payment, change);
  return null;
}

/** @param isOver no charge of the payment can be under way any more */
function endWithout(
  deps: Deps,
  payment: Payment,
  answer: VoidAnswer,
  isOver: boolean,
): Change<Payment> {
  const isOtherSum =
    answer.kind === "captured" ? !isAsked(payment, answer) : payment.contradicted !== undefined;
  if (isOtherSum && (answer.kind !== "unknown" || isOver)) return givenBack();
  if (answer.kind === "unknown" && isOver) return failure(VOIDED);
  return afterAnswer(deps, payment, answer);
}

/**
 * Ends a flagged refund. An acquirer cannot cancel a refund, so FAILED stops the questions first,
 * and the reversal follows ten minutes later, when no question can be on its way any more; at once
 * if the acquirer is not configured, because then no question is on its way.
 * @returns the refund, as far as it has come since; PENDING while the reversal waits
 * @throws NOT_RESOLVABLE if it is not flagged, if another end is stored, or if its money is on its
 *   way back to the account
 */
export async function resolveRefund(
  deps: RefundDeps,
  refund: Refund,
  resolution: Resolution,
): Promise<Refund> {
  if (isResolved(refund, resolution)) return refund;
  if (!refund.needsAttention) return fail("NOT_RESOLVABLE");
  const changed = await decide(deps, refund, refundChange(deps, refund, resolution));
  return changed.step === "reverse" ? deps.machine.drive(changed) : changed;
}

function refundChange(
  deps: RefundDeps,
  refund: Refund,
  { outcome, by }: Resolution,
): Change<Refund> | null {
  switch (refund.step) {
    case "ask":
      if (outcome === "SUCCESS") return decidedBy(refundEnd(refund, "SUCCEEDED", true), by);
      if (!isConfigured(deps, refund.acquirer)) return decidedReversal(by);
      return stopped(refund, by, deps.clock.now());
    case "closed":
      return confirmation(refund, outcome, by);
    case "allocate":
    case "post":
    case "reverse":
    case "declined":
      return null;
  }
}

/** Stops the questions; a repeated decision does not postpone the reversal. */
function stopped({ reverseAt }: Refund, by: string, now: number): Change<Refund> {
  const at = reverseAt ?? now + UNDER_WAY_MS;
  return { set: { reverseAt: at, decidedBy: by }, next: Math.max(0, at - now) };
}

/** The stored end holds, and an admin has seen the answer that contradicts it. */
function confirmation<T extends Payment | Refund>(
  { status }: T,
  outcome: Resolution["outcome"],
  by: string,
): Change<T> | null {
  if (outcome !== (status === "SUCCEEDED" ? "SUCCESS" : "FAILED")) return null;
  const set: Partial<Payment> = { needsAttention: false, contradicted: undefined, decidedBy: by };
  return { set: set as Change<T>["set"], next: "never" };
}

function decidedBy<T extends Resumable>(change: Change<T>, by: string): Change<T> {
  return { ...change, set: { ...change.set, decidedBy: by } };
}

/** @throws NOT_RESOLVABLE also if a driver changed the document first, because it may have ended */
async function decide<T extends Resumable>(
  { machine }: { machine: Machine<T> },
  document: T,
  change: Change<T> | null,
): Promise<T> {
  if (!change) return fail("NOT_RESOLVABLE");
  const changed = await machine.transition(document, { ...change, isAlone: true });
  if (!changed) return fail("NOT_RESOLVABLE");
  machine.relay(changed);
  return changed;
}
