// What a person has to look at: files, answers and payments. A payment is held by its own problem,
// by its file's, and by an answer that names it and changed nothing. Until an operator or the bank
// has decided, the calendar settles none of these.

import type { AnswerRecord, BatchRecord, PaymentRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import { fileName } from "./hand-over.ts";

const LISTED_AT_MOST = 20;
/** partners/types.ts bounds the sentence that a rail answers with. */
const SENTENCE_AT_MOST = 500;

const UNSEEN = { isSeen: { $exists: false } } as const;

/** Why a person has to decide about a payment, in a sentence; undefined without a problem. */
export async function problemOf(
  deps: Deps,
  { _id, state, batch: id, problem }: PaymentRecord,
): Promise<string | undefined> {
  const { books } = deps;
  if (problem !== undefined) return bounded(problem);
  const held = state === "batched" && (await books.batches.findOne({ _id: id, state: "held" }));
  if (held) return bounded(ofBatch(deps, held));
  // An answer about the file as a whole matters to payments that have not ended.
  const named = state === "batched" && id !== undefined ? [_id, id] : [_id];
  const answer = await books.answers.findOne({ names: { $in: named }, ...UNSEEN });
  return answer ? bounded(ofAnswer(answer)[0] as string) : undefined;
}

/** All problems, each in a sentence. */
export async function listProblems(deps: Deps): Promise<string[]> {
  const { batches, answers, payments } = deps.books;
  const wanted = [{ problem: { $exists: true } }, { held: { $exists: true } }];
  const [held, unseen, flagged, count] = await Promise.all([
    batches.find({ state: "held" }).sort({ number: 1 }).toArray(),
    answers
      .find({ $or: [...wanted, { warning: { $exists: true } }], ...UNSEEN })
      .sort({ at: -1 })
      .limit(LISTED_AT_MOST)
      .toArray(),
    payments
      .find({ problem: { $exists: true } })
      .limit(LISTED_AT_MOST)
      .toArray(),
    payments.countDocuments({ problem: { $exists: true } }),
  ]);
  return [
    ...held.map((batch) => ofBatch(deps, batch)),
    ...unseen.flatMap(ofAnswer),
    ...flagged.map(({ _id, state, problem }) => `The payment ${_id} (${state}): ${problem}`),
    ...(count > flagged.length ? [`${count - flagged.length} more payments have a problem`] : []),
  ];
}

function ofBatch(deps: Deps, { _id, problem }: BatchRecord): string {
  const file = fileName(deps, _id);
  if (problem === undefined) return `The file ${file} may be at the bank or not: ask the bank`;
  return `The file ${file} is held. ${problem}: ask the bank`;
}

function ofAnswer({ name, problem, held = [], warning }: AnswerRecord): string[] {
  if (problem !== undefined) return [`The answer ${name} changed nothing: ${problem}`];
  return [
    ...held.slice(0, LISTED_AT_MOST).map(({ part, problem: wrong }) => {
      return `A part of the answer ${name} (${part.where}) changed nothing: ${wrong}`;
    }),
    ...(warning === undefined ? [] : [`The answer ${name} was applied: ${warning}`]),
  ];
}

function bounded(sentence: string): string {
  return sentence.slice(0, SENTENCE_AT_MOST);
}
