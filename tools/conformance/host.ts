// Runs a module in a separate process that the runner can kill. It loads the module of its first
// argument as payrail does, with SANDBOX on and the database of MONGO_URL, reports its kind,
// and passes the runner's calls to the module.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import mongoose from "mongoose";
import type { Acquirer, Instrument, Module, Rail, Screening } from "../../partners/types.ts";
import { systemClock } from "../../shared/clock.ts";
import { ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createContexts } from "../../shared/partners/context.ts";
import { loadAcquirers, loadRails, loadScreening } from "../../shared/partners/load.ts";
import { withDevelopmentKeys } from "../platform/environment.ts";

export type Kind = "rail" | "acquirer" | "screening";

/** The report of the host after its attempt to load the module. */
export type Loaded =
  | { kind: Kind; name: string; hasList: boolean; hasDecide: boolean }
  /** The module exists, but payrail would not start with it. */
  | { kind: Kind; refused: string }
  | { failed: string };

export interface Question {
  number: number;
  operation: string;
  args: unknown[];
  /** Only for a submit: the data that `instrument()` opens; null makes `instrument()` fail. */
  instrument?: Record<string, string> | null;
}

export interface Reply {
  number: number;
  value?: unknown;
  error?: string;
}

const LIST_AT_MOST = 10_000;
const NO_DATABASE = "mongodb://127.0.0.1:1";
const path = process.argv[2] as string;
const config = { ...loadConfig(withDevelopmentKeys(process.env)), sandbox: true };
// The client connects at the first operation, so a module without books needs no database.
const client = new mongoose.mongo.MongoClient(config.mongoUrl ?? NO_DATABASE);

/** The function by which a module is known for its kind. */
const MAIN: Record<Kind, string> = { rail: "submit", acquirer: "charge", screening: "screen" };

const LOAD: Record<Kind, () => Promise<Rail | Acquirer | Screening | undefined>> = {
  rail: async () => (await loadRails([path], contextsOf("rails"))).get(path),
  acquirer: async () => (await loadAcquirers([path], contextsOf("acquirers"), config)).get(path),
  screening: () => loadScreening(path, contextsOf("rails")),
};

process.once("disconnect", () => process.exit(0));
const { loaded, partner } = await load();
process.on("message", (question: Question) => {
  void answer(question).then((reply) => process.send?.(reply));
});
process.send?.(loaded);

type Partner = Record<string, (...args: unknown[]) => unknown>;

async function load(): Promise<{ loaded: Loaded; partner: Partner }> {
  let kind: Kind;
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as {
      default: Module<Rail | Acquirer | Screening>;
    };
    const made = Object(await module.default(contextsOf("rails")(path))) as Partner;
    const found = (["rail", "acquirer", "screening"] as const).find((each) => made[MAIN[each]]);
    if (!found) throw new Error("it makes neither a rail nor an acquirer nor a screening");
    kind = found;
  } catch (error) {
    return { loaded: { failed: (error as Error).message }, partner: {} };
  }
  try {
    const made = (await LOAD[kind]()) as unknown as Partner & { name: string };
    await made.start?.();
    const optional = { hasList: Boolean(made.list), hasDecide: Boolean(made.decide) };
    return { loaded: { kind, name: made.name, ...optional }, partner: made };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { loaded: { kind, refused: error.message }, partner: {} };
  }
}

function contextsOf(kind: "rails" | "acquirers") {
  const log = { info: console.log, warn: console.warn, error: console.error };
  return createContexts(client, client.db().databaseName, kind, {
    sandbox: true,
    sandboxSettleMs: config.sandboxSettleMs,
    clock: systemClock,
    log,
  });
}

async function answer({ number, operation, args, instrument }: Question): Promise<Reply> {
  try {
    const opened: Instrument = async () => {
      if (!instrument) throw new Error("The account cannot be opened");
      return { optionType: "bank", data: instrument };
    };
    const asked = partner[operation]?.(...args, ...(operation === "submit" ? [opened] : []));
    const value =
      operation === "list" ? await collected(asked as AsyncIterable<unknown>) : await asked;
    return { number, value: structuredClone(value) };
  } catch (error) {
    return { number, error: error instanceof Error ? error.message : String(error) };
  }
}

async function collected(entries: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const entry of entries) {
    all.push(entry);
    if (all.length === LIST_AT_MOST) break;
  }
  return all;
}
