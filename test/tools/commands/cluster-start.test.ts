// npm run start:service: one service starts alone, joins the others and leaves them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { pidOf, runNode, type Sandbox, type Script, sandbox } from "../../support/scripts.ts";
import { keyPair, until } from "../../support/system.ts";

const SERVICES = ["accounts", "wallet-ledger", "webhooks", "payouts", "payment-links", "gateway"];

let place: Sandbox;
beforeEach(async () => {
  place = await sandbox();
});
afterEach(() => place.clean());

async function ended(script: Script) {
  const { code } = await script.exit;
  return { code, stdout: script.stdout(), stderr: script.stderr().trim() };
}

const alone = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
  ended(runNode("tools/commands/service.ts", args, { ...place.environment, ...environment }));

test("a service alone names its missing settings", async () => {
  const urls = { MONGO_URL: process.env.TEST_MONGO_URL, NATS_URL: process.env.TEST_NATS_URL };
  const help = await alone(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const name of SERVICES) expect(help.stdout).toContain(name);

  const names = SERVICES.join(", ");
  const unnamed = { code: 1, stderr: `Name one service: ${names}.` };
  expect(await alone([], urls)).toMatchObject(unnamed);
  expect(await alone(["pay-outs"], urls)).toMatchObject(unnamed);
  expect(await alone(["payouts"])).toMatchObject({
    code: 1,
    stderr: "payouts needs NATS_URL, MONGO_URL.",
  });
});

test("a gateway alone starts in production without a database or any secret key", async () => {
  const { publicKey } = keyPair();
  const JWT_PUBLIC_KEY_FILE = join(place.dataDir, "public.pem");
  writeFileSync(JWT_PUBLIC_KEY_FILE, publicKey);
  const nats = new URL(process.env.TEST_NATS_URL as string);
  nats.username = "gateway";
  nats.password = "secret";
  const environment = {
    NODE_ENV: "production",
    NATS_URL: nats.href,
    ALLOW_PLAINTEXT: "true",
    PUBLIC_URL: "https://pay.example",
    HOST: "127.0.0.1",
  };
  const unreadable = { JWT_PUBLIC_KEY_FILE: "/nowhere/public.pem" };
  expect(await alone(["gateway"], { ...environment, ...unreadable })).toMatchObject({
    code: 1,
    stderr: "JWT_PUBLIC_KEY_FILE names /nowhere/public.pem, which cannot be read (ENOENT).",
  });
  const script = runNode("tools/commands/service.ts", ["gateway"], {
    ...place.environment,
    ...environment,
    JWT_PUBLIC_KEY_FILE,
  });
  await until(() => script.stderr().includes("gateway is running"));
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
});

test("a service alone joins and leaves", async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/payrail_alone";
  await migrateConfigured({ mongoUrl: url.href, sandbox: true });
  const script = runNode("tools/commands/service.ts", ["payouts"], {
    ...place.environment,
    MONGO_URL: url.href,
    NATS_URL: process.env.TEST_NATS_URL,
  });
  await until(() => script.stderr().includes("payouts is running"));
  pidOf(place.dataDir, /^payrail-payouts$/);
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
});
