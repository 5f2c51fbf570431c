// Late answers of acquirers: those that come after their time, and those of a driver that lost the
// document to another one. They decide nothing. An answer that contradicts the stored document
// flags it for a person, because money may have moved that the books do not have. While the
// document has not ended, a late answer makes it due, so that the acquirer is asked again at once.
// An answer that comes to a process that dies is lost: then only the acquirer's own list shows it.

import type { mongo } from "mongoose";
import type { ChargeAnswer, RefundAnswer, VoidAnswer } from "../../../partners/types.ts";
import { MAJORITY } from "../../../shared/database.ts";
import type { Change, Resumable } from "../../../shared/resumable/document.ts";
import type { Machine } from "../../../shared/resumable/machine.ts";
import type { Deps } from "../payments/deps.ts";
import type { Payment } from "../payments/payment.model.ts";
import type { RefundDeps } from "../refunds/deps.ts";
import type { Refund } from "../refunds/refund.model.ts";
import { type Contradictable, decisive } from "./acquirer.ts";

/** The next sweeper looks at the document. */
const DUE_NOW = 0;

/** Compares an answer to a charge or a void with the stored payment. */
export async function noteCharge(
  deps: Deps,
  id: string,
  late: ChargeAnswer | VoidAnswer,
): Promise<void> {
  const { kind } = decisive(late);
  if (kind === "unknown" || kind === "action") return;
  await note<Payment>(deps, deps.payments, id, kind, ({ step, status, contradicted }) => {
    if (step === "charge") return { set: {}, next: DUE_NOW };
    const isStoredAsCaptured = step === "post" || status === "SUCCEEDED";
    const isContradicted = (kind === "captured") !== isStoredAsCaptured;
    return isContradicted && !contradicted ? flagged<Payment>(kind, step === "closed") : null;
  });
}

/** Compares an answer to a refund with the stored refund. */
export async function noteRefund(deps: RefundDeps, id: string, late: RefundAnswer): Promise<void> {
  const { kind } = decisive(late);
  if (kind === "unknown") return;
  await note<Refund>(deps, deps.refunds, id, kind, ({ step, status, contradicted }) => {
    const isRefunded = kind === "refunded";
    // After this answer an admin's decision that nothing was paid back does not count any more.
    const reopened = { reverseAt: undefined, decidedBy: undefined };
    if (step === "ask") return { set: isRefunded ? reopened : {}, next: DUE_NOW };
    const isContradicted = isRefunded !== (status === "SUCCEEDED");
    return isContradicted && !contradicted ? flagged<Refund>(kind, step === "closed") : null;
  });
}

function flagged<T extends Resumable & Contradictable>(kind: string, isClosed: boolean): Change<T> {
  const set: Partial<Resumable & Contradictable> = { needsAttention: true, contradicted: kind };
  return { set: set as Change<T>["set"], next: isClosed ? "never" : DUE_NOW };
}

const TRIES_AT_MOST = 20;
const TRY_AGAIN_AFTER_MS = 50;

/** Makes the change that the stored document needs; never rejects, because no caller awaits it. */
async function note<T extends Resumable>(
  { clock, log, machine }: Pick<Deps, "clock" | "log"> & { machine: Machine<T> },
  documents: mongo.Collection<T>,
  id: string,
  kind: string,
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
    log.error("A late answer of an acquirer is not compared with the books", { id, kind, error });
  }
}
