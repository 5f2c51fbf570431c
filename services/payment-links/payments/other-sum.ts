// A charge of another sum than the asked one. The acquirer says that it has captured the payment's
// id, but for another amount or in another currency: its books or ours are those of another moment,
// or one of them is wrong. Neither sum is posted. The asked one never came. The captured one may
// have been credited before a restore, may be a part of a charge whose goods the merchant would
// ship, or may be in a currency that the account does not have. And the payment does not fail,
// because the customer would pay a second time. So it stays PENDING and flagged, its link stays
// held, and its subscription waits, until the acquirer says the asked sum or an admin decides.
//
// Invariant: a payment is posted with the sum that the acquirer has captured. It is the asked sum,
// or the one with which an admin has replaced it (`askedMinor`).

import type { Captured, VoidAnswer } from "../../../partners/types.ts";
import { MAX_AMOUNT_MINOR } from "../../../shared/money.ts";
import { askedAgain, type Change } from "../../../shared/resumable/document.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { inWords, isOfSum } from "../acquirers/acquirer.ts";
import { chargeAmounts } from "../links/charge-amounts.ts";
import { captured, failure } from "./collection.ts";
import type { PaymentDeps } from "./deps.ts";
import type { Payment } from "./payment.model.ts";

export function isAsked({ totalMinor, currency }: Payment, answer: Captured): boolean {
  return isOfSum(answer, { amountMinor: totalMinor, currency });
}

/**
 * The change while the acquirer has captured another sum. After such an answer, one that nothing
 * was captured does not count: it contradicts the first.
 * @param now epoch ms
 * @returns null if the answer is about the asked sum, or if there was none about another one
 */
export function whileOtherSum(
  payment: Payment,
  answer: VoidAnswer,
  now: number,
): Change<Payment> | null {
  const isCaptured = answer.kind === "captured";
  if (isCaptured ? isAsked(payment, answer) : payment.contradicted === undefined) return null;
  const { set, next } = askedAgain(payment, now);
  const contradicted = isCaptured ? inWords(answer) : payment.contradicted;
  return { set: { ...set, contradicted, needsAttention: true }, next };
}

/** An admin has seen the answer. */
const SEEN = { contradicted: undefined, needsAttention: false };

/**
 * An admin takes the captured sum for the payment's own: it is posted, less its fee.
 * @returns null if the acquirer does not say such a sum now, or if the account cannot have it
 */
export async function takeSum(
  { links }: Pick<PaymentDeps, "links">,
  payment: Payment,
  answer: VoidAnswer,
): Promise<Change<Payment> | null> {
  if (answer.kind !== "captured" || answer.currency !== payment.currency) return null;
  const { amountMinor: sumMinor } = answer;
  if (isAsked(payment, answer)) return withSet(captured(), SEEN);
  const link = await links.documents.findOne({ _id: payment.linkId }, MAJORITY);
  if (!link || sumMinor === 0 || sumMinor > MAX_AMOUNT_MINOR) return null;
  // The customer was charged this sum and no more, so the fee comes out of it.
  const { feesMinor, amountMinor } = chargeAmounts({ ...link, customerPays: false }, sumMinor);
  const { totalMinor: askedMinor } = payment;
  const taken = { totalMinor: sumMinor, askedMinor, feesMinor, amountMinor };
  return withSet(captured(), { ...taken, ...SEEN });
}

/** An admin has given the captured sum back to the customer at the acquirer. */
export function givenBack(): Change<Payment> {
  return withSet(
    failure({ failureReason: "The payment was not completed. It is paid back." }),
    SEEN,
  );
}

function withSet(change: Change<Payment>, set: Change<Payment>["set"]): Change<Payment> {
  return { ...change, set: { ...change.set, ...set } };
}
