// npm run fuzz: starts a payrail of its own with an empty database, lets schemathesis send it
// requests made from its OpenAPI document, right and wrong ones, and fails for each finding that
// tools/commands/fuzz/accepted.ts does not explain.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { live } from "../platform/lifetime.ts";
import { print } from "../platform/output.ts";
import { freePort } from "../platform/ports.ts";
import { SetupError } from "../platform/processes.ts";
import { ACCEPTED, type Failure } from "./fuzz/accepted.ts";

const USAGE = `npm run fuzz [-- SCHEMATHESIS]

Starts a payrail of its own with an empty database, and lets schemathesis send it requests made from
its OpenAPI document, right and wrong ones, for some minutes. SCHEMATHESIS is the program's path, by
default schemathesis on the PATH; pip install schemathesis brings it.
Exit code 0: each finding is explained; 1: one is not, or nothing was sent.
`;

const START_WITHIN_MS = 300_000;

await live(async (lifetime) => {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) {
    await print(USAGE);
    return lifetime.end(0);
  }
  const [program = "schemathesis"] = positionals;
  const directory = await mkdtemp(join(tmpdir(), "payrail-fuzz-"));
  lifetime.onStop(() => rm(directory, { recursive: true }));
  const url = `http://127.0.0.1:${await freePort()}`;
  const payrail = start(url, directory);
  lifetime.onStop(async () => {
    if (payrail.exitCode !== null || payrail.signalCode !== null) return;
    payrail.kill("SIGTERM");
    await once(payrail, "exit");
  });
  await fuzz(program, { url, directory, tokens: await bannerTokens(payrail) });
  const failures = await readFailures(directory);
  const open = failures.filter((each) => !ACCEPTED.some(({ matches }) => matches(each)));
  for (const { operation, check, message, url: asked, status, answer } of open) {
    await print(`${operation}: ${check}: ${message}\n  ${asked}\n  ${status} ${answer}\n`);
  }
  await print(`${failures.length} findings, ${open.length} without a reason\n`);
  return lifetime.end(open.length === 0 ? 0 : 1);
});

function start(url: string, directory: string): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, "start.ts")], {
    env: {
      ...process.env,
      PORT: new URL(url).port,
      DATA_DIR: join(directory, "data"),
      WITHDRAWAL_LIMIT: "off",
      DECLINE_LIMIT: "off",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The tokens that the banner prints, by role, once payrail is ready. */
async function bannerTokens(payrail: ChildProcess): Promise<Record<string, string>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = setTimeout(() => payrail.kill(), START_WITHIN_MS);
  let banner = "";
  payrail.stdout?.on("data", (chunk: Buffer) => {
    banner += chunk.toString();
    if (banner.includes("Ctrl-C")) resolve();
  });
  payrail.once("exit", () => resolve());
  await promise;
  clearTimeout(late);
  const lines = [...banner.matchAll(/^(Admin|Merchant|User) token +(\S+)$/gm)];
  if (lines.length < 3) throw new Error(`payrail did not start: ${banner}`);
  return Object.fromEntries(lines.map(([, role = "", token = ""]) => [role, token]));
}

interface Target {
  url: string;
  directory: string;
  tokens: Record<string, string>;
}

/** Runs schemathesis to its end; its exit status counts the accepted failures too. */
async function fuzz(program: string, { url, directory, tokens }: Target): Promise<void> {
  const { Admin, Merchant = "", User } = tokens;
  const claims = JSON.parse(Buffer.from(Merchant.split(".")[1] ?? "", "base64url").toString());
  const { sub } = claims as { sub: string };
  const args = [
    ...["--config-file", join(import.meta.dirname, "fuzz/schemathesis.toml"), "run"],
    ...["--phases", "examples,coverage,fuzzing", "--report", "ndjson"],
    ...["--report-dir", join(directory, "report"), `${url}/openapi.json`],
  ];
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ADMIN_TOKEN: Admin,
      MERCHANT_TOKEN: Merchant,
      USER_TOKEN: User,
      BUSINESS_ID: sub,
      STOPPED_ID: await makeBusiness(url, Admin),
    },
    // It keeps a cache in its working directory.
    cwd: directory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await once(child, "exit").catch(({ message }: Error) => {
    throw new SetupError(
      `${program} does not run (${message}); pip install schemathesis brings it.`,
    );
  });
}

/** A business that may be frozen, while the requests of the demo's business still change something. */
async function makeBusiness(url: string, token: string | undefined): Promise<string> {
  const response = await fetch(`${url}/v1/admin/businesses`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Stopped", email: "stopped@example.com" }),
  });
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

interface Scenario {
  recorder: {
    label: string;
    checks: Record<string, Check[]>;
    interactions: Record<string, Interaction>;
  };
}
interface Check {
  name: string;
  status: string;
  failure_info?: { failure: { message: string } };
}
interface Interaction {
  request: { uri: string };
  response: { status_code: number; content?: { $base64?: string } } | null;
}

/** The failed checks of the report. */
async function readFailures(directory: string): Promise<Failure[]> {
  const [name = ""] = await readdir(join(directory, "report"));
  const lines = (await readFile(join(directory, "report", name), "utf8")).trim().split("\n");
  return lines.flatMap((line) => {
    const { ScenarioFinished } = JSON.parse(line) as { ScenarioFinished?: Scenario };
    return ScenarioFinished ? failuresOf(ScenarioFinished) : [];
  });
}

function failuresOf({ recorder: { label, checks, interactions } }: Scenario): Failure[] {
  return Object.entries(checks).flatMap(([id, all]) =>
    all
      .filter(({ status }) => status !== "success")
      .map(({ name, failure_info: info }): Failure => {
        const { request, response } = interactions[id] as Interaction;
        return {
          operation: label,
          check: name,
          message: info?.failure.message ?? "",
          url: request.uri,
          status: response?.status_code ?? 0,
          answer: Buffer.from(response?.content?.$base64 ?? "", "base64").toString(),
        };
      }),
  );
}
