// Late answers of acquirers: those that come after their time, and those of a driver that lost the
// document to another one. They decide nothing. An answer that contradicts the stored document
// flags it for a person, because money may have moved that the books do not have. While the
// document has not ended, a late answer makes it due, so that the acquirer is asked again at once.
// An answer that comes to a process that dies is lost: then only the acquirer's own list shows it.

import type { mongo } from "mongoose";
import type { ChargeAnswer, RefundAnswer, VoidAnswer } from "../../../partners/types.ts";
import type { Change, Resumable } from "../../../shared/resumable/document.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { Deps } from "../payments/deps.ts";
import { isAsked } from "../payments/other-sum.ts";
import type { Payment } from "../payments/payment.model.ts";
import type { RefundDeps } from "../refunds/deps.ts";
import type { Refund } from "../refunds/refund.model.ts";
import { type Contradictable, decisive, inWords, isOfSum } from "./acquirer.ts";

/** The next sweeper looks at the document. */
const DUE_NOW = 0;

/** Compares an answer to a charge or a void with the stored payment. */
export async function noteCharge(
  deps: Deps,
  id: string,
  late: ChargeAnswer | VoidAnswer,
): Promise<void> {
  const answer = decisive(late);
  if (answer.kind === "unknown" || answer.kind === "action") return;
  const told = inWords(answer);
  await note<Payment>(deps, deps.payments, id, told, (payment) => {
    const { step, status, contradicted } = payment;
    if (step === "charge") return { set: {}, next: DUE_NOW };
    const isStoredAsCaptured = step === "post" || status === "SUCCEEDED";
    const isCaptured =
      answer.kind === "captured" && (!isStoredAsCaptured || isAsked(payment, answer));
    const isContradicted = isCaptured !== isStoredAsCaptured;
    return isContradicted && !contradicted ? flagged<Payment>(told, step === "closed") : null;
  });
}

/** Compares an answer to a refund with the stored refund. */
export async function noteRefund(deps: RefundDeps, id: string, late: RefundAnswer): Promise<void> {
  const answer = decisive(late);
  if (answer.kind === "unknown") return;
  const told = inWords(answer);
  await note<Refund>(deps, deps.refunds, id, told, (refund) => {
    const { step, status, contradicted } = refund;
    const isRefunded = answer.kind === "refunded";
    // After this answer an admin's decision that nothing was paid back does not count any more,
    // unless the admin knew the answer.
    const reopened = { reverseAt: undefined, decidedBy: undefined };
    const isNews = isRefunded && told !== contradicted;
    if (step === "ask") return { set: isNews ? reopened : {}, next: DUE_NOW };
    const isContradicted =
      status === "SUCCEEDED" ? !isRefunded || !isOfSum(answer, refund) : isRefunded;
    return isContradicted && !contradicted ? flagged<Refund>(told, step === "closed") : null;
  });
}

function flagged<T extends Resumable & Contradictable>(told: string, isClosed: boolean): Change<T> {
  const set: Partial<Resumable & Contradictable> = { needsAttention: true, contradicted: told };
  return { set: set as Change<T>["set"], next: isClosed ? "never" : DUE_NOW };
}

const TRIES_AT_MOST = 20;
const TRY_AGAIN_AFTER_MS = 50;

/** Makes the change that the stored document needs; never rejects, because no caller awaits it. */
async function note<T extends Resumable>(
  { clock, log, machine }: Pick<Deps, "clock" | "log"> & { machine: Machine<T> },
  documents: mongo.Collection<T>,
  id: string,
  told: string,
  changeFor: (document: T) => Change<T> | null,
): Promise<void> {
  try {
    for (let i = 0; i < TRIES_AT_MOST; i++) {
      const document = await documents.findOne({ _id: id } as mongo.Filter<T>, MAJORITY);
      const change = document && changeFor(document as T);
      if (!change || (await machine.transition(document as T, change))) return;
      await clock.sleep(TRY_AGAIN_AFTER_MS);
    }
    throw new Error("Others change the document all the time");
  } catch (error) {
    log.error("A late answer of an acquirer is not compared with the books", { id, told, error });
  }
}
