// Compares a late answer to a refund with the stored refund (acquirers/late-answers.ts).

import type { RefundAnswer } from "../../../partners/types.ts";
import { decisive, inWords, isOfSum } from "../acquirers/acquirer.ts";
import { DUE_NOW, flagged, noteLateAnswer } from "../acquirers/late-answers.ts";
import type { RefundDeps } from "./deps.ts";
import type { Refund } from "./refund.model.ts";

/** Compares an answer to a refund with the stored refund. */
export async function noteRefund(deps: RefundDeps, id: string, late: RefundAnswer): Promise<void> {
  const answer = decisive(late);
  if (answer.kind === "unknown") return;
  const words = inWords(answer);
  await noteLateAnswer<Refund>(deps, deps.refunds, { id, answer: words }, (refund) => {
    const { step, status, contradicted } = refund;
    const isRefunded = answer.kind === "refunded";
    // After this answer an admin's decision that nothing was paid back does not count any more,
    // unless the admin knew the answer.
    const reopened = { reverseAt: undefined, decidedBy: undefined };
    const isNews = isRefunded && words !== contradicted;
    if (step === "ask") return { set: isNews ? reopened : {}, next: DUE_NOW };
    const isContradicted =
      status === "SUCCEEDED" ? !isRefunded || !isOfSum(answer, refund) : isRefunded;
    return isContradicted && !contradicted ? flagged(words, refund) : null;
  });
}
