// kill -9 of each service, and of all of them, while users withdraw: accepted payouts end, no money
// is debited, paid or given back twice, and the merchant receives every state.

import type { Replica } from "../../tools/platform/replica.ts";
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
import type { TestAccount, TestUser } from "../support/world.ts";

const PER_SECOND = 20;

let cluster: Cluster;
let merchant: Merchant;
let user: TestUser;
let bank: TestAccount;
const random = seeded();

beforeAll(async () => {
  cluster = await startCluster();
  merchant = await arrangeMerchant(cluster);
  user = await cluster.user(merchant.business);
  const wallet = await cluster.wallet(merchant.business, user, 1_000);
  bank = await cluster.bank(merchant.business, wallet);
});
afterAll(() => cluster?.stop());

const start = () =>
  startLoad(merchant, { random, perSecond: PER_SECOND, gateways: [cluster.gateway.http] });

/**
 * Kills the processes at once at a random moment; returns when their replacements accept
 * withdrawals.
 */
async function kill(replicas: Replica[], { answered, accepted }: Load): Promise<void> {
  await answered(1 + random.below(2 * PER_SECOND));
  const before = replicas.map(({ pid }) => pid());
  for (const { signal } of replicas) signal("SIGKILL");
  const isReplaced = ({ pid }: Replica, i: number) => ![undefined, before[i]].includes(pid());
  await until(() => replicas.every(isReplaced), { awaited: "the replacements" });
  await accepted(Date.now());
}

test("each service in turn is killed under load", async () => {
  const load = start();
  // Callers first, so each killed caller's callees live long enough to see its open work.
  for (const replica of cluster.replicas.toReversed()) await kill([replica], load);
  await expectSound(cluster, merchant, await load.stop());
});

test("a killed replica gets no more calls after a caller has noticed its death", async () => {
  const second = await cluster.start("payouts");
  const killed = second.pid();
  second.signal("SIGKILL");
  await until(() => second.pid() !== killed);
  const statuses: number[] = [];
  for (let i = 0; i < 20; i++) statuses.push((await cluster.withdraw(user, bank)).status);
  await second.stop("SIGKILL");
  // One call is lost before the death is noticed, and one shows it to its caller.
  expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(2);
  expect(statuses.slice(2)).toEqual(Array(18).fill(200));
});

test("all services are killed at once under load, twice", async () => {
  const load = start();
  await kill(cluster.replicas, load);
  await kill(cluster.replicas, load);
  await expectSound(cluster, merchant, await load.stop());
});
