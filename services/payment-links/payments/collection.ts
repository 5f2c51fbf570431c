// The collection of a payment: its posting to the ledger, and the payment's two ends.
//
// The request that charged a one-time payment posts the sum before the payment stores the capture,
// because its customer waits for each durable write. If that request dies in between, a void finds
// the capture, and the sum is posted again under the same id.
//
// Invariant: a payment that failed has no collection. The request itself fails its payment only
// before it posts. Any other driver first makes the ledger decline the posting for good, because
// the acquirer may contradict the capture that the request saw, and an admin may decide without an
// answer. So the ledger's journal decides between the two, as for a payout.

import { feeKindOf } from "../../../shared/config/fee-table.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { declineReason, type Posted } from "../../../shared/rpc/posts.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { inWords } from "../acquirers/acquirer.ts";
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
  if (reason === "conflict" && isTaken(payment)) return asAsked(deps, payment);
  deps.log.error("A collection is posted again", { id: payment._id, reason });
  const { set, next } = askedAgain(payment, deps.clock.now());
  // The ledger has refused for good, though the customer was charged: an admin has to look.
  const isFinal = outcome === "declined" || (reason !== "unknown" && reason !== "overloaded");
  return { set: { ...set, step: "post", ...(isFinal && { needsAttention: true }) }, next };
}

/** An admin replaced the sum of a one-time payment, whose request may have posted the asked one. */
function isTaken({ askedMinor, renewal }: Payment): boolean {
  return askedMinor !== undefined && renewal === undefined;
}

/**
 * The ledger has the asked sum: the acquirer captured it for the request, and named another one to
 * a later driver. The posted sum stays, and the other one is shown to an admin again.
 */
async function asAsked(
  { links }: PaymentDeps,
  { _id, linkId, totalMinor: takenMinor, currency }: Payment,
): Promise<Change<Payment>> {
  const link = await links.documents.findOne({ _id: linkId }, MAJORITY);
  if (!link) throw new Error(`Payment ${_id} has no link`);
  const { totalMinor, feesMinor, amountMinor } = link;
  const words = inWords({ kind: "captured", amountMinor: takenMinor, currency });
  const asked = { totalMinor, feesMinor, amountMinor, askedMinor: undefined };
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
  // A renewal stores its capture before it is posted.
  if (failed.set.step !== "closed" || payment.renewal) return failed;
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
