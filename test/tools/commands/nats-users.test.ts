// An operator's view of the users on NATS: a wrong user, password or authority ends the process
// with one sentence, and internal systems join with a user of their own.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "../../../shared/config/env.ts";
import { createBroker } from "../../../shared/rpc/broker.ts";
import { SERVICE_NAMES } from "../../../shared/rpc/service-names.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../../tools/platform/binaries.ts";
import { startNats } from "../../../tools/platform/nats.ts";
import { natsConfig, natsPermissions } from "../../../tools/platform/nats-permissions.ts";
import {
  makeNatsUsers,
  type NatsUser,
  type NatsUsers,
} from "../../../tools/platform/nats-users.ts";
import { freePort, isListening } from "../../../tools/platform/ports.ts";
import { guard } from "../../../tools/platform/processes.ts";
import type { Server } from "../../../tools/platform/supervisor.ts";
import { aCertificate } from "../../support/certificate.ts";
import { runPageNode } from "../../support/page-node.ts";
import { runNode, type Sandbox, type Script, sandbox } from "../../support/scripts.ts";
import { testEnvironment, until } from "../../support/system.ts";

const quiet = () => {};

let place: Sandbox;
let binary: string;
let users: NatsUsers;
let server: Server;
let tlsServer: ChildProcess | undefined;
const MONGO_URL = testEnvironment().MONGO_URL as string;

beforeAll(async () => {
  await migrateConfigured({ mongoUrl: MONGO_URL, sandbox: true });
  place = await sandbox();
  binary = await provideBinary("nats-server", binDirectory(), quiet);
  users = await makeNatsUsers(place.dataDir);
  server = await startNats({ binary, say: quiet, users });
});
afterAll(async () => {
  tlsServer?.kill("SIGKILL");
  await server?.stop();
  place?.clean();
});

const urlOf = (user: NatsUser) => users.urlOf(user, Number(new URL(server.url).port));

function startPayouts(environment: NodeJS.ProcessEnv): Script {
  const settings = { LOG_LEVEL: "warn", MONGO_URL, ...environment };
  return runNode("tools/commands/service.ts", ["payouts"], { ...place.environment, ...settings });
}

async function failure(script: Script): Promise<string> {
  expect(await script.exit).toEqual({ code: 1, signal: null });
  return `${script.stdout()}${script.stderr()}`.trim();
}

test("a service with its own user runs", async () => {
  const script = startPayouts({ NATS_URL: urlOf("payouts") });
  await until(() => script.stderr().includes("payouts is running"));
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
  expect(script.stdout()).toBe("");
});

test("a service with another service's user ends with one sentence", async () => {
  const said = await failure(startPayouts({ NATS_URL: urlOf("webhooks") }));
  expect(said.split("\n")).toHaveLength(1);
  expect(JSON.parse(said).msg).toMatch(
    /^NATS does not let this node listen to MOL-payrail\.\S+: give its user the permissions of npm run nats-permissions$/,
  );
});

test("a wrong password ends with one sentence, at once", async () => {
  const wrong = urlOf("payouts").replace("payouts:", "payouts:x");
  expect(await failure(startPayouts({ NATS_URL: wrong }))).toMatch(
    /^NATS_URL: the NATS at 127\.0\.0\.1:\d+ refuses the credentials \(.*\); correct them\.$/,
  );
});

test("a file that is not there ends with one sentence", async () => {
  for (const variable of ["NATS_CA_FILE", "NATS_CREDS"]) {
    const given = { NATS_URL: urlOf("payouts"), [variable]: "/no/such/file" };
    expect(await failure(startPayouts(given))).toBe(
      `${variable}: the file /no/such/file cannot be read (ENOENT).`,
    );
  }
});

test("TLS works with the authority in NATS_CA_FILE, and not without", async () => {
  const { cert, key } = aCertificate({ name: "localhost" });
  const path = (name: string) => join(place.dataDir, name);
  await writeFile(path("nats.crt"), cert);
  await writeFile(path("nats.key"), key);
  const tls = { cert_file: path("nats.crt"), key_file: path("nats.key") };
  const config = natsConfig([{ name: "payouts", password: "secret" }], tls);
  await writeFile(path("tls.conf"), config);
  const port = await freePort();
  const args = ["--addr", "127.0.0.1", "--port", String(port), "--config", path("tls.conf")];
  tlsServer = spawn(binary, args, { stdio: "ignore" });
  guard(tlsServer);
  await until(() => isListening(port));

  const NATS_URL = `tls://payouts:secret@localhost:${port}`;
  const script = startPayouts({ NATS_URL, NATS_CA_FILE: path("nats.crt") });
  await until(() => script.stderr().includes("payouts is running"));
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
  expect(await failure(startPayouts({ NATS_URL }))).toMatch(
    /^NATS_CA_FILE: the certificate of the NATS at localhost:\d+ is not accepted \(self-signed certificate.*\); /,
  );
});

test("the page's node joins as the internal user, and services answer it", async () => {
  const NATS_URL = urlOf("internal");
  const nodeOf = (user: NatsUser) => {
    return createBroker(loadConfig(testEnvironment({ NATS_URL: urlOf(user) })), user);
  };
  const [internal, payouts] = [nodeOf("internal"), nodeOf("payouts")];
  payouts.createService({ name: "payouts" });
  const accounts = runNode("tools/commands/service.ts", ["accounts"], {
    ...place.environment,
    ...{ LOG_LEVEL: "warn", MONGO_URL, NATS_URL: urlOf("accounts") },
  });
  let node: Script | undefined;
  try {
    await Promise.all([internal.start(), payouts.start()]);
    await internal.waitForServices(["accounts"], 60_000, 20);
    const business = { name: "Acme", email: "acme@example.com" };
    await internal.call("accounts.createBusiness", business);
    node = runPageNode(NATS_URL);
    await node.waitForOutput("Acme has 0 linked accounts");
    const change = { id: "a-payout", status: "SUCCESS" };
    await until(async () => {
      await payouts.broadcast("payout.status.changed", change);
      return node?.stdout().includes("Payout a-payout is SUCCESS");
    });
  } finally {
    node?.interrupt();
    accounts.interrupt();
    await internal.stop();
    await payouts.stop();
  }
  await accounts.exit;
  expect(accounts.stdout()).toBe("");
});

test("npm run nats-permissions prints what each service needs", async () => {
  const script = runNode("tools/commands/nats-permissions.ts", [], place.environment);
  expect(await script.exit).toEqual({ code: 0, signal: null });
  const printed = JSON.parse(script.stdout());
  expect(Object.keys(printed)).toEqual([...SERVICE_NAMES]);
  for (const name of SERVICE_NAMES) expect(printed[name]).toEqual(natsPermissions(name));
  const posting = SERVICE_NAMES.filter((name) =>
    natsPermissions(name).publish.some((subject) => subject.endsWith("wallet-ledger.post")),
  );
  expect(posting).toEqual(["payouts", "payment-links"]);
});

// The last test, because the server has no other user after it.
test("a service ends when its user loses its rights", async () => {
  const script = startPayouts({ NATS_URL: urlOf("payouts") });
  await until(() => script.stderr().includes("payouts is running"));
  await writeFile(users.configPath, natsConfig([{ name: "internal", password: "another" }]));
  process.kill(server.pid() as number, "SIGHUP");
  expect(await failure(script)).toContain("NATS has ended the connection for good");
});
