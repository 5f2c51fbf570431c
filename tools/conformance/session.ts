// A session with a module: runs the module in a separate process, calls its functions, kills and
// restarts that process, and records each answer that breaks a promise about all answers.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { PayoutMethod } from "../../shared/config/payout-methods.ts";
import type { Currency } from "../../shared/money.ts";
import {
  ANSWERED_WITHIN_MS,
  CANCELLED_WITHIN_MS,
  SCREENED_WITHIN_MS,
} from "../../shared/partners/ask.ts";
import type { Loaded, Question, Reply } from "./host.ts";
import { COMMON } from "./promise.ts";

const LOADED_WITHIN_MS = 30_000;

export type Account = Record<string, string> & { accountNumber: string };

export interface Options {
  amountMinor: number;
  currency: Currency;
  /** The time in which a payment of a rail, or any other repeated question, must end, in ms. */
  endsWithinMs: number;
  method: PayoutMethod;
  /** The data that a rail's `instrument()` opens. */
  account: Account;
  /** The data of a destination whose payments have a problem; null if there is none. */
  problemAccount: Account | null;
  /** A card token for charges; acquirers need one. */
  cardToken: string | null;
  /** The environment of the module's process. */
  environment: NodeJS.ProcessEnv;
}

/** The module could not be tried at all. */
export class CouldNotTry extends Error {
  override name = "CouldNotTry";
}

export interface Session {
  loaded: Extract<Loaded, { kind: string }>;
  options: Options;
  hasList: boolean;
  hasDecide: boolean;
  /**
   * Calls a function of the module. The result is undefined after an error, after the time limit,
   * or if the process has ended.
   */
  ask(operation: string, args: unknown[], instrument?: Question["instrument"]): Promise<unknown>;
  /** Kills the process, as a power cut would, and starts another one. */
  restart(): Promise<void>;
  note(promise: string, observed: string): void;
  /** The first observation against each broken promise, by the name of the promise. */
  noted: Map<string, string>;
  end(): void;
}

/** @throws CouldNotTry if the module cannot be loaded */
export async function startSession(path: string, options: Options): Promise<Session> {
  const noted = new Map<string, string>();
  const note = (promise: string, observed: string) => {
    if (!noted.has(promise)) noted.set(promise, observed);
  };
  const { account, problemAccount, cardToken } = options;
  const secrets = [account.accountNumber, problemAccount?.accountNumber, cardToken].filter(
    (secret) => typeof secret === "string" && secret !== "",
  ) as string[];
  const searched = (text: string, place: string) => {
    if (secrets.some((secret) => text.includes(secret))) {
      note(COMMON.discreet.name, `${place} has an account number or card token`);
    }
  };
  const start = () => startHost(path, options, (text) => searched(text, "its output"));
  let host = await start();
  if ("failed" in host.loaded) throw new CouldNotTry(host.loaded.failed);
  const loaded = host.loaded;

  async function restart(): Promise<void> {
    host.kill();
    host = await start();
    const again = host.loaded;
    const name = "name" in again ? again.name : "none that payrail accepts";
    if ("name" in loaded && name !== loaded.name) {
      note(COMMON.lasting.name, `its name was ${loaded.name} and is ${name}`);
    }
  }

  return {
    loaded,
    options,
    hasList: "hasList" in loaded && loaded.hasList,
    hasDecide: "hasDecide" in loaded && loaded.hasDecide,
    noted,
    note,
    restart,
    end: () => host.kill(),

    async ask(operation, args, instrument) {
      const reply = await host.ask(operation, args, instrument);
      if (reply === "killed") return undefined;
      if (reply === "late") {
        const seconds = waitFor(operation) / 1_000;
        note(COMMON.inTime.name, `no answer to ${operation} within ${seconds} s`);
        return undefined;
      }
      if (reply === "ended") {
        note(COMMON.alive.name, `its process ended during ${operation}`);
        await restart();
        return undefined;
      }
      searched(reply.error ?? JSON.stringify(reply.value) ?? "", `its answer to ${operation}`);
      return reply.error === undefined ? reply.value : undefined;
    },
  };
}

/** The time that payrail waits for the answer, in milliseconds. */
const waitFor = (operation: string) =>
  ({ cancel: CANCELLED_WITHIN_MS, decide: CANCELLED_WITHIN_MS, screen: SCREENED_WITHIN_MS })[
    operation
  ] ?? ANSWERED_WITHIN_MS;

/** Starts a process that has loaded the module. */
async function startHost(path: string, options: Options, onOutput: (output: string) => void) {
  const child = fork(join(import.meta.dirname, "host.ts"), [path], {
    env: options.environment,
    serialization: "advanced",
    silent: true,
  });
  const asked = new Map<number, (reply: Reply | "ended" | "killed") => void>();
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      onOutput(output);
    });
  }
  const answerAll = (end: "ended" | "killed") => {
    for (const settle of asked.values()) settle(end);
    asked.clear();
  };
  const ended = () => answerAll("ended");
  child.once("exit", ended);
  const loaded = await loadedIn(child).catch(() => {
    child.kill("SIGKILL");
    const failed = `its process did not start:\n${output}`;
    return { failed } as const;
  });
  child.on("message", (reply: Reply) => {
    asked.get(reply.number)?.(reply);
    asked.delete(reply.number);
  });

  return {
    loaded,
    kill() {
      answerAll("killed");
      child.removeListener("exit", ended);
      child.kill("SIGKILL");
    },

    ask(operation: string, args: unknown[], instrument?: Question["instrument"]) {
      const number = nextNumber++;
      return new Promise<Reply | "late" | "ended" | "killed">((resolve) => {
        const late = setTimeout(resolve, waitFor(operation), "late");
        asked.set(number, (reply) => {
          clearTimeout(late);
          resolve(reply);
        });
        if (child.exitCode !== null || child.signalCode !== null) return ended();
        // If the process ends meanwhile, its `exit` event reports that.
        child.send({ number, operation, args, instrument } satisfies Question, () => {});
      });
    },
  };
}

let nextNumber = 0;

async function loadedIn(child: ChildProcess): Promise<Loaded> {
  const signal = AbortSignal.timeout(LOADED_WITHIN_MS);
  const gone = once(child, "exit", { signal }).then(() => Promise.reject(new Error("It ended")));
  const [loaded] = (await Promise.race([once(child, "message", { signal }), gone])) as [Loaded];
  gone.catch(() => {});
  return loaded;
}
