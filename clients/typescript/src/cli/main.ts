#!/usr/bin/env node
// The command payrail. Exit codes: 0 done, 1 failed, 2 wrong use.

import { parseArgs } from "node:util";
import { PayrailError } from "../errors.ts";
import { Payrail } from "../payrail.ts";
import { type Command, coloured, Failure, UsageError, type Values } from "./command.ts";
import { listen } from "./listen.ts";
import { get, list } from "./read.ts";
import { resend } from "./resend.ts";
import { trigger } from "./trigger.ts";
import { verify } from "./verify.ts";
import { withdraw } from "./withdraw.ts";

const COMMANDS: Record<string, Command> = {
  listen,
  trigger,
  resend,
  verify,
  withdraw,
  get,
  list,
};

const USAGE = `payrail <command>

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join("\n")}

payrail <command> --help says more. The environment has the credentials: PAYRAIL_CLIENT_ID and
PAYRAIL_CLIENT_SECRET of an API client, and PAYRAIL_URL, by default http://127.0.0.1:3000.
`;

function connect(): Payrail {
  const { PAYRAIL_URL, PAYRAIL_CLIENT_ID: clientId, PAYRAIL_CLIENT_SECRET } = process.env;
  if (!clientId || !PAYRAIL_CLIENT_SECRET) {
    throw new UsageError("PAYRAIL_CLIENT_ID and PAYRAIL_CLIENT_SECRET must be set");
  }
  const baseUrl = PAYRAIL_URL || "http://127.0.0.1:3000";
  if (!URL.canParse(baseUrl)) throw new UsageError("PAYRAIL_URL must be a URL");
  return new Payrail({ baseUrl, clientId, clientSecret: PAYRAIL_CLIENT_SECRET });
}

/** @throws UsageError for an unknown option, or an option without its value */
function parse({ options }: Command, args: string[]): { values: Values; positionals: string[] } {
  const common = { json: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
  try {
    return parseArgs({ args, options: { ...options, ...common }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function run(name: string | undefined, args: string[]): Promise<void> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(USAGE);
    if (name === undefined) throw new UsageError("Name a command");
    return;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`There is no command ${name}`);
  const { values, positionals } = parse(command, args);
  if (values.help) {
    process.stdout.write(command.help);
    return;
  }
  await command.run({
    values,
    positionals,
    payrail: connect,
    print: (text, result) => {
      process.stdout.write(`${values.json ? JSON.stringify(result) : text}\n`);
    },
  });
}

/** Prints an error. @returns the exit code */
function explain(error: unknown, name = ""): number {
  if (error instanceof UsageError) {
    const help = Object.hasOwn(COMMANDS, name) ? `payrail ${name} --help` : "payrail --help";
    process.stderr.write(`${error.message}\n${help} says how it is used.\n`);
    return 2;
  }
  if (error instanceof PayrailError) {
    const { code, requestId, idempotencyKey, mayHaveHappened } = error;
    const again =
      mayHaveHappened && idempotencyKey ? `; find out with the key ${idempotencyKey}` : "";
    const request = requestId ? `, request ${requestId}` : "";
    process.stderr.write(`${coloured("red", error.message)} (${code}${request})${again}\n`);
    return 1;
  }
  if (!(error instanceof Failure)) throw error;
  if (error.message !== "") process.stderr.write(`${error.message}\n`);
  return 1;
}

const [name, ...args] = process.argv.slice(2);
// Ctrl-C is the regular end of listen, so it is no failure.
process.once("SIGINT", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));
try {
  await run(name, args);
} catch (error) {
  process.exitCode = explain(error, name);
}
