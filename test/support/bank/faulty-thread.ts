// A thread that reads answers and fails in the ways in which a thread can: a file is the way's name.

import { type Format, Unreadable } from "../../../partners/bank-files/format.ts";
import { serveReads } from "../../../partners/bank-files/reader-thread.ts";
import { plainFormat } from "./plain-format.ts";

const FAULTS: Record<string, () => never> = {
  unreadable() {
    throw new Unreadable("record 7 is none");
  },
  crash() {
    throw new TypeError("a fault of the reader");
  },
  exit: () => process.exit(3),
  memory() {
    const kept: number[][] = [];
    for (;;) kept.push(new Array(1_000_000).fill(0.5));
  },
};

serveReads((): Format => {
  return {
    ...plainFormat,
    readAnswer: (bytes) => FAULTS[bytes.toString()]?.() ?? { parts: [], passedOver: bytes.length },
  };
});
