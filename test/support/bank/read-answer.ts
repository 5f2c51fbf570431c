// Reads an answer of a bank in this thread, in pieces so small that they end anywhere: within
// characters, line ends, tags and numbers.

import type { AnswerFile, Format } from "../../../partners/bank-files/format.ts";

/** A prime number below the length of a record, so that pieces end at other places in each one. */
const PIECE_BYTES = 61;

/** @throws Unreadable as the format's parser */
export function readAnswer(
  { answerParser }: Pick<Format, "answerParser">,
  bytes: Buffer,
): AnswerFile {
  const parser = answerParser();
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    parser.write(bytes.subarray(from, from + PIECE_BYTES));
  }
  return parser.end();
}
