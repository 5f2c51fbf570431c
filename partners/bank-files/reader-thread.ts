// The thread's side of answer-reader.ts: it reads one file after the other. The file `thread.ts` of
// each format serves that format.

import { parentPort, workerData } from "node:worker_threads";
import type { Reply } from "./answer-reader.ts";
import { type AnswerParser, type Format, Unreadable } from "./format.ts";

/** @param makeFormat makes the format of the agreement that the thread starts with */
export function serveReads(makeFormat: (agreement: unknown) => Format): void {
  const format = makeFormat(workerData);
  let parser: AnswerParser | undefined;

  /** @param piece undefined at the end of the file */
  function read(piece: Uint8Array<ArrayBuffer> | undefined): Reply {
    const current = parser ?? format.answerParser();
    parser = undefined;
    try {
      if (!piece) return { answer: current.end() };
      current.write(Buffer.from(piece.buffer));
      parser = current;
      return "next";
    } catch (error) {
      if (error instanceof Unreadable) return { unreadable: error.message };
      // A fault of payrail's ends the thread.
      throw error;
    }
  }

  parentPort?.on("message", (piece) => parentPort?.postMessage(read(piece)));
}
