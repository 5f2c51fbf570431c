// Reads a bank's answers in a thread of their own, because a large file takes seconds of work, in
// which the process must answer calls. What goes wrong there, such as a lack of memory, is the
// problem of that file alone: the next one has a new thread.

import { Worker } from "node:worker_threads";
import { type Answer, type Format, Unreadable } from "./format.ts";

/** Some ten times of what the largest file takes on a slow machine. */
const READ_WITHIN_MS = 300_000;
/** A file is parsed in pieces, so only what it says about payments needs memory. */
const MEMORY_MB = 256;
/** Most of what a parser makes is garbage at once, so little room for it costs nothing. */
const YOUNG_MB = 8;

export interface AnswerReader {
  /** @throws Unreadable as `readAnswer` of the format, and if the file needs too much time or memory */
  read(bytes: Buffer): Promise<Answer>;
  /** Ends the thread; a file that is being read is not. */
  stop(): Promise<void>;
}

type Outcome = { answer: Answer } | { unreadable: string };

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

  async function readNext(bytes: Buffer): Promise<Answer> {
    thread ??= start();
    const outcome = await ask(thread, bytes);
    if ("unreadable" in outcome) throw new Unreadable(outcome.unreadable);
    return outcome.answer;
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

/** A copy that both sides have, because a posted one is copied twice more. */
function shared(bytes: Buffer): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

async function ask(thread: Worker, bytes: Buffer): Promise<Outcome> {
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const late = setTimeout(() => {
    reject(new Unreadable("The file takes too long to read"));
    void thread.terminate();
  }, READ_WITHIN_MS);
  const fail = (error: NodeJS.ErrnoException) => {
    const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isMemory ? new Unreadable("The file needs too much memory to read") : error);
  };
  const end = () => reject(new Error("The thread that reads answers has ended"));
  thread.once("message", resolve).once("error", fail).once("exit", end).ref();
  try {
    thread.postMessage(shared(bytes));
    return await promise;
  } finally {
    clearTimeout(late);
    thread.off("message", resolve).off("error", fail).off("exit", end).unref();
  }
}
