// NATS and MongoDB fail while users withdraw: meanwhile the answers are 5xx, and afterwards all
// accepted payouts end correctly.

import { pause } from "../../tools/platform/processes.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { until } from "../support/system.ts";
import {
  arrangeMerchant,
  expectSound,
  type Load,
  type Merchant,
  seeded,
  startLoad,
} from "../support/traffic.ts";

const PER_SECOND = 10;
const NATS_GONE_MS = 30_000;
/** Longer than the tolerated gap between heartbeats. */
const NATS_FROZEN_MS = 10_000;
const MONGOD_FROZEN_MS = 6_000;
/** Longer than the timeout of a posting, shorter than the timeout of a withdrawal. */
const LEDGER_FROZEN_MS = 3_000;

let cluster: Cluster;
let merchant: Merchant;
const random = seeded();

beforeAll(async () => {
  cluster = await startCluster();
  merchant = await arrangeMerchant(cluster);
});
afterAll(() => cluster?.stop());

const start = () =>
  startLoad(merchant, { random, perSecond: PER_SECOND, gateways: [cluster.gateway.http] });

const someMoment = ({ answered }: Load) => answered(1 + random.below(2 * PER_SECOND));

/**
 * Waits until an outage has lasted that long, and checks that all answers during it are 5xx.
 * @param begun epoch ms
 */
async function outage(begun: number, lastsMs: number, { attempts }: Load): Promise<void> {
  const { http } = cluster.gateway;
  const unready = await until(async () => {
    const answer = await http.get("/health/ready");
    return answer.status === 503 && answer.body.away.includes("wallet-ledger") && answer;
  });
  expect(unready.body.status).toBe("unavailable");
  expect((await http.get("/health/live")).status).toBe(200);
  await pause(begun + lastsMs - Date.now());
  const both = attempts.filter(({ sentAt, answeredAt }) => sentAt > begun && answeredAt > 0);
  expect(both.length).toBeGreaterThan(0);
  for (const { answer } of both) expect([500, 503]).toContain(answer?.status);
}

test("withdrawals survive half a minute without NATS", async () => {
  const load = start();
  await someMoment(load);
  await cluster.nats.kill();
  await outage(Date.now(), NATS_GONE_MS, load);
  await cluster.nats.start();
  await load.accepted(Date.now());
  await expectSound(cluster, merchant, await load.stop());
});

test("withdrawals survive a NATS server that hangs and then processes the received messages", async () => {
  const load = start();
  await someMoment(load);
  cluster.nats.signal("SIGSTOP");
  await outage(Date.now(), NATS_FROZEN_MS, load);
  cluster.nats.signal("SIGCONT");
  await load.accepted(Date.now());
  await expectSound(cluster, merchant, await load.stop());
});

test("withdrawals survive a ledger that hangs and then processes the received calls", async () => {
  const load = start();
  await someMoment(load);
  const ledger = cluster.replicas.find(({ service }) => service === "wallet-ledger");
  ledger?.signal("SIGSTOP");
  await pause(LEDGER_FROZEN_MS);
  ledger?.signal("SIGCONT");
  await load.accepted(Date.now());
  await expectSound(cluster, merchant, await load.stop());
});

test("withdrawals survive a killed mongod", async () => {
  const load = start();
  await someMoment(load);
  const before = cluster.mongod.pid() as number;
  process.kill(before, "SIGKILL");
  await until(() => ![undefined, before].includes(cluster.mongod.pid()));
  await load.accepted(Date.now());
  for (const { answer } of load.attempts) {
    if (answer) expect([200, 400, 500, 503]).toContain(answer.status);
  }
  await expectSound(cluster, merchant, await load.stop());
});

test("withdrawals survive a mongod that hangs and then processes the received commands", async () => {
  const load = start();
  await someMoment(load);
  const pid = cluster.mongod.pid() as number;
  process.kill(pid, "SIGSTOP");
  await outage(Date.now(), MONGOD_FROZEN_MS, load);
  process.kill(pid, "SIGCONT");
  await load.accepted(Date.now());
  await expectSound(cluster, merchant, await load.stop());
});
