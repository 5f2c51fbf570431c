// The rail's own work: in turns, one process at a time closes batches, writes their files, hands
// them over and reads the bank's answers. Every step is safe to repeat, and safe to run twice at
// once; the lease only saves work.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { readAnswers } from "./answers.ts";
import { isTaken } from "./books.ts";
import { closeBatches, writeFiles } from "./closing.ts";
import type { Deps } from "./deps.ts";
import { handOverFiles } from "./hand-over.ts";

/** How many turns a process that has died keeps the others from theirs. */
const LEASE_TURNS = 3;

/** The step without which no other one may run: the books may lack what is at the bank. */
const COMPARING = "Comparing the books with the archive";

export interface Worker {
  start(): void;
  stop(): Promise<void>;
  /** Runs one turn, without the lease. */
  turn(): Promise<void>;
  /** What fails now, each in a sentence. */
  failures(): string[];
}

/** @param ready resolves once the books and the archive agree */
export function createWorker(deps: Deps, ready: () => Promise<void>): Worker {
  const { settings, books, log, now } = deps;
  const holder = randomUUID();
  const stopping = new AbortController();
  const failing = new Map<string, string>();
  const read = new Set<string>();
  let running = Promise.resolve();

  async function attempt(step: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      failing.delete(step);
    } catch (error) {
      const { message } = error as Error;
      const sentence = `${step} fails: ${message}`;
      if (failing.get(step) !== sentence)
        log.error(`A step of bank files fails: ${step}`, { error });
      failing.set(step, sentence);
    }
  }

  async function turn(): Promise<void> {
    await attempt(COMPARING, ready);
    if (failing.has(COMPARING)) return;
    await attempt("Closing batches", () => closeBatches(deps));
    await attempt("Writing files", () => writeFiles(deps));
    await attempt("Handing files over", () => handOverFiles(deps));
    await attempt("Reading answers", () => readAnswers(deps, read));
  }

  async function hold(): Promise<boolean> {
    const free = { _id: "worker" as const, $or: [{ holder }, { until: { $lte: now() } }] };
    const taken = { $set: { holder, until: now() + LEASE_TURNS * settings.turnEveryMs } };
    try {
      await books.leases.updateOne(free, taken, { upsert: true });
      return true;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await attempt("Taking a turn", async () => {
        if (await hold()) await turn();
      });
      await pause(settings.turnEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  return {
    turn,
    failures: () => [...failing.values()],
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
      await books.leases.deleteOne({ _id: "worker", holder }).catch(() => {});
    },
  };
}
