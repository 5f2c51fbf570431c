// The package as it is published: packed, installed without a network into a folder of its own, and
// used there as its README says, checked by the strictest settings of the compiler.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../scripts/support/ports.ts";
import { readDocument } from "../support/document.ts";
import { inherited } from "../support/inherited.ts";
import { runNode } from "../support/scripts.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

const run = promisify(execFile);
const PACKAGE = resolve("clients/typescript");

/** An application's settings; the package's own types are checked too. */
const SETTINGS = {
  compilerOptions: {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: false,
    skipLibCheck: false,
    noEmit: true,
    typeRoots: [resolve("node_modules/@types")],
    types: ["node"],
  },
  include: ["*.ts"],
};

let world: World;
let folder: string;
let packed: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "payrail-client-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: PACKAGE,
  });
  packed = join(folder, (JSON.parse(stdout) as [{ filename: string }])[0].filename);
  world = await startWorld();
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A folder with an application that has the package installed. */
async function application(name: string, source: string): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify(SETTINGS));
  writeFileSync(join(path, "main.ts"), source);
  await run("npm", ["install", "--offline", "--no-audit", packed], { cwd: path });
  return path;
}

/** What the compiler says about an application. */
async function compilerErrors(path: string): Promise<string> {
  const compiler = resolve("node_modules/.bin/tsc");
  return run(compiler, ["-p", path, "--pretty", "false"]).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test("the blocks of the README compile and run in order, and print what they say", async () => {
  const receiver = await freePort();
  const blocks = readDocument(join(PACKAGE, "README.md")).blocks("ts");
  const source = blocks.join("\n").replaceAll("4000", String(receiver));
  const path = await application("readme", source);
  expect(await compilerErrors(path)).toBe("");

  const business = await world.business();
  const script = runNode(join(path, "main.ts"), [], {
    ...inherited(),
    PAYRAIL_URL: world.http.url,
    PAYRAIL_CLIENT_ID: business.clientId,
    PAYRAIL_CLIENT_SECRET: business.clientSecret,
  });
  let ended = false;
  void script.exit.then(() => {
    ended = true;
  });
  await until(() => ended || / SUCCESS $/m.test(script.stdout()), { awaited: "the last event" });
  expect(script.stderr()).toBe("");
  script.interrupt();
  await script.exit;
  const said = [...source.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text);
  expect(said.length).toBeGreaterThan(4);
  const lines = script.stdout().split("\n");
  expect(lines.filter((line) => said.includes(line))).toEqual(said);
  await world.verifyBooks();
});

test("the package has the command payrail, with every command that the README names", async () => {
  const path = await application("command", "");
  const { page } = readDocument(join(PACKAGE, "README.md"));
  const named = [...page.matchAll(/^npx payrail (\w+)/gm)].map(([, name]) => name as string);
  expect(named.length).toBeGreaterThan(4);
  const command = join(path, "node_modules/.bin/payrail");
  for (const name of named) {
    const { stdout } = await run(command, [name, "--help"]);
    expect(stdout).toMatch(new RegExp(`^payrail ${name} `));
  }
});

test("the compiler finds a misspelt field, a missing one and a wrong value", async () => {
  const path = await application(
    "mistakes",
    `import { Payrail } from "@payrail/client";
const payrail = new Payrail({ baseUrl: "http://127.0.0.1:1", token: "t" });
await payrail.entities.create({ email: "a@example.com", externalIdentifer: "1" });
await payrail.withdrawals.create({ currency: "USD", linkedAccountId: "1", reason: "r" });
await payrail.payments.list({ status: "succeeded" });
const event = payrail.webhooks.verify("", {}, "");
if (event.eventType === "WITHDRAWL") console.log(event);
new Payrail({ baseUrl: "http://127.0.0.1:1" });
`,
  );
  const errors = await compilerErrors(path);
  const lines = [...errors.matchAll(/main\.ts\((\d+),/g)].map(([, line]) => Number(line));
  expect([...new Set(lines)]).toEqual([3, 4, 5, 7, 8]);
});
