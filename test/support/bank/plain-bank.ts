// A rail over plain files, and a bank that takes them and answers as a test says.

import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Point } from "../../../partners/bank-files/deps.ts";
import type { Part, Told } from "../../../partners/bank-files/format.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { until } from "../system.ts";
import { type FilesOptions, instrument, startFiles } from "./files.ts";
import { plainAnswer, plainFormat } from "./plain-format.ts";

export const HOUR_MS = 3_600_000;

export type PlainBank = Awaited<ReturnType<typeof startPlainBank>>;

/** The short id of a payment. */
export const short = ({ id }: RailPayment) => plainFormat.shortId(id);
/** The id of a file's batch. */
export const batchOf = (name: string) => name.replace(/\.\w+$/, "");

/** A statement about a payment. */
export function told(payment: RailPayment, state: Told["state"], more: Partial<Told> = {}): Told {
  return { payment: short(payment), state, ...more };
}

/** A booked debit or return of a payment. */
export function booked(
  payment: RailPayment,
  state: "settled" | "returned",
  reference?: string,
): Told {
  return told(payment, state, { isBooked: true, ...(reference && { reference }) });
}

export async function startPlainBank(options: FilesOptions = {}) {
  const files = await startFiles(options);
  const rail = await files.open();
  const { deps } = rail;
  const first = { deps: { ...deps }, settings: { ...files.settings } };

  const problems = async () => (await rail.problems?.()) ?? [];
  const bank = {
    ...{ files, rail, deps, problems },
    submit: (payment: RailPayment) => rail.submit(payment, instrument),
    query: (payment: RailPayment) => rail.query(payment.id),
    batch: (name: string) => deps.books.batches.findOne({ _id: batchOf(name) }),

    /** Submits payments and hands over their file. @returns the file's name */
    async send(...payments: RailPayment[]): Promise<string> {
      for (const payment of payments) await bank.submit(payment);
      const before = files.sent();
      await rail.turn();
      return files.sent().find((name) => !before.includes(name)) as string;
    },

    /** Answers with a file of these parts. @returns its name */
    async answer(...parts: Partial<Part>[]): Promise<string> {
      const name = `${randomUUID()}.json`;
      files.answer(name, plainAnswer(...parts));
      await rail.turn();
      return name;
    },

    /** A process dies at a step of the file of a payment, which the bank has taken if it is put. */
    async dieAt(point: Point, ...payments: RailPayment[]): Promise<void> {
      const dying = await files.open((reached) =>
        reached === point ? new Promise(() => {}) : undefined,
      );
      for (const payment of payments) await bank.submit(payment);
      void dying.turn();
      const isThere = async () => {
        if (point === "put") return files.sent().length > 0;
        const states = ["written", "handing"].includes(point) ? { state: point as "written" } : {};
        return (await deps.books.batches.countDocuments(states)) > 0;
      };
      await until(isThere, { awaited: `the step ${point}` });
      for (const name of files.sent()) rmSync(join(files.folder("out"), name));
    },

    /** Lets a hand-over count as given up, and has the rail go on. */
    async later(ms = HOUR_MS): Promise<void> {
      files.clock.aheadMs += ms;
      await rail.turn();
    },
    /** Empties the books and the folders, and takes back what a test has changed of the rail. */
    async reset(): Promise<void> {
      Object.assign(deps, first.deps);
      Object.assign(files.settings, first.settings);
      files.clock.aheadMs = 0;
      files.logged.length = 0;
      const { payments, batches, answers } = deps.books;
      await Promise.all([payments.deleteMany(), batches.deleteMany(), answers.deleteMany()]);
      for (const name of ["out", "answers", "archive"] as const) {
        rmSync(files.folder(name), { recursive: true });
        mkdirSync(files.folder(name));
      }
    },
    stop: () => files.stop(),
  };
  return bank;
}
