// Rails of bank files for tests: several processes' rails over one set of books and folders.

import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import mongoose from "mongoose";
import type { Point } from "../../../partners/bank-files/deps.ts";
import type { Format } from "../../../partners/bank-files/format.ts";
import { type BankFilesRail, bankFilesRail } from "../../../partners/bank-files/rail.ts";
import type { BankFileSettings } from "../../../partners/bank-files/settings.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { createContexts } from "../../../shared/partners/context.ts";
import { verify } from "../../../tools/verify/verify.ts";
import { settableClock } from "../settable-clock.ts";
import { testEnvironment } from "../system.ts";
import type { World } from "../world.ts";
import { plainFormat } from "./plain-format.ts";

export const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

export interface FilesOptions {
  settings?: Partial<BankFileSettings>;
  format?: Format;
  /** Another module of the rail, such as one without a safeguard. */
  makeRail?: typeof bankFilesRail;
}

export type Files = Awaited<ReturnType<typeof startFiles>>;

/** The folders and books of a rail; `open` makes the rail of one more process. */
export async function startFiles({
  settings = {},
  format = plainFormat,
  makeRail = bankFilesRail,
}: FilesOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "payrail-files-"));
  const place = (name: string) => {
    mkdirSync(join(folder, name));
    return { url: pathToFileURL(join(folder, name)).href };
  };
  const all: BankFileSettings = {
    name: `files-${randomBytes(4).toString("hex")}`,
    test: true,
    fileId: "TEST",
    originator: {},
    calendar: { timeZone: "UTC", cutOffs: "always", holidays: "none", settlesAfterDays: 0 },
    out: place("out"),
    answers: place("answers"),
    archive: place("archive"),
    repeats: "refused",
    returnWindowDays: 60,
    settledAfterDays: null,
    returnChargeAtMostMinor: 5_000,
    // A hand-over is given up after five turns, and a busy machine may take seconds for one.
    turnEveryMs: 2_000,
    askEveryMs: 100,
    ...settings,
  };
  const { MONGO_URL } = testEnvironment();
  const connection = await mongoose.createConnection(MONGO_URL as string).asPromise();
  const client = connection.getClient();
  const clock = settableClock();
  const logged: string[] = [];
  const note = (message: string) => logged.push(message);
  const contextOf = createContexts(client, connection.name, "rails", {
    sandbox: true,
    clock,
    log: { info: () => {}, warn: note, error: note },
  });
  const context = contextOf("test");
  const opened: BankFilesRail[] = [];

  return {
    clock,
    context,
    mongoUrl: MONGO_URL as string,
    logged,
    settings: all,
    folder: (name: "out" | "answers" | "archive") => join(folder, name),

    /** The rail of one more process. */
    async open(reached?: (point: Point) => Promise<void> | void): Promise<BankFilesRail> {
      const rail = await makeRail(context, all, format, KEYS, reached);
      opened.push(rail);
      return rail;
    },

    /** The names of the files that the bank has. */
    sent: () => readdirSync(join(folder, "out")).filter((name) => !name.startsWith(".")),

    readSent: (name: string) => readFileSync(join(folder, "out", name)),

    answer(name: string, bytes: Buffer): void {
      writeFileSync(join(folder, "answers", name), bytes);
    },

    async stop(): Promise<void> {
      for (const rail of opened) await rail.stop?.();
      await context.database.dropDatabase();
      await connection.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Verifies payrail's books and the rail's files together. */
export async function findViolations({ config }: Pick<World, "config">, rail: BankFilesRail) {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  try {
    const { violations, checked } = await verify(connection, { rails: [rail] });
    expect(checked.batches).toBeGreaterThan(0);
    return violations;
  } finally {
    await connection.close();
  }
}

const ACCOUNT = {
  firstName: "Ada",
  lastName: "Lovelace",
  accountNumber: "918273646789",
  routingNumber: "021000021",
  accountType: "CHECKING",
};

export function newPayment(more: Partial<RailPayment> = {}): RailPayment {
  return {
    id: randomUUID(),
    method: "ACH",
    amountMinor: 1_000,
    currency: "USD",
    optionType: "bank",
    lastFour: "6789",
    reference: "Invoice 7",
    ...more,
  };
}

/** Opens the same account for every payment. */
export const instrument = async () => ({ optionType: "bank" as const, data: ACCOUNT });
