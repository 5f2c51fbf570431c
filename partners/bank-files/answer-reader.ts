// Reads a bank's answers in a thread of their own, because a large file takes seconds of work, in
// which the process must answer calls. What goes wrong there, such as a lack of memory, is the
// problem of that file alone: the next one has a new thread.

import { Worker } from "node:worker_threads";
import { type AnswerFile, type Format, Unreadable } from "./format.ts";
import { piecesOf } from "./pieces.ts";

/** Some ten times of what the largest file takes on a slow machine. */
const READ_WITHIN_MS = 300_000;
/** For one piece of the file, and for all that the file says about payments. */
const MEMORY_MB = 256;
/** Most objects of a parser are short-lived, so a small heap for new objects costs nothing. */
const YOUNG_MB = 8;

export interface AnswerReader {
  /** @throws Unreadable as the format's parser, and if the file needs too much time or memory */
  read(bytes: Buffer): Promise<AnswerFile>;
  /** Ends the thread; a file that is being read is not. */
  stop(): Promise<void>;
}

/** The thread's word on a piece, or on the end of the file. */
export type Reply = "next" | { answer: AnswerFile } | { unreadable: string };

export function createAnswerReader({ thread: { program, agreement } }: Format): AnswerReader {
  let thread: Worker | undefined;
  let reading: Promise<unknown> = Promise.resolve();

  /** It keeps no process from ending: only the wait for a file does. */
  function start(): Worker {
    const started = new Worker(program, {
      workerData: agreement,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    const forget = () => {
      if (thread === started) thread = undefined;
    };
    return started.on("error", forget).on("exit", forget);
  }

  async function readNext(bytes: Buffer): Promise<AnswerFile> {
    thread ??= start();
    return ask(thread, bytes);
  }

  return {
    read(bytes) {
      const read = reading.then(() => readNext(bytes));
      reading = read.catch(() => {});
      return read;
    },
    async stop() {
      await thread?.terminate();
    },
  };
}

/**
 * Posts a file piece by piece, each when the one before it is read. A file in shared memory would
 * need no copies, but the collector does not count such memory, and one file after another would
 * pile up.
 */
async function ask(thread: Worker, bytes: Buffer): Promise<AnswerFile> {
  const { promise, resolve, reject } = Promise.withResolvers<AnswerFile>();
  const pieces = piecesOf(bytes);
  const post = () => {
    const { value } = pieces.next();
    const piece = value && new Uint8Array(value);
    thread.postMessage(piece, piece && [piece.buffer]);
  };
  const hear = (reply: Reply) => {
    if (reply === "next") post();
    else if ("answer" in reply) resolve(reply.answer);
    else reject(new Unreadable(reply.unreadable));
  };
  const fail = (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isMemory ? new Unreadable("The file needs too much memory to read") : error);
  };
  const end = () => reject(new Error("The thread that reads answers has ended"));
  const late = setTimeout(() => {
    thread.off("exit", end);
    // Only then does the next file have a new thread.
    void thread.terminate().then(() => reject(new Unreadable("The file takes too long to read")));
  }, READ_WITHIN_MS);
  thread.on("message", hear).once("error", fail).once("exit", end).ref();
  try {
    post();
    return await promise;
  } finally {
    clearTimeout(late);
    thread.off("message", hear).off("error", fail).off("exit", end).unref();
  }
}
