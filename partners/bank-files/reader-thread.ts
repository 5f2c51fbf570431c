// The thread that reads a bank's answers for answer-reader.ts, one file for each message.

import { parentPort, workerData } from "node:worker_threads";
import { type Format, Unreadable } from "./format.ts";

const { module, agreement } = workerData as Format["source"];
const { default: makeFormat } = await import(module);
const format: Format = makeFormat(agreement);

parentPort?.on("message", (bytes: Uint8Array) => {
  parentPort?.postMessage(read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
});

/** Any other error is a fault of payrail's, and ends the thread. */
function read(bytes: Buffer) {
  try {
    return { answer: format.readAnswer(bytes) };
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    throw error;
  }
}
