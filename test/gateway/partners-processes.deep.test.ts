// GET /v1/admin/partners with several processes: how rails and acquirers have answered all of them,
// and what waits, by an index.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { NONE, partner, showPartners } from "../support/partners.ts";
import { scriptedAcquirer } from "../support/payments.ts";
import { scriptedRail } from "../support/payouts.ts";
import { endOf, startService } from "../support/processes.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const rails = [scriptedRail(), scriptedRail()];
const acquirer = scriptedAcquirer();
let world: World;
let stored: mongoose.Connection;
beforeAll(async () => {
  world = await startWorld({
    overNats: true,
    payoutsInstead: rails.map((each) => ({ rails: each.rails })),
    paymentLinksInstead: [{ acquirer: acquirer.acquirer, formerAcquirers: [] }],
  });
  stored = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
});
afterAll(async () => {
  await stored?.close();
  await world?.verifyBooks();
  await world?.stop();
});

test("have asked a rail together", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  for (const { answers } of rails) answers.submit = { kind: "settled" };
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { id } = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
    await world.status(business, id, "SUCCESS");
    ids.push(id);
  }
  // The gateway calls the processes in turn.
  for (const { timesAsked } of rails) {
    expect(ids.filter((id) => timesAsked("submit", id) === 1)).toHaveLength(3);
  }
  const { processes } = await showPartners(world);
  expect(processes).toEqual({ rails: 2, acquirers: 1 });
  expect(await partner(world, "rail")).toMatchObject({ name: "scripted", asked: 6, answered: 6 });
});

test("are left out if they do not answer", async () => {
  const { child } = await startService(world, "payouts");
  const processes = async () => (await showPartners(world)).processes.rails;
  await until(async () => (await processes()) === 3);
  child.kill("SIGSTOP");
  expect(await processes()).toBe(2);
  child.kill("SIGKILL");
  await endOf(child);
  const { partners } = await showPartners(world);
  expect(partners).toMatchObject([{ name: "scripted", asked: 6 }, { kind: "acquirer" }]);
});

test("show a refund that waits for the acquirer until it is answered", async () => {
  acquirer.answers.charge = async () => ({ kind: "captured" });
  const business = await world.business();
  const link = await world.paymentLink(business, { customerPays: false });
  const paid = dataOf(await world.pay(link, await world.cardToken()), 200);
  acquirer.answers.refund = async () => {
    throw new Error("The acquirer is away");
  };
  const path = `/v1/business/${business.id}/payments/${paid.id}/refunds`;
  const { token } = business;
  const asked = await world.http.post(path, { amount: 1, reference: "return" }, { token });
  expect(dataOf(asked, 201).status).toBe("PENDING");
  const waiting = await partner(world, "acquirer");
  expect(waiting.waiting).toEqual([
    { kind: "payment", ...NONE },
    { kind: "refund", count: 1, since: expect.any(String) },
  ]);
  expect(waiting.errors).toBeGreaterThanOrEqual(1);
  acquirer.answers.refund = async () => ({ kind: "refunded" });
  await until(async () => (await partner(world, "acquirer")).waiting[1].count === 0);
});

test("count only what waits for the rail, by an index", async () => {
  const { business, user, wallet } = await world.payer(10);
  const bank = await world.bank(business, wallet);
  for (const { answers } of rails) answers.submit = { kind: "unknown" };
  const { id } = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200);
  const count = async () => (await partner(world, "rail")).waiting[0].count;
  await until(async () => (await count()) === 1);
  const payouts = stored.collection<Payout>("payouts");
  const [one] = await payouts.find({ _id: id }).toArray();
  // One that waits for the ledger, and one of another rail.
  const others = [{ step: "reverse" as const }, { rail: "another" }];
  const planted = others.map((change) => ({ ...(one as Payout), ...change, _id: randomUUID() }));
  for (const each of planted) delete each.nextAttemptAt;
  await payouts.insertMany(planted);
  await stored.db?.command({ profile: 2 });
  expect(await count()).toBe(1);
  await stored.db?.command({ profile: 0 });
  const reads = stored.db?.collection("system.profile").find({ ns: /\.payouts$/, op: "command" });
  const plans = (await reads?.toArray())?.map(({ planSummary }) => planSummary);
  expect(new Set(plans)).toEqual(new Set(["IXSCAN { rail: 1, unknownSince: 1 }"]));
  await payouts.deleteMany({ _id: { $in: planted.map(({ _id }) => _id) } });
  for (const { answers } of rails) answers.query = { kind: "settled" };
  await world.status(business, id, "SUCCESS");
  expect(await count()).toBe(0);
});
