// The probes of real processes: without NATS, without a database, and at a stop.

import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../tools/platform/ports.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { until } from "../support/system.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

async function askProbe(port: number, path = "/ready") {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const body = (await answer.json()) as { status: string; reasons: string[] };
  return { ...body, status: answer.status };
}

const untilReady = (port: number) =>
  until(async () => (await askProbe(port)).status === 200, { awaited: "readiness" });

const untilReason = (port: number, reason: string) =>
  until(async () => (await askProbe(port)).reasons.includes(reason), { awaited: reason });

test("a process is not ready without NATS or its database, stays live, and is ready again", async () => {
  const port = await freePort();
  const payouts = await cluster.start("payouts", { PROBE_PORT: String(port) });
  await untilReady(port);

  await cluster.nats.kill();
  await untilReason(port, "NATS does not answer");
  expect((await askProbe(port, "/live")).status).toBe(200);
  await cluster.nats.start();
  await untilReady(port);

  cluster.nats.signal("SIGSTOP");
  // A frozen server would hold back the end of the cluster.
  await untilReason(port, "NATS does not answer").finally(() => cluster.nats.signal("SIGCONT"));
  await untilReady(port);

  const mongod = cluster.mongod.pid() as number;
  process.kill(mongod, "SIGSTOP");
  try {
    await untilReason(port, "payouts: its database does not answer");
    expect((await askProbe(port, "/live")).status).toBe(200);
  } finally {
    process.kill(mongod, "SIGCONT");
  }
  await untilReady(port);
  expect(await payouts.stop()).toBe(0);
});

test("a gateway that is told to stop is not ready at once, and serves on for the delay", async () => {
  const port = await freePort();
  const gateway = await cluster.startGateway({ PROBE_PORT: String(port), STOP_DELAY: "3s" });
  await untilReady(port);
  const { business, user, wallet } = await cluster.payer(100);
  const bank = await cluster.bank(business, wallet);
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const body = { amount: 1, walletType: "SPEND", reason: "Payout" };
  const stopped = gateway.stop();
  await untilReason(port, "it is stopping");
  for (let i = 0; i < 10; i++) {
    const answer = await gateway.http.post(path, body, { token: user.token });
    expect(answer.status).toBe(200);
    const shown = await gateway.http.get("/health/ready");
    expect([shown.status, shown.body.status]).toEqual([503, "unavailable"]);
    await pause(100);
  }
  expect(await stopped).toBe(0);
});
