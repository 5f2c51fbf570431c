// The collection of a payment: its posting to the ledger, and the payment's two ends.
//
// The driver that inserted the payment posts the sum before the payment stores the capture, because
// a customer may wait for each durable write, and the database does less. If that driver dies in
// between, a void, or the repeated charge of a renewal, finds the capture, and the sum is posted
// again under the same id.
//
// Invariant: a payment that failed has no collection. The driver that inserted the payment fails it
// only before it posts. Any other driver first makes the ledger decline the posting for good,
// because the acquirer may contradict the capture that the first driver saw, and an admin may
// decide without an answer. So the ledger's journal decides between the two, as for a payout.

import { feeKindOf } from "../../../shared/config/fee-table.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { declineReason, type Posted } from "../../../shared/rpc/posts.ts";
import { inWords } from "../acquirers/acquirer.ts";
import { chargeAmounts } from "../links/charge-amounts.ts";
import type { PaymentDeps } from "./deps.ts";
import type { Payment } from "./payment.model.ts";

/** The customer was charged: the ledger is next. */
export function captured(): Change<Payment> {
  return { set: { step: "post", unknownSince: undefined, needsAttention: false }, next: "now" };
}

/** Nothing was or will be charged: the link is free again. */
export function failure(reasons: Pick<Payment, "declined" | "failureReason">): Change<Payment> {
  return {
    set: {
      ...reasons,
      step: "closed",
      holds: undefined,
      unknownSince: undefined,
      needsAttention: false,
    },
    enter: ["FAILED"],
    next: "never",
  };
}

/**
 * Posts the captured sum before SUCCEEDED, so that a reader of SUCCEEDED finds the money.
 * @param isFresh no driver has posted it before
 */
export async function settleCollection(
  deps: PaymentDeps,
  payment: Payment,
  isFresh: boolean,
): Promise<Change<Payment>> {
  const { outcome, reason } = await postCollection(deps, payment, isFresh ? {} : { retry: true });
  if (outcome === "committed") {
    await deps.reached("collection-posted", payment);
    const isNotified = payment.notifyPayee || payment.agent !== undefined;
    return {
      set: { step: "closed", needsAttention: payment.contradicted !== undefined },
      enter: isNotified ? ["SUCCEEDED", "SUCCEEDED"] : ["SUCCEEDED"],
      next: "never",
    };
  }
  if (reason === "void") return contradictedBy("captured", failure(VOIDED));
  if (reason === "conflict" && payment.askedMinor !== undefined) {
    return asAsked(payment, payment.askedMinor);
  }
  deps.log.error("A collection is posted again", { id: payment._id, reason });
  const { set, next } = askedAgain(payment, deps.clock.now());
  // The ledger has refused for good, though the customer was charged: an admin has to look.
  const isFinal = outcome === "declined" || (reason !== "unknown" && reason !== "overloaded");
  return { set: { ...set, step: "post", ...(isFinal && { needsAttention: true }) }, next };
}

/**
 * The ledger has the asked sum: the acquirer captured it for the first driver, and named another
 * one to a later driver, which an admin took. The posted sum stays, and the other one is shown to
 * an admin again.
 */
function asAsked(
  { fee, totalMinor: takenMinor, currency }: Payment,
  askedMinor: number,
): Change<Payment> {
  const { chargeMinor, ...credited } = chargeAmounts({ fee, customerPays: false }, askedMinor);
  const words = inWords({ kind: "captured", amountMinor: takenMinor, currency });
  const asked = { totalMinor: chargeMinor, ...credited, askedMinor: undefined };
  return contradictedBy(words, { set: asked, next: "now" });
}

/** The reason of a payment that ended before it was charged. */
export const VOIDED = {
  failureReason: "The payment was not completed. Your card was not charged.",
};

/**
 * Makes sure that a payment that is to fail has no collection, and never gets one.
 * @param failed its end; any other change is returned as it is
 * @param answer of the acquirer, on which the end is based; unknown if an admin decides without one
 * @returns the end; the capture if the ledger has the collection; the question again if it is away
 */
export async function unlessPosted(
  deps: PaymentDeps,
  payment: Payment,
  failed: Change<Payment>,
  answer: "declined" | "voided" | "captured" | "unknown",
): Promise<Change<Payment>> {
  if (failed.set.step !== "closed") return failed;
  const posted = await postCollection(deps, payment, { void: true, retry: true });
  if (posted.outcome === "committed") {
    return answer === "unknown" ? captured() : contradictedBy(answer, captured());
  }
  return declineReason(posted, []) ? failed : askedAgain(payment, deps.clock.now());
}

/** The change, flagged for an admin because the acquirer has also given this answer. */
function contradictedBy(
  contradicted: string,
  { set, ...change }: Change<Payment>,
): Change<Payment> {
  return { ...change, set: { ...set, contradicted, needsAttention: true } };
}

function postCollection(
  deps: PaymentDeps,
  payment: Payment,
  options: { void?: boolean; retry?: boolean },
): Promise<Posted> {
  const { _id: id, collectionAccountId, currency, totalMinor, feesMinor } = payment;
  return deps.post({
    id,
    kind: "collection",
    walletId: collectionAccountId,
    currency,
    method: feeKindOf(payment),
    amountMinor: totalMinor,
    feesMinor,
    ...options,
  });
}
