// Moleculer's own tools with payrail: moleculer-runner starts services, and the REPL and the node
// in docs/integrate/internal-systems.md join them.

import moleculer, { type ServiceBroker } from "moleculer";
import { loadConfig } from "../../../shared/config/env.ts";
import { newId } from "../../../shared/ids.ts";
import { call } from "../../../shared/rpc/actions.ts";
import { brokerOptions, createBroker } from "../../../shared/rpc/broker.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../../tools/platform/binaries.ts";
import { startNats } from "../../../tools/platform/nats.ts";
import type { Server } from "../../../tools/platform/supervisor.ts";
import { NODE_PAGE, runPageNode } from "../../support/page-node.ts";
import { runNode, type Sandbox, type Script, sandbox } from "../../support/scripts.ts";
import { testEnvironment, until } from "../../support/system.ts";

const RUNNER = "node_modules/moleculer/bin/moleculer-runner.js";
const CONFIG = ["--config", "moleculer.config.ts"];
const quiet = () => {};

let place: Sandbox;
let nats: Server;
let broker: ServiceBroker;
let runner: Script;
let node: Script | undefined;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  place = await sandbox();
  // The test has its own NATS, because the namespace is the same for every installation.
  const binary = await provideBinary("nats-server", binDirectory(), quiet);
  nats = await startNats({ binary, say: quiet });
  const { MONGO_URL } = testEnvironment();
  environment = { ...place.environment, MONGO_URL, NATS_URL: nats.url };
  await migrateConfigured(loadConfig(testEnvironment({ MONGO_URL: MONGO_URL as string })));
  broker = createBroker(loadConfig(testEnvironment({ NATS_URL: nats.url })), "test");
  await broker.start();
  runner = runNode(RUNNER, [...CONFIG, "services/accounts", "services/payouts"], environment);
  await runner.waitForOutput("with 2 service(s) started");
  await broker.waitForServices(["accounts", "payouts"], 60_000, 20);
});
afterAll(async () => {
  node?.interrupt();
  await broker?.stop();
  await nats?.stop();
  place?.clean();
});

test("the REPL lists the services and calls an action", async () => {
  const repl = runNode("tools/commands/repl.ts", [], environment);
  await repl.waitForOutput("mol $");
  await until(() => {
    repl.type("services");
    return repl.stdout().includes("payouts");
  });
  repl.type("call payouts.ready");
  await repl.waitForOutput(">> Response:\n{}");
  repl.type("exit");
  expect(await repl.exit).toEqual({ code: 0, signal: null });
});

test("the REPL without NATS_URL fails and names the variable", async () => {
  const repl = runNode("tools/commands/repl.ts", [], place.environment);
  expect(await repl.exit).toMatchObject({ code: 1 });
  expect(repl.stderr()).toMatch(/^The REPL joins a cluster: set NATS_URL/);
});

test("the page's node reads actions, an error and an event", async () => {
  const business = { name: "Acme", email: "acme@example.com" };
  const { id: businessId } = await call(broker, "accounts.createBusiness", business);
  node = runPageNode(nats.url);
  await node.waitForOutput("Acme has 0 linked accounts");
  await node.waitForOutput("404 TRANSACTION_NOT_FOUND");
  const change = { id: newId(), businessId, status: "SUCCESS", at: Date.now() };
  // A broadcast reaches the nodes that are known to listen.
  await until(async () => {
    await broker.broadcast("payout.status.changed", change);
    return node?.stdout().includes(`Payout ${change.id} is SUCCESS`);
  });
});

test("a call without an actor is refused if the contract needs one", async () => {
  const given = { id: newId(), outcome: "SUCCESS", note: "Paid" } as const;
  await expect(call(broker, "payouts.resolve", given)).rejects.toMatchObject({
    type: "UNAUTHORIZED",
  });
});

test("Moleculer's default heartbeats are within our timeout, and the page states the protocol", () => {
  const { heartbeatTimeout } = brokerOptions(loadConfig(testEnvironment()), "test");
  const { heartbeatInterval } = moleculer.ServiceBroker.defaultOptions;
  // Moleculer varies the interval by half a second and rounds times to seconds.
  expect(heartbeatTimeout).toBeGreaterThan(Number(heartbeatInterval) + 2);
  const text = NODE_PAGE.replaceAll(/\s+/g, " ");
  expect(text).toContain(`drop a node that sends none for ${heartbeatTimeout} s`);
  const { PROTOCOL_VERSION } = moleculer.ServiceBroker;
  expect(text).toContain(`**Moleculer 0.15** (protocol version ${PROTOCOL_VERSION})`);
});

test("moleculer-runner without MONGO_URL fails and names the variable", async () => {
  const script = runNode(RUNNER, [...CONFIG, "services/payouts"], place.environment);
  expect(await script.exit).toMatchObject({ code: 1 });
  expect(script.stderr()).toContain("moleculer-runner needs MONGO_URL.");
});

// This test is the last, because it ends the services of the others.
test("moleculer-runner stops its services at SIGTERM", async () => {
  process.kill(runner.pid, "SIGTERM");
  expect(await runner.exit).toEqual({ code: 0, signal: null });
  for (const name of ["accounts", "payouts"]) {
    expect(runner.stdout()).toContain(`Service '${name}' stopped`);
  }
});
