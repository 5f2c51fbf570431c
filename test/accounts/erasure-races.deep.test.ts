// An erasure beside withdrawals, and one that is cut off: every accepted payout finds the data of
// its linked account, and a repeated request completes what was begun.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { ServiceBroker } from "moleculer";
import mongoose from "mongoose";
import type { Answer } from "../support/http.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

/** Pays only with the number of the account, and tells the test of a payout without it. */
const RAIL = `
export const missing = (globalThis.payoutsWithoutAccount ??= []);
export default () => ({
  name: "strict",
  test: true,
  returnWindowMs: 0,
  async submit({ id, amountMinor, currency }, instrument) {
    const data = await instrument().then(({ data }) => data, () => ({}));
    if (!data.accountNumber) missing.push(id);
    return { kind: "settled", amountMinor, currency };
  },
  query: async () => ({ kind: "notFound" }),
  cancel: async () => "no",
});
`;

let world: World;
let business: TestBusiness;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-"));
  const rail = join(directory, "rail.mjs");
  await writeFile(rail, RAIL);
  world = await startWorld({ environment: { RAILS: JSON.stringify({ ACH: rail }) } });
  business = await world.business();
});

afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
  await rm(directory, { recursive: true, force: true });
});

const erase = (entityId: string): Promise<Answer> =>
  world.http.post(`/v1/business/${business.id}/entities/${entityId}/erase`, undefined, {
    token: business.token,
  });

/** Changes what payrail's services get for their calls to one another; returns the way back. */
function onCalls(
  around: (name: string, params: Record<string, unknown>, make: () => Promise<unknown>) => unknown,
): () => void {
  const [broker] = world.brokers as [ServiceBroker];
  const original = broker.call.bind(broker) as (...all: unknown[]) => Promise<unknown>;
  broker.call = ((name: string, params: Record<string, unknown>, options: object) =>
    around(name, params ?? {}, () => original(name, params, options))) as never;
  return () => {
    broker.call = original;
  };
}

test("a withdrawal that read its destination before the erasure is paid from its account", async () => {
  const all = await Promise.all(
    Array.from({ length: 7 }, async () => {
      const user = await world.user(business);
      const wallet = await world.wallet(business, user);
      return { user, wallet, bank: await world.bank(business, wallet) };
    }),
  );
  const [another, ...users] = all as [(typeof all)[number], ...typeof all];
  const withdraw = ({ user, bank }: (typeof users)[number]) =>
    world.withdraw(user, bank, { amount: 1 });
  const { id: walletId } = await world.wallet(business, business, 100);
  const pay = ({ bank }: (typeof users)[number]) => {
    const body = { linkedAccountId: bank.id, walletId, amount: 1, reason: "Sales" };
    const path = `/v1/business/${business.id}/payouts`;
    return world.http.post(path, body, { token: business.token });
  };
  // The withdrawal of another user makes these gather; they read their destinations together, and
  // have the answer only after the erasures have begun and the wallets are funded.
  let reads = 0;
  let asked = 0;
  let looked = 0;
  const funded = Promise.withResolvers<void>();
  const undo = onCalls(async (name, _params, make) => {
    if (name === "payouts.withdraw" || name === "payouts.pay") asked += 1;
    const answer = await make();
    if (name === "wallet-ledger.businessWallets") looked += 1;
    if (name !== "accounts.payoutDestinations") return answer;
    reads += 1;
    if (reads === 1) {
      await until(async () => asked > 9 * users.length);
      await pause(2_000);
    }
    if (reads === 2) await funded.promise;
    return answer;
  });
  const first = withdraw(another);
  await until(async () => reads === 1);
  const before = users.map((each) =>
    Promise.all([...Array.from({ length: 8 }, () => withdraw(each)), pay(each)]),
  );
  await until(async () => reads === 2);
  const erasing = users.map(({ user }) => erase(user.id));
  await until(async () => looked === users.length);
  await pause(500);
  // The wallets are empty until the erasures have looked at them for the first time.
  for (const { wallet } of users) {
    const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
    const funding = { amount: 5, reference: randomUUID() };
    dataOf(await world.http.post(path, funding, { token: business.token }), 201);
  }
  funded.resolve();
  const after = await Promise.all([...users.map(withdraw), ...users.map(pay)]);
  const answers = (await Promise.all([first, ...before])).flat();
  const erased = await Promise.all(erasing);
  undo();

  const accepted = answers.filter(({ status }) => status < 300);
  expect(accepted).toHaveLength((4 + 1) * users.length);
  for (const { body } of accepted) await world.status(business, body.data.id, "SUCCESS");
  const { payoutsWithoutAccount = [] } = globalThis as { payoutsWithoutAccount?: string[] };
  expect(payoutsWithoutAccount).toEqual([]);
  expect(erased.map(({ status }) => status)).toEqual(users.map(() => 200));
  expect(after.map(({ status }) => status)).toEqual(after.map(() => 404));
});

const LOOKS = ["payouts.countOpen", "wallet-ledger.businessWallets"];
const CALLS = [
  ...LOOKS,
  "payment-links.eraseCustomer",
  "payouts.eraseEntity",
  "payment-links.eraseLinksOf",
];
const CUTS = CALLS.flatMap((name) => [`before ${name}`, `after ${name}`]);

test("an erasure that is cut off at any call is completed by the next request", async () => {
  const cuts = await Promise.all(
    CUTS.map(async (cut) => {
      const user = await world.user(business);
      const wallet = await world.wallet(business, user, 1.25);
      const bank = await world.bank(business, wallet);
      const payout = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200).id;
      await world.status(business, payout, "SUCCESS");
      return { cut, user, payout, made: 0 };
    }),
  );
  const undo = onCalls(async (name, { entityId, email }, make) => {
    const found = cuts.find(({ user }) => user.id === entityId || user.email === email);
    const cut = found?.cut.endsWith(name) ? found : null;
    if (cut) cut.made += 1;
    // Looks are made before the marks, and again after them.
    const isDue = cut !== null && cut.made >= (LOOKS.includes(name) ? 2 : 1);
    if (isDue && cut.cut.startsWith("before")) throw new Error(`Cut off ${cut.cut}`);
    const answer = await make();
    if (isDue) throw new Error(`Cut off ${cut.cut}`);
    return answer;
  });
  const first = await Promise.all(cuts.map(({ user }) => erase(user.id)));
  undo();
  expect(first.filter(({ status }) => status < 500)).toEqual([]);
  const second = await Promise.all(cuts.map(({ user }) => erase(user.id)));
  expect(second.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { user, payout } of cuts) {
    const path = `/v1/business/${business.id}/entities/${user.id}`;
    const { email } = dataOf(await world.http.get(path, { token: business.token }), 200);
    expect(email).toBe("erased@erased.invalid");
    const transaction = `/v1/transactions/${payout}`;
    const { reason } = dataOf(await world.http.get(transaction, { token: business.token }), 200);
    expect(reason).toBe("erased");
  }
});

test("a webhook that is under way is made again with the erased body", async () => {
  const bodies: string[] = [];
  const answers: (() => void)[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      bodies.push(body);
      // The first attempts wait for the erasure, and answer with the body that they had.
      const answer = () => response.end(body);
      if (answers.length < 3) answers.push(answer);
      else answer();
    });
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const path = `/v1/business/${business.id}/webhooks`;
  const { id } = dataOf(await world.http.post(path, { url }, { token: business.token }), 201);
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1.25);
  const bank = await world.bank(business, wallet);
  const reason = `reason ${randomUUID()}`;
  const paid = await world.withdraw(user, bank, { amount: 1, reason });
  const transactionId = dataOf(paid, 200).id;
  await world.status(business, transactionId, "SUCCESS");
  await until(async () => bodies.length > 0);
  dataOf(await erase(user.id), 200);
  for (const answer of answers.splice(0, 3, ...Array(3).fill(() => {}))) answer();
  const list = `${path}/${id}/deliveries?transactionId=${transactionId}`;
  const deliveries = await until(async () => {
    const { data } = (await world.http.get(list, { token: business.token })).body;
    const isDone = data.every(({ status }: { status: string }) => status === "DELIVERED");
    return data.length > 1 && isDone && data;
  });
  expect(JSON.stringify(deliveries)).not.toContain(reason);
  expect(bodies.filter((body) => body.includes(reason)).length).toBeGreaterThan(0);
  expect(bodies.filter((body) => body.includes('"summary":"erased"'))).toHaveLength(
    deliveries.length,
  );
  receiver.closeAllConnections();
  receiver.close();
});

test("a request takes over from one whose process died while it checked", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user);
  const bank = await world.bank(business, wallet);
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const died = async (at: number) => {
    const erasure = { id: randomUUID(), step: "checking", at: new Date(at) };
    const ofUser = { _id: user.id as never };
    await connection.collection("entities").updateOne(ofUser, { $set: { erasure } });
    const ofAccount = { _id: bank.id as never };
    const marked = { $set: { erasing: erasure.id } };
    await connection.collection("linked_accounts").updateOne(ofAccount, marked);
  };
  await died(Date.now());
  const early = await erase(user.id);
  expect([early.status, early.body.message]).toEqual([
    409,
    "An erasure of this end user is under way",
  ]);
  // Meanwhile it withdraws nothing and links nothing.
  expect((await world.withdraw(user, bank, { amount: 1 })).status).toBe(404);
  await expect(world.bank(business, wallet)).rejects.toThrow("Expected 201, got 404");
  await died(Date.now() - 31_000);
  expect(dataOf(await erase(user.id), 200).erased.linkedAccounts).toBe(1);
  await connection.close();
});

test("a refused erasure leaves an end user that withdraws as before", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user);
  const bank = await world.bank(business, wallet);
  const erasing = erase(user.id);
  await pause(1_000);
  const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
  const funding = { amount: 1.25, reference: randomUUID() };
  dataOf(await world.http.post(path, funding, { token: business.token }), 201);
  expect((await world.withdraw(user, bank, { amount: 1 })).status).toBe(404);
  const refused = await erasing;
  expect([refused.status, refused.body.message]).toEqual([
    409,
    "a wallet holds 1.25 USD: pay it out first",
  ]);
  const { id } = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
  await world.status(business, id, "SUCCESS");
  dataOf(await erase(user.id), 200);
});
