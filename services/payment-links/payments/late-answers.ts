// Compares a late answer to a charge or a void with the stored payment
// (acquirers/late-answers.ts).

import type { ChargeAnswer, VoidAnswer } from "../../../partners/types.ts";
import { decisive, inWords } from "../acquirers/acquirer.ts";
import { DUE_NOW, flagged, noteLateAnswer } from "../acquirers/late-answers.ts";
import type { PaymentDeps } from "./deps.ts";
import { isAsked } from "./other-sum.ts";
import type { Payment } from "./payment.model.ts";

/** Compares an answer to a charge or a void with the stored payment. */
export async function noteCharge(
  deps: PaymentDeps,
  id: string,
  late: ChargeAnswer | VoidAnswer,
): Promise<void> {
  const answer = decisive(late);
  if (answer.kind === "unknown" || answer.kind === "action") return;
  const words = inWords(answer);
  await noteLateAnswer<Payment>(deps, deps.payments, { id, answer: words }, (payment) => {
    const { step, status, contradicted } = payment;
    if (step === "charge") return { set: {}, next: DUE_NOW };
    const isStoredAsCaptured = step === "post" || status === "SUCCEEDED";
    const isCaptured =
      answer.kind === "captured" && (!isStoredAsCaptured || isAsked(payment, answer));
    const isContradicted = isCaptured !== isStoredAsCaptured;
    return isContradicted && !contradicted ? flagged(words, payment) : null;
  });
}
