// Transfers between wallets, and operators' fundings and adjustments: each counts once by its
// reference, within a partition of the ledger or between two, and tells of itself by an event.

import { randomUUID } from "node:crypto";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let admin: string;

beforeAll(async () => {
  world = await startWorld({ overNats: true });
  admin = world.tokens.admin(randomUUID());
});
afterAll(async () => {
  await world?.stop();
});
afterEach(() => world.verifyBooks());

interface Pair {
  business: TestBusiness;
  /** Of the business itself, with 100.00. */
  own: { id: string };
  /** Of an end user, empty. */
  theirs: { id: string };
}

async function createPair(funded = 100): Promise<Pair> {
  const business = await world.business();
  const own = await world.wallet(business, business, funded);
  const user = await world.user(business);
  return { business, own, theirs: await world.wallet(business, user) };
}

/** A pair in one partition, or in two. */
async function findPair(isInOne: boolean): Promise<Pair> {
  for (;;) {
    const pair = await createPair();
    const [from, to] = [pair.own.id, pair.theirs.id].map((id) => partitionFor(id, PARTITIONS));
    if ((from === to) === isInOne) return pair;
  }
}

const move = (
  { business, own, theirs }: Pair,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) =>
  world.http.post(
    `/v1/business/${business.id}/transfers`,
    {
      fromWalletId: own.id,
      toWalletId: theirs.id,
      amount: 40,
      reference: randomUUID(),
      ...body,
    },
    { token: business.token, headers },
  );

async function balancesOf({ business, own, theirs }: Pair): Promise<string[]> {
  const path = `/v1/business/${business.id}/wallets`;
  const read = ({ id }: { id: string }) =>
    world.http.get(`${path}/${id}`, { token: business.token });
  const found = await Promise.all([own, theirs].map(read));
  return found.map((each) => dataOf(each, 200).balance);
}

const adjust = ({ business, own }: Pair, body: Record<string, unknown> = {}) =>
  world.http.post(
    `/v1/admin/businesses/${business.id}/wallets/${own.id}/adjustments`,
    { direction: "DEBIT", amount: 30, reference: randomUUID(), note: "Credited twice", ...body },
    { token: admin },
  );

/** The bodies of the business's events, once there are so many. */
function tells(business: TestBusiness, count: number) {
  return until(async () => {
    const path = `/v1/business/${business.id}/events`;
    const found = dataOf(await world.http.get(path, { token: business.token }), 200);
    return found.length >= count && found.map(({ body }: { body: string }) => JSON.parse(body));
  });
}

test.each([
  ["within one partition", true],
  ["across partitions", false],
])("money goes from one wallet to the other %s", async (_case, isInOne) => {
  const pair = await findPair(isInOne);
  const { business, own, theirs } = pair;
  const asked = { reference: "order-1042", description: "Share of order 1042" };
  const done = dataOf(await move(pair, asked), 201);
  expect(done).toEqual({
    id: done.id,
    status: "SUCCEEDED",
    fromWalletId: own.id,
    toWalletId: theirs.id,
    amount: "40.00",
    currency: "USD",
    ...asked,
    createdAt: done.createdAt,
  });
  expect(await balancesOf(pair)).toEqual(["60.00", "40.00"]);
  const get = async (path: string) =>
    dataOf(
      await world.http.get(`/v1/business/${business.id}/${path}`, { token: business.token }),
      200,
    );
  expect(await get(`transfers/${done.id}`)).toEqual(done);
  for (const wallet of [own, theirs]) {
    expect(await get(`transfers?walletId=${wallet.id}`)).toEqual([done]);
  }
  expect(await get(`transfers?walletId=${randomUUID()}`)).toEqual([]);
  expect(await get(`transfers?from=${done.createdAt}`)).toEqual([done]);
  expect(await get(`transfers?to=${done.createdAt}`)).toEqual([]);
  const entry = { transactionId: done.id, kind: "TRANSFER", amount: "40.00" };
  const [debit] = await get(`wallets/${own.id}/entries`);
  expect(debit).toMatchObject({ ...entry, entry: "DEBIT", balance: "60.00" });
  const [credit] = await get(`wallets/${theirs.id}/entries`);
  expect(credit).toMatchObject({ ...entry, entry: "CREDIT", balance: "40.00" });
  const listed = await get("transactions?flow=TRANSFER");
  expect(listed).toMatchObject([
    {
      id: done.id,
      flow: "TRANSFER",
      status: "SUCCESS",
      amount: "40.00",
      fees: "0.00",
      walletId: own.id,
      entityId: business.id,
      reason: "Share of order 1042",
      reference: "order-1042",
    },
  ]);
});

test("a reference moves money once, and belongs to one transfer of the business", async () => {
  const pair = await createPair();
  const asked = { reference: "monthly" };
  const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => move(pair, asked)));
  const done = dataOf(first as never, 201);
  for (const each of others) expect(dataOf(each, 201)).toEqual(done);
  for (const change of [
    { amount: 40.01 },
    { description: "Another" },
    { fromWalletId: pair.theirs.id, toWalletId: pair.own.id },
  ]) {
    expect((await move(pair, { ...asked, ...change })).status).toBe(409);
  }
  expect(await balancesOf(pair)).toEqual(["60.00", "40.00"]);
});

test("of two transfers of 60.00 from 100.00 exactly one wins, and the other's reference is free", async () => {
  for (const isInOne of [true, false]) {
    const pair = await findPair(isInOne);
    const bodies = ["one", "two"].map((reference) => ({ amount: 60, reference }));
    const answers = await Promise.all(bodies.map((body) => move(pair, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 400]));
    const lost = answers.find(({ status }) => status === 400);
    expect(lost?.body.message).toBe("Insufficient Funds #912");
    expect(await balancesOf(pair)).toEqual(["40.00", "60.00"]);
    // The reference of the loser may be used again, for anything else.
    const reference = bodies[answers.indexOf(lost as never)]?.reference;
    expect((await move(pair, { amount: 5, reference })).status).toBe(201);
    expect(await balancesOf(pair)).toEqual(["35.00", "65.00"]);
  }
});

test("a request that was held up until no caller waits for it moves nothing", async () => {
  const { business, own, theirs } = await createPair();
  const asked = { businessId: business.id, amount: 5 };
  const wallets = { fromWalletId: own.id, toWalletId: theirs.id };
  const adjusted = { walletId: own.id, direction: "DEBIT", note: "Credited twice" };
  const calls = [
    ["wallet-ledger.move", { ...asked, ...wallets }],
    ["wallet-ledger.adjust", { ...asked, ...adjusted }],
  ] as const;
  for (const [name, params] of calls) {
    const ask = (reference: string, leftMs: number) =>
      world.broker.call(
        name,
        { ...params, reference },
        { meta: { deadline: Date.now() + leftMs } },
      );
    await ask("in time", 5_000);
    await expect(ask("late", -60_000)).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await ask("in time", -60_000);
  }
  expect(await world.balance(business, own)).toBe("90.00");
});

test("what is not the business's, or does not fit, is refused and moves nothing", async () => {
  const pair = await createPair();
  const other = await createPair();
  const euros = await world.wallet(pair.business, pair.business, 0, "EUR");
  const cases: [Record<string, unknown>, number][] = [
    [{ toWalletId: pair.own.id }, 400],
    [{ toWalletId: euros.id }, 400],
    [{ toWalletId: other.theirs.id }, 404],
    [{ fromWalletId: other.own.id }, 404],
    [{ toWalletId: await world.collectionAccount(pair.business, 10) }, 404],
    [{ amount: 0 }, 400],
    [{ amount: 1.001 }, 400],
    [{ reference: "" }, 400],
    [{ description: null }, 400],
  ];
  for (const [body, status] of cases) {
    expect([body, (await move(pair, body)).status]).toEqual([body, status]);
  }
  const disabled = `/v1/business/${pair.business.id}/wallets/${pair.own.id}`;
  const { token } = pair.business;
  dataOf(await world.http.patch(disabled, { disabled: true }, { token }), 200);
  const refused = await move(pair);
  expect([refused.status, refused.body.message]).toEqual([400, "Wallet is disabled"]);
  // A disabled wallet may be credited.
  expect((await move({ ...pair, own: pair.theirs, theirs: pair.own }, { amount: 1 })).status).toBe(
    400,
  );
  expect(await balancesOf(pair)).toEqual(["100.00", "0.00"]);
  const id = randomUUID();
  const path = `/v1/business/${pair.business.id}/transfers/${id}`;
  expect((await world.http.get(path, { token })).status).toBe(404);
});

test("an adjustment corrects a wallet once, and never below zero", async () => {
  const pair = await createPair();
  const asked = { reference: "ticket-1" };
  const done = dataOf(await adjust(pair, asked), 201);
  expect(done).toMatchObject({
    flow: "ADJUSTMENT",
    direction: "DEBIT",
    status: "SUCCESS",
    amount: "30.00",
    walletId: pair.own.id,
    reference: "ticket-1",
  });
  expect(dataOf(await adjust(pair, asked), 201)).toEqual(done);
  for (const change of [{ amount: 31 }, { direction: "CREDIT" }, { note: "Another" }]) {
    expect((await adjust(pair, { ...asked, ...change })).status).toBe(409);
  }
  const tooMuch = { amount: 70.01, reference: "ticket-2" };
  const refused = await adjust(pair, tooMuch);
  expect([refused.status, refused.body.message]).toEqual([400, "Insufficient Funds #912"]);
  expect((await adjust(pair, { ...tooMuch, amount: 70 })).status).toBe(201);
  expect((await adjust(pair, { direction: "CREDIT", amount: 1 })).status).toBe(201);
  expect(await balancesOf(pair)).toEqual(["1.00", "0.00"]);
  // The references of fundings are their own.
  const fundings = `/v1/admin/businesses/${pair.business.id}/wallets/${pair.own.id}/fundings`;
  const funding = { amount: 9, reference: "ticket-1" };
  const funded = dataOf(await world.http.post(fundings, funding, { token: admin }), 201);
  expect(dataOf(await world.http.post(fundings, funding, { token: admin }), 201)).toEqual(funded);
  const more = { ...funding, amount: 10 };
  expect((await world.http.post(fundings, more, { token: admin })).status).toBe(409);
  expect(await balancesOf(pair)).toEqual(["10.00", "0.00"]);
  const list = `/v1/business/${pair.business.id}/transactions?flow=ADJUSTMENT`;
  const listed = dataOf(await world.http.get(list, { token: pair.business.token }), 200);
  expect(listed.map(({ reference }: { reference: string }) => reference).at(-1)).toBe("ticket-1");
  expect(listed).toHaveLength(3);
});

test("a funding, an adjustment and a transfer each tell of themselves, with the balance after it", async () => {
  const pair = await createPair(0);
  const { business, own, theirs } = pair;
  const base = `/v1/admin/businesses/${business.id}/wallets/${own.id}`;
  const funding = { amount: 100, reference: "wire-311" };
  dataOf(await world.http.post(`${base}/fundings`, funding, { token: admin }), 201);
  dataOf(await adjust(pair, { reference: "ticket-1" }), 201);
  dataOf(await move(pair, { reference: "order-1042", description: "Share" }), 201);
  const bodies = await tells(business, 3);
  const of = (type: string) =>
    bodies.find((body: { eventType: string }) => body.eventType === type);
  const common = { walletId: own.id, entityId: business.id, currency: "USD" };
  expect(of("FUNDING")).toMatchObject({
    status: "SUCCEEDED",
    payload: { ...common, amount: 100, balance: "100.00", reference: "wire-311", reason: "" },
  });
  expect(of("ADJUSTMENT")).toMatchObject({
    status: "SUCCEEDED",
    payload: { ...common, amount: 30, balance: "70.00", reference: "ticket-1" },
  });
  expect(of("TRANSFER")).toMatchObject({
    status: "SUCCEEDED",
    payload: {
      ...common,
      toWalletId: theirs.id,
      amount: 40,
      balance: "30.00",
      reference: "order-1042",
      reason: "Share",
    },
  });
});

test("the timelines of a funding, an adjustment and transfers show states, entries and deliveries", async () => {
  const pairs = [await findPair(true), await findPair(false)];
  for (const pair of pairs) {
    const { business, own } = pair;
    await world.hook(business);
    const fundings = `/v1/admin/businesses/${business.id}/wallets/${own.id}/fundings`;
    const funding = { amount: 1, reference: "wire-311" };
    const [credit, debit] = ["CREDIT", "DEBIT"].map((entry) => ({ entry }));
    for (const [flow, done, entries] of [
      ["FUNDING", await world.http.post(fundings, funding, { token: admin }), [credit]],
      ["ADJUSTMENT", await adjust(pair), [debit]],
      ["TRANSFER", await move(pair), [debit, credit]],
    ] as const) {
      const { id } = dataOf(done, 201);
      const path = `transactions/${id}/timeline`;
      const timeline = await until(async () => {
        const token = business.token;
        const found = dataOf(await world.http.get(`/v1/${path}`, { token }), 200);
        return found.deliveries.length > 0 && found;
      });
      expect(timeline).toMatchObject({
        states: [{ status: "PENDING" }, { status: "SUCCESS" }],
        entries: entries.map((entry) => ({ ...entry, transactionId: id })),
        deliveries: [{ eventType: flow, transactionId: id }],
      });
      const operators = `/v1/admin/businesses/${business.id}/${path}`;
      const { entries: shown } = dataOf(await world.http.get(operators, { token: admin }), 200);
      expect(shown).toEqual(timeline.entries);
    }
  }
});

test("a balance that falls below its mark is told once, until it was at or above it again", async () => {
  const pair = await createPair(100);
  const { business, own } = pair;
  const { token } = business;
  const path = `/v1/business/${business.id}/wallets/${own.id}`;
  const mark = await world.http.patch(path, { lowBalanceAt: "80" }, { token });
  expect(dataOf(mark, 200).lowBalanceAt).toBe("80.00");
  for (const lowBalanceAt of ["-1.00", "1.001", 80, "", "x"]) {
    expect((await world.http.patch(path, { lowBalanceAt }, { token })).status).toBe(400);
  }
  // 100 -> 80 -> 70 (told) -> 60 -> 90 -> 50 (told)
  for (const [direction, amount] of [
    ["DEBIT", 20],
    ["DEBIT", 10],
    ["DEBIT", 10],
    ["CREDIT", 30],
    ["DEBIT", 40],
  ]) {
    dataOf(await adjust(pair, { direction, amount }), 201);
  }
  const isOfBalance = ({ eventType }: { eventType: string }) => eventType === "BALANCE";
  // The funding, five adjustments and two of the balance.
  const low = (await tells(business, 8)).filter(isOfBalance);
  const common = { transactionId: own.id, walletId: own.id, lowBalanceAt: "80.00" };
  expect(low).toMatchObject([
    { status: "LOW", payload: { ...common, balance: "70.00" } },
    { status: "LOW", payload: { ...common, balance: "50.00" } },
  ]);
  // A mark above the balance has not been passed, and no mark tells nothing.
  dataOf(await world.http.patch(path, { lowBalanceAt: "60.00" }, { token }), 200);
  dataOf(await adjust(pair, { amount: 10 }), 201);
  dataOf(await world.http.patch(path, { lowBalanceAt: null }, { token }), 200);
  dataOf(await adjust(pair, { direction: "CREDIT", amount: 30 }), 201);
  dataOf(await adjust(pair, { amount: 40 }), 201);
  expect((await tells(business, 11)).filter(isOfBalance)).toHaveLength(2);
});

test("a caller sees its own wallets", async () => {
  const { business, own } = await createPair();
  const user = await world.user(business);
  const list = async (token: string) =>
    dataOf(await world.http.get("/v1/ext/wallets", { token }), 200);
  expect(await list(business.token)).toEqual([
    { id: own.id, currency: "USD", balance: "100.00", disabled: false, frozen: false },
  ]);
  expect(await list(user.token)).toEqual([]);
  const { id } = await world.wallet(business, user, 5, "EUR");
  expect(await list(user.token)).toMatchObject([{ id, currency: "EUR", balance: "5.00" }]);
  expect((await world.http.get("/v1/ext/wallets", { token: admin })).status).toBe(401);
});
