// npm start: after a first start the withdrawal of the banner works, and a second start keeps the
// data. A start that cannot work ends with one sentence that names the cause.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";
import {
  inSandbox,
  processesOf,
  RUNNING,
  readFailure,
  runNode,
  runScript,
  type Script,
  withdrawAsShown,
} from "../support/scripts.ts";
import { until } from "../support/system.ts";

/** Reads a value of the banner by its name. */
function readBanner(script: Script, name: string): string {
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

test("a second start keeps the demo and the withdrawal of the first start", () =>
  inSandbox(async (place) => {
    const first = runScript("npm", ["start"], place.environment);
    await first.waitForOutput(RUNNING);
    expect(readBanner(first, "Address")).toBe(`http://127.0.0.1:${place.port}`);
    const docs = await fetch(readBanner(first, "Documentation"));
    expect(docs.status).toBe(200);

    const client = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: readBanner(first, "Client id"),
      client_secret: readBanner(first, "Client secret"),
    });
    const issued = await fetch(`${readBanner(first, "Address")}/v1/oauth/token`, {
      method: "POST",
      body: client,
    });
    const { access_token } = (await issued.json()) as { access_token: string };
    expect(subjectOf(access_token)).toBe(subjectOf(readBanner(first, "Merchant token")));
    const businesses = await fetch(`${readBanner(first, "Address")}/v1/admin/businesses`, {
      headers: { authorization: `Bearer ${readBanner(first, "Admin token")}` },
    });
    expect(businesses.status).toBe(200);

    const answer = JSON.parse(withdrawAsShown(first));
    expect(answer).toMatchObject({ success: true, data: { amount: "25.25", fees: "0.25" } });

    first.interrupt();
    await first.exit;
    await until(() => processesOf(place.dataDir).length === 0, {
      awaited: "the end of all processes",
    });

    const second = runScript("npm", ["start"], place.environment);
    await second.waitForOutput(RUNNING);
    for (const name of ["Client id", "Client secret"]) {
      expect(readBanner(second, name)).toBe(readBanner(first, name));
    }
    for (const name of ["Admin token", "Merchant token", "User token"]) {
      expect(subjectOf(readBanner(second, name))).toBe(subjectOf(readBanner(first, name)));
    }
    expect(second.stdout()).toContain("9974.75 USD");

    // Only npm gets the signal, as from a process manager.
    process.kill(second.pid, "SIGTERM");
    await second.exit;
    await until(() => processesOf(place.dataDir).length === 0, {
      awaited: "the end of all processes",
    });
  }));

/** The error of a start with these settings. */
const failWith = (settings: NodeJS.ProcessEnv) =>
  inSandbox(({ environment }) => readFailure({ ...environment, ...settings }));

test.concurrent("--help prints the usage, and another argument is refused", () =>
  inSandbox(async ({ environment }) => {
    const help = runNode("scripts/start.ts", ["--help"], environment);
    expect((await help.exit).code).toBe(0);
    expect(help.stdout()).toMatch(/^npm start\n/);
    const wrong = runNode("scripts/start.ts", ["--halp"], environment);
    expect((await wrong.exit).code).toBe(1);
    expect(wrong.stderr()).toContain("--halp");
  }));

test.concurrent("a port in use ends the start before any other program starts", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const failure = await failWith({ PORT: String(port) }).finally(() => holder.close());
  expect(failure).toBe(`PORT ${port} on 127.0.0.1 is in use; stop what listens there or set PORT.`);
});

// A start waits ten seconds for a server, so the failing starts run at the same time.
test.concurrent("an error names a server without an answer, and no password", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const [absent, mute, withoutNats] = await Promise.all([
    failWith({ MONGO_URL: "mongodb://ada:secret@127.0.0.1:1/payrail" }),
    failWith({ MONGO_URL: `mongodb://127.0.0.1:${port}/payrail` }),
    failWith({
      MONGO_URL: process.env.TEST_MONGO_URL,
      NATS_URL: "nats://ada:secret@127.0.0.1:1,nats://127.0.0.1:2",
    }),
  ]).finally(() => silent.close());
  expect(absent).toMatch(
    /^MONGO_URL: no MongoDB answers at 127\.0\.0\.1:1 .* correct MONGO_URL\.$/,
  );
  expect(mute).toMatch(/^MONGO_URL: no MongoDB answers at/);
  expect(withoutNats).toMatch(/^NATS_URL: no NATS answers at 127\.0\.0\.1:1,127\.0\.0\.1:2 /);
  for (const failure of [absent, withoutNats]) expect(failure).not.toContain("secret");
});

test.concurrent("without a mongod the error names the programs to install", async () => {
  const failure = await failWith({
    PATH: resolve("nothing"),
    MONGOMS_DOWNLOAD_MIRROR: "https://127.0.0.1:1/",
  });
  expect(failure).toMatch(/^mongod is not available/);
  expect(failure).toContain(
    "Install MongoDB (mongod on the PATH) or Python 3 with pip, or set MONGO_URL.",
  );
});

test.concurrent.each<[string, NodeJS.ProcessEnv, string[]]>([
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
  ["an invalid port", { PORT: "99999" }, ["PORT must be a port between 1 and 65535"]],
  [
    "a missing rail",
    { MONGO_URL: process.env.TEST_MONGO_URL, RAILS: '{"ACH":"./nowhere.js"}', LOG_LEVEL: "fatal" },
    ["RAILS: ./nowhere.js cannot be loaded"],
  ],
  ["a read-only DATA_DIR", { DATA_DIR: "/dev/null/x" }, ["DATA_DIR"]],
])("%s ends the start at once with one sentence", async (_case, wrong, parts) => {
  const failure = await failWith(wrong);
  for (const part of parts) expect(failure).toContain(part);
});
