// What operators stop: businesses, wallets and people. A stop holds within seconds over all services,
// nothing is lost by it, and what waited goes on when it ends.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let admin: string;
let connection: mongoose.Connection;
let payouts: ReturnType<typeof payoutsOf>;
/** What a payout waits for right before its submit. */
let beforeSubmit = Promise.resolve();

const payoutsOf = (from: mongoose.Connection) => from.collection<Payout>("payouts");

beforeAll(async () => {
  const reached = (point: string) => (point === "submitting-stored" ? beforeSubmit : undefined);
  world = await startWorld({ overNats: true, payoutsInstead: [{ reached }] });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  payouts = payoutsOf(connection);
  admin = world.tokens.admin(randomUUID());
});
afterAll(async () => {
  await connection?.close();
  await world?.stop();
});
afterEach(() => world.verifyBooks());

const note = "The compliance team asked";
const base = ({ id }: TestBusiness) => `/v1/admin/businesses/${id}`;

const setControls = async (business: TestBusiness, status: string) =>
  dataOf(
    await world.http.put(`${base(business)}/controls`, { status, note }, { token: admin }),
    200,
  );

const freeze = async (business: TestBusiness, what: string, frozen = true) =>
  dataOf(
    await world.http.put(`${base(business)}/${what}/freeze`, { frozen, note }, { token: admin }),
    200,
  );

/** The code of the refusal once an answer is one. */
const refusedWith = (ask: () => Promise<{ status: number; body: { code?: string } }>) =>
  until(async () => {
    const { status, body } = await ask();
    return status >= 400 && [status, body.code];
  });

const accepted = (ask: () => Promise<{ status: number }>) =>
  until(async () => (await ask()).status < 300);

test("the controls of a business are shown as they were set, with a note", async () => {
  const business = await world.business();
  const path = `${base(business)}/controls`;
  expect(dataOf(await world.http.get(path, { token: admin }), 200)).toEqual({ status: "ACTIVE" });
  expect(await setControls(business, "FROZEN")).toEqual({ status: "FROZEN" });
  expect(dataOf(await world.http.get(path, { token: admin }), 200)).toEqual({ status: "FROZEN" });
  for (const body of [{ status: "FROZEN" }, { status: "OFF", note }, { note }]) {
    expect((await world.http.put(path, body, { token: admin })).status).toBe(400);
  }
  const unknown = `/v1/admin/businesses/${randomUUID()}/controls`;
  expect((await world.http.put(unknown, { status: "FROZEN", note }, { token: admin })).status).toBe(
    404,
  );
});

test("paused payouts are refused, which no key keeps", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  await setControls(business, "PAYOUTS_PAUSED");
  const withdraw = (headers = {}) => world.withdraw(user, bank, { amount: 1 }, headers);
  const refused = [400, "payouts_paused"];
  expect(await refusedWith(withdraw)).toEqual(refused);
  const pay = () =>
    world.http.post(
      `/v1/business/${business.id}/payouts`,
      { linkedAccountId: bank.id, amount: 1, reason: "Sales" },
      { token: business.token },
    );
  expect(await refusedWith(pay)).toEqual(refused);
  const key = { "idempotency-key": randomUUID() };
  expect(await refusedWith(() => withdraw(key))).toEqual(refused);
  await setControls(business, "ACTIVE");
  await accepted(() => withdraw(key));
});

test("an accepted payout that no rail has waits, may be cancelled, and goes on", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const probe = await world.bank(business, wallet);
  const submits = Promise.withResolvers<void>();
  beforeSubmit = submits.promise;
  const paid = dataOf(await world.withdraw(user, bank, { amount: 1 }), 200).id as string;
  const cancelled = dataOf(await world.withdraw(user, bank, { amount: 2 }), 200).id as string;
  await setControls(business, "PAYOUTS_PAUSED");
  await refusedWith(() => world.withdraw(user, probe, { amount: 1 }));
  submits.resolve();
  const held = await until(async () => {
    const found = await payouts.find({ _id: { $in: [paid, cancelled] }, step: "submit" }).toArray();
    return found.length === 2 && found;
  });
  expect(held.every(({ rail, heldSince }) => rail === undefined && (heldSince ?? 0) > 0)).toBe(
    true,
  );
  const path = `/v1/transactions/${cancelled}/cancel`;
  const { token } = business;
  expect(dataOf(await world.http.post(path, {}, { token }), 200).status).toBe("FAILED");
  expect((await world.http.get(`/v1/transactions/${paid}`, { token })).body.data.status).toBe(
    "PENDING",
  );
  await setControls(business, "ACTIVE");
  await world.status(business, paid, "SUCCESS");
});

test("a frozen wallet, and a frozen person, pay nothing out and transfer nothing", async () => {
  const { business, user, wallet } = await world.payer(1_000);
  const own = await world.wallet(business, business);
  const bank = await world.bank(business, wallet);
  const withdraw = () => world.withdraw(user, bank, { amount: 1 });
  for (const [what, code] of [
    [`wallets/${wallet.id}`, "wallet_frozen"],
    [`entities/${user.id}`, "entity_frozen"],
  ] as const) {
    const move = (reference: string) =>
      world.http.post(
        `/v1/business/${business.id}/transfers`,
        { fromWalletId: wallet.id, toWalletId: own.id, amount: 0.01, reference },
        { token: business.token, headers: { "idempotency-key": reference } },
      );
    await freeze(business, what);
    expect(await refusedWith(withdraw)).toEqual([400, code]);
    // The ledger may know later than payouts.
    expect(await refusedWith(() => move(randomUUID()))).toEqual([400, code]);
    // A refusal keeps neither its key nor its reference.
    expect((await move(code)).body.code).toBe(code);
    await freeze(business, what, false);
    await accepted(withdraw);
    await accepted(() => move(code));
  }
  const theirs = await world.payer(1);
  const foreign = `${base(business)}/wallets/${theirs.wallet.id}/freeze`;
  expect((await world.http.put(foreign, { frozen: true, note }, { token: admin })).status).toBe(
    404,
  );
});

test("a token's withdrawal is stopped with the wallet that it debits, and with no other", async () => {
  const { business, user, wallet } = await world.payer(100);
  const own = await world.wallet(business, business, 100);
  const bank = await world.bank(business, wallet);
  const withdraw = async () => {
    const source = { withdrawalSource: "MERCHANT_WALLET", walletId: own.id, amount: 1 };
    const terms = { tokenType: "PAYOUT", ...source };
    const token = await world.applicationToken(business, user, terms);
    return world.withdraw(user, bank, { amount: 1 }, { "x-application-token": token });
  };
  await freeze(business, `wallets/${own.id}`);
  expect(await refusedWith(withdraw)).toEqual([400, "wallet_frozen"]);
  await freeze(business, `wallets/${own.id}`, false);
  await accepted(withdraw);
  await freeze(business, `wallets/${wallet.id}`);
  const withdrawOwn = () => world.withdraw(user, bank, { amount: 1 });
  expect(await refusedWith(withdrawOwn)).toEqual([400, "wallet_frozen"]);
  expect((await withdraw()).status).toBe(200);
});

test("a frozen business changes nothing by its tokens, and reads on", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  await setControls(business, "FROZEN");
  const create = () =>
    world.http.post(
      `/v1/business/${business.id}/entities`,
      { email: "new@example.com" },
      { token: business.token },
    );
  expect(await refusedWith(create)).toEqual([400, "business_frozen"]);
  expect(await refusedWith(() => world.withdraw(user, bank))).toEqual([400, "business_frozen"]);
  const path = `/v1/business/${business.id}/wallets/${wallet.id}`;
  expect(dataOf(await world.http.get(path, { token: business.token }), 200).balance).toBe("100.00");
  await setControls(business, "ACTIVE");
  await accepted(create);
});

test("paused collections are refused at the checkout, whose view stays", async () => {
  const business = await world.business();
  await world.collectionAccount(business);
  const link = await world.paymentLink(business);
  const card = await world.cardToken();
  await setControls(business, "COLLECTIONS_PAUSED");
  expect(await refusedWith(() => world.pay(link, card))).toEqual([409, "collections_paused"]);
  const view = dataOf(await world.http.get(`/v1/checkout/${link.token}`), 200);
  expect(view.status).toBe("PAUSED");
  await setControls(business, "ACTIVE");
  await accepted(() => world.pay(link, card));
});

test("a renewal waits while collections are paused, without an attempt, and is paid afterwards", async () => {
  const business = await world.business();
  const id = await world.subscription(business);
  const link = await world.paymentLink(business);
  const find = async () => {
    const [subscription, invoices] = await Promise.all(
      ["", "/invoices"].map((of) => world.ofSubscription(business, id, of)),
    );
    return {
      status: subscription.status,
      paid: invoices.map((each: { status: string }) => each.status),
    };
  };
  await setControls(business, "COLLECTIONS_PAUSED");
  await until(
    async () => (await world.http.get(`/v1/checkout/${link.token}`)).body.data.status === "PAUSED",
  );
  await world.testClock(business, "2030-02-15T00:00:00.000Z");
  expect(await find()).toEqual({ status: "active", paid: ["open"] });
  await setControls(business, "ACTIVE");
  await until(async () => (await find()).paid.join() === "paid,paid");
});
