// Late answers of acquirers: those that come after their time, and those of a driver that lost the
// document to another one. They decide nothing. An answer that contradicts the stored document
// flags it for a person, because money may have moved that the books do not have. While the
// document has not ended, a late answer makes it due, so that the next sweeper asks the acquirer
// again. An answer that comes to a process that dies is lost: then only the acquirer's own list
// shows it. payments/late-answers.ts and refunds/late-answers.ts say which answers contradict.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Change, Resumable } from "../../../shared/resumable/document.ts";
import type { Transition } from "../../../shared/resumable/transitions.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { Contradictable } from "./acquirer.ts";

/** The next sweeper looks at the document. */
export const DUE_NOW = 0;

/** The change of a document that the answer contradicts. */
export function flagged<T extends Resumable & Contradictable>(
  answer: string,
  { step }: T,
): Change<T> {
  const set: Partial<Resumable & Contradictable> = { needsAttention: true, contradicted: answer };
  return { set: set as Change<T>["set"], next: step === "closed" ? "never" : DUE_NOW };
}

const TRIES_AT_MOST = 20;
const TRY_AGAIN_AFTER_MS = 50;

/**
 * Compares a late answer with the stored document; never rejects, because no caller awaits it.
 * @param answer in words
 * @param changeFor the change that the stored document needs; null if it needs none
 */
export async function noteLateAnswer<T extends Resumable>(
  { clock, log }: { clock: Clock; log: { error(message: string, details: unknown): void } },
  {
    documents,
    machine,
  }: { documents: mongo.Collection<T>; machine: { transition: Transition<T> } },
  { id, answer }: { id: string; answer: string },
  changeFor: (document: T) => Change<T> | null,
): Promise<void> {
  try {
    for (let i = 0; i < TRIES_AT_MOST; i++) {
      const document = await documents.findOne({ _id: id } as mongo.Filter<T>, MAJORITY);
      const change = document && changeFor(document as T);
      if (!change || (await machine.transition(document as T, change))) return;
      await clock.sleep(TRY_AGAIN_AFTER_MS);
    }
    throw new Error("Other writers change the document all the time");
  } catch (error) {
    const details = { id, told: answer, error };
    log.error("A late answer of an acquirer is not compared with the books", details);
  }
}
