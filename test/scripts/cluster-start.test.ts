// npm run start:service: one service starts alone, joins the others and leaves them.

import { migrateConfigured } from "../../scripts/migrate/migrate.ts";
import { pidOf, runNode, type Sandbox, type Script, sandbox } from "../support/scripts.ts";
import { until } from "../support/system.ts";

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
  ended(runNode("scripts/service.ts", args, { ...place.environment, ...environment }));

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
    stderr:
      "A service alone needs MONGO_URL and NATS_URL; set it, or run everything with npm start.",
  });
});

test("a service alone joins and leaves", async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/payrail_alone";
  await migrateConfigured({ mongoUrl: url.href, sandbox: true });
  const script = runNode("scripts/service.ts", ["payouts"], {
    ...place.environment,
    MONGO_URL: url.href,
    NATS_URL: process.env.TEST_NATS_URL,
  });
  await until(() => script.stderr().includes("payouts is running"));
  pidOf(place.dataDir, /^payrail-payouts$/);
  script.interrupt();
  expect(await script.exit).toEqual({ code: 0, signal: null });
});
