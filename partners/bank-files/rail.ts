// Makes the rail of bank files: payouts are collected until a cut-off, a file of them is handed
// over to the bank, and the bank's answers come back as files. docs/operate/bank-files.md describes
// it.

import type { Context, Rail, RailBatch } from "../types.ts";
import { createAnswerReader } from "./answer-reader.ts";
import { openArchive, takeBack } from "./archive.ts";
import { openBooks } from "./books.ts";
import { bankCalendar } from "./calendar.ts";
import type { Deps } from "./deps.ts";
import { decide } from "./desk.ts";
import type { Format } from "./format.ts";
import { fileName } from "./hand-over.ts";
import { cancel, list, query, submit } from "./payments.ts";
import { openPlace } from "./places/open.ts";
import type { Place } from "./places/place.ts";
import { listProblems } from "./problems.ts";
import { createSealer } from "./seal.ts";
import type { BankFileSettings } from "./settings.ts";
import { createWorker } from "./worker.ts";

const DAY_MS = 86_400_000;

/** The rail, and its worker and parts for tests and the operators' command. */
export type BankFilesRail = Rail & { deps: Deps; turn(): Promise<void> };

/**
 * @param keys of the environment variable BANK_FILES_KEYS
 * @param reached called at each step of a file
 */
export async function bankFilesRail(
  { database, now, log }: Context,
  settings: BankFileSettings,
  format: Format,
  keys: string,
  reached: Deps["reached"] = () => {},
): Promise<BankFilesRail> {
  const reader = createAnswerReader(format);
  const sealer = createSealer(keys);
  const [out, answers, archived] = await Promise.all([
    openAt("out", settings),
    openAt("answers", settings),
    openAt("archive", settings),
  ]);
  const books = openBooks(database, settings.name);
  const archive = openArchive(archived, sealer, format, settings.fileId);
  const calendar = bankCalendar(settings.calendar);
  const deps: Deps = {
    ...{ settings, books, format, calendar, sealer, archive, out, answers, now, log, reached },
    readAnswer: reader.read,
  };

  /** Takes back what the archive has and the books lost; until then no payment is answered. */
  const ready = once(async () => {
    await books.prepare();
    for (const id of await archive.missing(books)) {
      log.warn("The books are older than the archive, which gives a batch back", { batch: id });
      await takeBack(deps, id);
    }
  });
  const worker = createWorker(deps, ready);

  return {
    deps,
    name: settings.name,
    test: settings.test,
    returnWindowMs: settings.returnWindowDays * DAY_MS,
    turn: worker.turn,
    start: worker.start,
    async stop() {
      await worker.stop();
      await Promise.all([reader.stop(), out.close(), answers.close(), archived.close()]);
    },

    async submit(payment, instrument) {
      await ready();
      return submit(deps, payment, instrument);
    },

    async query(id) {
      await ready();
      return query(deps, id);
    },

    async cancel(id) {
      await ready();
      return cancel(deps, id);
    },

    async decide(id, end) {
      await ready();
      return decide(deps, id, end);
    },

    async *list(since) {
      yield* list(deps, since);
      // A restored database lacks what was sent after its moment, and the archive has it.
      for (const id of await archive.missing(books)) {
        const { batch, bytes } = await archive.read(id);
        const { payments, currency } = format.read(bytes);
        const { closedAt: at } = batch;
        for (const { id: payment, amountMinor } of at >= since ? payments : []) {
          yield { id: payment, state: "accepted", amountMinor, currency, at };
        }
      }
    },

    async *batches(): AsyncGenerator<RailBatch> {
      const written = books.batches.find({ state: { $ne: "closed" } }).sort({ number: 1 });
      for await (const { _id } of written) {
        const { amountMinor, currency, payments } = format.read((await archive.read(_id)).bytes);
        yield { id: fileName(deps, _id), amountMinor, currency, payments };
      }
    },

    async problems() {
      return [...worker.failures(), ...(await listProblems(deps))];
    },
  };
}

/** @throws Error that names the place whose settings are wrong */
async function openAt(
  name: "out" | "answers" | "archive",
  settings: BankFileSettings,
): Promise<Place> {
  const { url, ...access } = settings[name];
  try {
    return await openPlace(url, access);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Runs the work until it has succeeded once; calls meanwhile share one run. */
function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}
