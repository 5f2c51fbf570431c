// The probes of one process, on a broker without NATS.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import { ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { gauge } from "../../shared/observability/metrics.ts";
import { type Probes, startProbes } from "../../shared/observability/probes.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { testEnvironment, until } from "../support/system.ts";

const LOCAL = "127.0.0.1";

let broker: ServiceBroker;
let probes: Probes;

async function probesOf(...services: ServiceSchema[]): Promise<void> {
  broker = createBroker(loadConfig(testEnvironment()), "probed");
  for (const service of services) broker.createService(service);
  probes = await startProbes({ host: LOCAL, port: 0 }, broker);
}
afterEach(async () => {
  await broker.stop();
  await probes.close();
});

interface Body {
  status: string;
  reasons?: string[];
}

async function ask(path: string, method = "GET") {
  const answer = await fetch(`http://${LOCAL}:${probes.port}${path}`, { method });
  return { status: answer.status, body: (await answer.json()) as Body };
}

const ready = () => ask("/ready");

test("a process whose service waits in its start is live and not ready, then ready", async () => {
  const opened = Promise.withResolvers<void>();
  await probesOf({ name: "waiting", started: () => opened.promise });
  const started = broker.start();
  expect(await ask("/live")).toEqual({ status: 200, body: { status: "live" } });
  const reasons = ["its services have not started"];
  expect(await ready()).toEqual({ status: 503, body: { status: "unavailable", reasons } });
  opened.resolve();
  await started;
  const last = await until(async () => {
    const answer = await ready();
    return answer.status === 200 && answer;
  });
  expect(last.body).toEqual({ status: "ready", reasons: [] });
});

test("a process is not ready for the reasons of its services, and asks them once a second", async () => {
  let asked = 0;
  const notReady = async () => {
    asked += 1;
    return ["its database does not answer"];
  };
  await probesOf({ name: "payouts", methods: { notReady } }, { name: "webhooks" });
  await broker.start();
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: 50 }, ready));
  const tookS = (performance.now() - begun) / 1_000;
  for (const { status, body } of answers) {
    const reasons = ["payouts: its database does not answer"];
    expect([status, body]).toEqual([503, { status: "unavailable", reasons }]);
  }
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(1 + tookS);
});

test("a service that does not answer the probe makes the process not ready, in bounded time", async () => {
  const never = () => new Promise<string[]>(() => {});
  await probesOf({ name: "payouts", methods: { notReady: never } });
  await broker.start();
  expect((await ready()).body.reasons).toEqual(["payouts: no answer in time"]);
});

test("a process that leaves is not ready at once, and stays live", async () => {
  await probesOf({ name: "payouts" });
  await broker.start();
  expect((await ready()).status).toBe(200);
  probes.leave();
  expect(await ready()).toMatchObject({ status: 503, body: { reasons: ["it is stopping"] } });
  expect((await ask("/live")).status).toBe(200);
});

test("every other path and method is a 404", async () => {
  await probesOf();
  for (const path of ["/", "/live/", "/ready?all", "/health/ready", "/toString"]) {
    expect((await ask(path)).status).toBe(404);
  }
  expect((await ask("/live", "POST")).status).toBe(404);
});

test("a port in use is a sentence that names the variable", async () => {
  await probesOf();
  const { port } = probes;
  const second = startProbes({ host: LOCAL, port }, broker);
  await expect(second).rejects.toThrow(ConfigError);
  await expect(second).rejects.toThrow(
    `PROBE_PORT ${port} is in use; set PROBE_PORT to a free one.`,
  );
});

test("a gauge that cannot be read hides no other gauge of its service", async () => {
  const environment = testEnvironment({ PROBE_PORT: "9090" });
  broker = createBroker(loadConfig(environment), "measured");
  const away = Promise.reject(new Error("The database is away"));
  const queued = gauge("payrail_ledger_queued_operations", 5, {});
  const waiting = gauge("payrail_mongodb_waiting_operations", 7, { service: "wallet-ledger" });
  const methods = { gauges: () => [away, [queued]], poolGauges: () => [waiting] };
  broker.createService({ name: "wallet-ledger", methods });
  probes = await startProbes({ host: LOCAL, port: 0 }, broker);
  await broker.start();
  const text = await (await fetch(`http://${LOCAL}:${probes.port}/metrics`)).text();
  expect(text).toContain("payrail_ledger_queued_operations 5\n");
  expect(text).toContain('payrail_mongodb_waiting_operations{service="wallet-ledger"} 7\n');
});
