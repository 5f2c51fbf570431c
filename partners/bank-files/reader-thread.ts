// The thread's side of answer-reader.ts: it reads one file for each message. The file `thread.ts` of
// each format serves that format.

import { parentPort, workerData } from "node:worker_threads";
import { type Format, Unreadable } from "./format.ts";

/** @param makeFormat makes the format of the agreement with the bank, with which the thread starts */
export function serveReads(makeFormat: (agreement: unknown) => Format): void {
  const format = makeFormat(workerData);
  parentPort?.on("message", (bytes: SharedArrayBuffer) => {
    parentPort?.postMessage(read(format, Buffer.from(bytes)));
  });
}

/** Any other error is a fault of payrail's, and ends the thread. */
function read(format: Format, bytes: Buffer) {
  try {
    return { answer: format.readAnswer(bytes) };
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    throw error;
  }
}
