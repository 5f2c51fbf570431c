// A thread that reads answers and fails in the ways in which a thread can: a file is the way's
// name.

import { type AnswerParser, type Format, Unreadable } from "../../../partners/bank-files/format.ts";
import { serveReads } from "../../../partners/bank-files/reader-thread.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";

const FAULTS: Record<string, () => never> = {
  unreadable() {
    throw new Unreadable("record 7 is none");
  },
  crash() {
    throw new TypeError("a fault of the reader");
  },
  exit: () => process.exit(3),
  hang() {
    for (;;);
  },
  memory() {
    const kept: number[][] = [];
    for (;;) kept.push(new Array(1_000_000).fill(0.5));
  },
};

function answerParser(): AnswerParser {
  let passedOver = 0;
  return {
    write(piece) {
      FAULTS[piece.toString()]?.();
      passedOver += piece.length;
    },
    end: () => ({ parts: [], passedOver }),
  };
}

serveReads((): Format => ({ ...plainFormat, answerParser }));
