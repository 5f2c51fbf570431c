// A database with the data of a whole system's life: payouts, payments, refunds, subscriptions,
// tokens and webhooks in all their states, at rest. The services have stopped, so no document
// changes.

import { randomUUID } from "node:crypto";
import mongoose, { type mongo } from "mongoose";
import { until } from "./system.ts";
import { UNSENT } from "./unsent.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "./world.ts";

export interface Lived {
  connection: mongoose.Connection;
  db: mongo.Db;
  /** The id of a thing by its name in this file. */
  id(name: string): string;
  stop(): Promise<void>;
}

export async function livedIn(): Promise<Lived> {
  const world = await startWorld({ environment: { WEBHOOK_RETRY_SCHEDULE: "1d" } });
  const connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  const stop = async () => {
    await connection.close();
    await world.stop();
  };
  try {
    const ids = await live(world, db);
    for (const broker of world.brokers) await broker.stop();
    const id = (name: string) => ids.get(name) ?? unknown(name);
    return { connection, db, id, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function unknown(name: string): never {
  throw new Error(`No object is named ${name}`);
}

/** Fills a database, and waits until it is at rest. @returns ids by the names in this file */
export async function live(world: World, db: mongo.Db): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const business = await world.business();
  ids.set("business", business.id);
  ids.set("hook", (await world.hook(business)).id);
  const failing = await world.hook(business, { eventTypes: ["WITHDRAWAL"] });
  failing.answerWith(500);
  ids.set("failing hook", failing.id);
  await payOut(world, business, ids);
  await move(world, business, ids);
  await collect(world, business, ids);
  await subscribe(world, business, ids);
  await until(() => isAtRest(db), { awaited: "rest" });
  return ids;
}

async function payOut(world: World, business: TestBusiness, ids: Map<string, string>) {
  const { token } = business;
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 1_000);
  const own = await world.wallet(business, business, 500);
  const other = await world.user(business);
  const otherWallet = await world.wallet(business, other, 10);
  for (const [name, { id }] of Object.entries({ user, wallet, own, other, otherWallet })) {
    ids.set(name, id);
  }
  const limits = [{ scope: "business", currency: "USD", per: "month", count: 1_000 }];
  const limited = `/v1/business/${business.id}/limits`;
  expect((await world.http.put(limited, { limits }, { token })).status).toBe(200);
  await until(async () => {
    const { body } = await world.http.get("/v1/ext/withdrawal-limits", { token: user.token });
    return body.data.length === 1;
  });
  const withdraw = async (name: string, lastFour: string) => {
    const bank = await world.bank(business, wallet, lastFour);
    ids.set(name, dataOf(await world.withdraw(user, bank, { amount: 50 }), 200).id);
    ids.set(`account of ${name}`, bank.id);
  };
  await withdraw("paid", "6789");
  await withdraw("failed", "0001");
  await withdraw("returned", "0007");
  await withdraw("pending", "0010");
  const bank = await world.bank(business, wallet);
  ids.set("account", bank.id);
  const spend = async (name: string, fields: object, amount: number, status: number) => {
    const terms = { tokenType: "PAYOUT", ...fields };
    const secret = await world.applicationToken(business, user, terms);
    const body = { amount, reason: name };
    const answer = await world.withdraw(user, bank, body, { "x-application-token": secret });
    if (status === 200) ids.set(name, dataOf(answer, 200).id);
    expect(answer.status).toBe(status);
  };
  await spend("by token", {}, 20, 200);
  const funded = { withdrawalSource: "MERCHANT_WALLET", walletId: own.id, amount: 30 };
  await spend("by merchant's token", funded, 30, 200);
  await spend("given back", {}, 5_000, 400);
  const pay = async (name: string, fields: object) => {
    const body = { linkedAccountId: bank.id, amount: 5, reason: name, reference: name, ...fields };
    const path = `/v1/business/${business.id}/payouts`;
    ids.set(name, dataOf(await world.http.post(path, body, { token }), 201).id);
  };
  await pay("by merchant", { walletId: own.id });
  await pay("by merchant for user", {});
  await world.applicationToken(business, user, { tokenType: "PAYOUT" });
  for (const [name, status] of [
    ["paid", "SUCCESS"],
    ["failed", "FAILED"],
    ["returned", "FAILED"],
    ["by token", "SUCCESS"],
    ["by merchant's token", "SUCCESS"],
    ["by merchant", "SUCCESS"],
    ["by merchant for user", "SUCCESS"],
  ] as const) {
    await world.status(business, ids.get(name) as string, status);
  }
  const unlinked = `/v1/business/${business.id}/linked-accounts/USD/${ids.get("account of failed")}`;
  expect((await world.http.delete(unlinked, { token })).status).toBe(200);
  const path = `/v1/business/${business.id}/wallets/${otherWallet.id}`;
  expect((await world.http.patch(path, { disabled: true }, { token })).status).toBe(200);
}

/** An adjustment and a transfer, and one of each that is declined. */
async function move(world: World, business: TestBusiness, ids: Map<string, string>) {
  const [walletId, toWalletId] = [ids.get("own"), ids.get("wallet")];
  const admin = world.tokens.admin(randomUUID());
  const paths = {
    adjustment: `/v1/admin/businesses/${business.id}/wallets/${walletId}/adjustments`,
    "wallet transfer": `/v1/business/${business.id}/transfers`,
  };
  const bodies = {
    adjustment: { direction: "DEBIT", note: "Credited twice" },
    "wallet transfer": { fromWalletId: walletId, toWalletId },
  };
  for (const name of ["adjustment", "wallet transfer"] as const) {
    const token = name === "adjustment" ? admin : business.token;
    const ask = (amount: number) =>
      world.http.post(paths[name], { ...bodies[name], amount, reference: name }, { token });
    expect((await ask(10_000)).status).toBe(400);
    ids.set(name, dataOf(await ask(5), 201).id);
  }
}

async function collect(world: World, business: TestBusiness, ids: Map<string, string>) {
  const { token } = business;
  const post = (path: string, body: object) =>
    world.http.post(`/v1/business/${business.id}/${path}`, body, { token });
  const pay = async (name: string, lastFour: string, fields: object = {}) => {
    const link = await world.paymentLink(business, { isOpenLink: false, ...fields });
    ids.set(`link of ${name}`, link.id);
    ids.set(name, dataOf(await world.pay(link, await world.cardToken(lastFour)), 200).id);
  };
  await pay("payment", "4242", { notifyPayee: true });
  await pay("declined payment", "0002");
  await pay("refunded payment", "4242");
  await pay("not refunded payment", "5126");
  const refund = async (name: string, payment: string) => {
    const body = { amount: 10, reference: randomUUID() };
    const answer = await post(`payments/${ids.get(payment)}/refunds`, body);
    ids.set(name, dataOf(answer, 201).id);
  };
  await refund("refund", "refunded payment");
  await refund("refused refund", "not refunded payment");
  ids.set("collection account", await world.collectionAccount(business));
  const body = { walletId: ids.get("own"), amount: 20, reference: randomUUID() };
  const path = `collection-accounts/${ids.get("collection account")}/transfers`;
  ids.set("transfer", dataOf(await post(path, body), 201).id);
}

async function subscribe(world: World, business: TestBusiness, ids: Map<string, string>) {
  const add = async (
    name: string,
    recurringCharge: Record<string, unknown> = {},
    lastFour = "4242",
    of = business,
  ) => ids.set(name, await world.subscription(of, { recurringCharge }, lastFour));
  const post = async (name: string, path: "usage" | "seats" | "cancel", body: object) => {
    const id = ids.get(name) as string;
    expect((await world.toSubscription(business, id, path, body)).status).toBeLessThan(300);
  };
  const real = await world.business();
  await add("trial", {}, "4242", real);
  await add("subscription");
  await add("seats", { type: "seating" });
  await add("usage", { type: "consumption" });
  await add("ended", { type: "consumption" });
  await add("tried", { startDate: "2030-03-01T00:00:00.000Z" }, "0341");
  await world.testClock(business, "2030-01-10");
  await post("usage", "usage", { units: 2_000, reference: "january" });
  await post("ended", "usage", { units: 5_000, reference: "calls" });
  await world.testClock(business, "2030-02-10");
  await post("seats", "seats", { seats: 4 });
  await post("ended", "cancel", { at: "now" });
  await world.testClock(business, "2030-03-03");
  await post("seats", "seats", { seats: 6 });
  await post("usage", "usage", { units: 7, reference: "first" });
  await post("usage", "usage", { units: 8, reference: "second" });
}

/**
 * All events are relayed and delivered; only documents that wait for a partner, a clock or a
 * receiver are open.
 */
async function isAtRest(db: mongo.Db): Promise<boolean> {
  const publishing = [
    ...["payouts", "payments", "payment_refunds", "subscriptions", "invoices"],
    ...["ledger_fundings", "ledger_adjustments", "ledger_wallet_transfers"],
  ];
  for (const name of publishing) {
    if ((await db.collection(name).countDocuments(UNSENT)) > 0) return false;
  }
  const deliveries = db.collection("webhook_deliveries");
  const waits = {
    status: "PENDING",
    $or: [{ failures: 0, held: false }, { claim: { $ne: null } }],
  };
  const driven = { step: { $ne: "closed" }, nextAttemptAt: { $lte: Date.now() + 60_000 } };
  return (
    (await deliveries.countDocuments(waits)) === 0 &&
    (await db.collection("subscriptions").countDocuments(driven)) === 0
  );
}
