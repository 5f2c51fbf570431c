// Resolves a payment that needs attention (acquirers/resolution.ts). If the acquirer has captured
// another sum than the asked one, SUCCESS takes that sum, and FAILED says that the admin has given
// it back there.

import type { VoidAnswer } from "../../../partners/types.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import { isConfigured } from "../acquirers/acquirer.ts";
import {
  confirmation,
  decidedBy,
  type Resolution,
  resolve,
  UNDER_WAY_MS,
} from "../acquirers/resolution.ts";
import { captured, failure, unlessPosted, VOIDED } from "./collection.ts";
import type { PaymentDeps } from "./deps.ts";
import { afterAnswer, voidCharge } from "./lifecycle.ts";
import { givenBack, isAsked, takeSum } from "./other-sum.ts";
import type { Payment } from "./payment.model.ts";

/**
 * Ends a flagged payment.
 * @returns the payment, as far as it has come since
 * @throws NOT_RESOLVABLE if it is not flagged, if another end is stored, if its money is on its way
 *   to the ledger, or if it may still be captured
 */
export function resolvePayment(
  deps: PaymentDeps,
  payment: Payment,
  resolution: Resolution,
): Promise<Payment> {
  return resolve(deps.payments.machine, payment, resolution, () => {
    const { outcome, by } = resolution;
    switch (payment.step) {
      case "charge":
        return outcome === "SUCCESS" ? charged(deps, payment, by) : neverCharged(deps, payment, by);
      case "post":
        return null;
      case "closed":
        return confirmation(payment, resolution);
    }
  });
}

/** The admin decides that the payment was charged; another sum only if the acquirer says it now. */
async function charged(
  deps: PaymentDeps,
  payment: Payment,
  by: string,
): Promise<Change<Payment> | null> {
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
  deps: PaymentDeps,
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
  if (change.set.step === "post") await deps.payments.machine.drive(payment, { change });
  return null;
}

/** @param isOver no charge of the payment can be under way any more */
function endWithout(
  deps: PaymentDeps,
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
