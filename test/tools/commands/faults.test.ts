// An uncaught error ends a process: the process logs the reason without any input, stops the
// programs that it started, and exits with a code other than 0.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../shared/config/env.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { processesOf, runNode, type Sandbox, type Script, sandbox } from "../../support/scripts.ts";
import { testEnvironment, until } from "../../support/system.ts";

const CARD = "4242424242424242";
const TOKEN = "Zk3vQ0aXo9T4bM7yR2uJ5wLs8dGf6hNc1pEiKtVxYqA";

/** Loaded before a script: the signals cause the errors. */
const FAULTS = `
const reason = () => new TypeError("The bank hung up on ${CARD} at https://b.example/${TOKEN}");
process.on("SIGUSR2", () => void Promise.reject(reason()));
process.on("SIGWINCH", () => setImmediate(() => { throw reason(); }));
`;

let directory: string;
let place: Sandbox;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-faults-"));
  await writeFile(join(directory, "faults.mjs"), FAULTS);
  place = await sandbox();
});

afterAll(async () => {
  place.clean();
  await rm(directory, { recursive: true });
});

function run(script: string, args: string[], environment: Record<string, string>): Script {
  const options = { NODE_OPTIONS: `--import ${join(directory, "faults.mjs")}` };
  return runNode(script, args, { ...place.environment, ...environment, ...options });
}

test.each<[string, string, string[], NodeJS.Signals, string]>([
  [
    "a service",
    "tools/commands/service.ts",
    ["wallet-ledger"],
    "SIGUSR2",
    "A rejection that no code",
  ],
  [
    "the gateway",
    "tools/commands/service.ts",
    ["gateway"],
    "SIGWINCH",
    "An exception that no code",
  ],
  [
    "everything in one process",
    "tools/commands/start.ts",
    [],
    "SIGUSR2",
    "A rejection that no code",
  ],
])("%s ends with its reason in the log", async (_case, script, args, signal, reason) => {
  const urls = { NATS_URL: process.env.TEST_NATS_URL as string };
  const environment = testEnvironment({ ...(args.length > 0 && urls), NODE_ENV: "development" });
  await migrateConfigured(loadConfig(environment));
  const process_ = run(script, args, environment);
  const isRunning = () => /is running/.test(process_.stdout() + process_.stderr());
  await until(isRunning, { awaited: `${script} to run` });
  process.kill(process_.pid, signal);
  const { code } = await process_.exit;
  expect(code).toBe(1);
  const lines = process_.stderr().split("\n");
  const fatal = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  expect(fatal).toEqual([
    expect.objectContaining({
      level: 60,
      msg: `${reason} caught: the process ends`,
      error: {
        name: "TypeError",
        message: "The bank hung up on [digits] at https://b.example/…",
        stack: expect.stringContaining("faults.mjs"),
      },
    }),
  ]);
  const output = process_.stdout() + process_.stderr();
  for (const secret of [CARD, TOKEN]) expect(output).not.toContain(secret);
  await until(() => processesOf(place.dataDir).length === 0, {
    awaited: "the end of all processes",
  });
});
