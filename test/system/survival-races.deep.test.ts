// Races between processes: two gateways, two payouts and two ledger processes each see a part of
// the requests, and together they keep to the limit and to the funds.

import { ERRORS } from "../../shared/errors.ts";
import { creationTime } from "../../shared/ids.ts";
import type { Replica } from "../../tools/platform/replica.ts";
import { type Cluster, type Gateway, startCluster } from "../support/cluster.ts";
import type { Answer } from "../support/http.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import type { TestAccount, TestBusiness, TestUser, TestWallet } from "../support/world.ts";

let cluster: Cluster;
let gateways: Gateway[];
let second: Replica;

beforeAll(async () => {
  cluster = await startCluster();
  const [gateway, payouts] = await Promise.all([
    cluster.startGateway(),
    cluster.start("payouts"),
    cluster.start("wallet-ledger"),
  ]);
  gateways = [cluster.gateway, gateway];
  second = payouts;
});
afterAll(() => cluster?.stop());

interface Customer {
  business: TestBusiness;
  user: TestUser;
  wallet: TestWallet;
  bank: TestAccount;
}

async function customer(amount: number): Promise<Customer> {
  const business = await cluster.business();
  const user = await cluster.user(business);
  const wallet = await cluster.wallet(business, user, amount);
  return { business, user, wallet, bank: await cluster.bank(business, wallet) };
}

/**
 * A request that was not decided in time on a busy machine: refused, or with an unknown outcome.
 */
const isLate = ({ body }: Answer) =>
  [ERRORS.UNAVAILABLE.message, ERRORS.OUTCOME_UNKNOWN.message].includes(body.message);

/** Sends that many concurrent withdrawals, over both gateways. */
function withdrawals(count: number, { user, bank }: Customer): Promise<Answer[]> {
  const path = `/v1/ext/linked-accounts/USD/${bank.id}/withdrawal`;
  const body = { amount: 10, walletType: "SPEND", reason: "One of many" };
  const ask = (i: number) =>
    (gateways[i % 2] as Gateway).http.post(path, body, { token: user.token });
  return Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
}

test("of 200 concurrent withdrawals from a wallet with funds for seven, seven succeed", async () => {
  const owner = await customer(7 * 10.25);
  const answers = await withdrawals(200, owner);
  const accepted = answers.filter(({ status }) => status === 200);
  const late = answers.filter(isLate);
  expect(accepted.length).toBeLessThanOrEqual(7);
  expect(accepted.length + late.length).toBeGreaterThanOrEqual(7);
  expect(new Set(accepted.map(({ body }) => body.data.id)).size).toBe(accepted.length);
  for (const { status, body } of answers.filter((each) => each.status !== 200 && !isLate(each))) {
    const declined = refusal("Insufficient Funds #912");
    expect({ status, body }).toEqual({ status: 400, body: declined });
  }
  const balance = () => cluster.balance(owner.business, owner.wallet);
  await until(async () => (await balance()) === "0.00", { awaited: "seven debits" });
  for (const { body } of accepted) {
    await cluster.status(owner.business, body.data.id, "SUCCESS");
  }
  await cluster.verifyBooks();
});

test("one of a user's many withdrawals is accepted per window, over all processes", async () => {
  const windowMs = 4_000;
  const limit = { WITHDRAWAL_LIMIT: `1/${windowMs}ms` };
  const first = cluster.replicas.find(({ service }) => service === "payouts") as Replica;
  await Promise.all([first.stop(), second.stop()]);
  await Promise.all([cluster.start("payouts", limit), cluster.start("payouts", limit)]);
  await cluster.ready();
  const owner = await customer(1_000);
  const another = await customer(1_000);

  const accepted: { id: string; at: number }[] = [];
  await until(
    async () => {
      const answers = await withdrawals(20, owner);
      const at = Date.now();
      const taken = answers.filter(({ status }) => status === 200);
      accepted.push(...taken.map(({ body }) => ({ id: body.data.id, at })));
      for (const answer of answers.filter((each) => each.status !== 200 && !isLate(each))) {
        const { status, headers } = answer;
        expect(status).toBe(429);
        expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      }
      return accepted.length >= 3;
    },
    { awaited: "three windows" },
  );
  accepted.slice(1).forEach(({ at }, i) => {
    // A window begins with its payout's id, and the next payout takes its place after it.
    const begun = creationTime(accepted[i]?.id as string);
    expect(at - begun).toBeGreaterThanOrEqual(windowMs);
  });

  const others = await withdrawals(20, another);
  expect(others.map(({ status }) => status)).toContain(200);
  await cluster.verifyBooks();
});
