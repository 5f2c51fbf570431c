// GET …/reports/balance and GET …/balances: the report of a period adds up to the cent and is the
// statements of its accounts, also while money moves; and the filters by time of the lists.

import { randomUUID } from "node:crypto";
import { toMinor } from "../../shared/money.ts";
import { withoutId } from "../support/refusal.ts";
import { seeded } from "../support/traffic.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

const EVER = { from: "2020-01-01", to: "2999-01-01" };

interface Row {
  createdAt: string;
  kind: string;
  transactionId: string;
  accountId: string;
  gross: string;
  fee: string;
  net: string;
  balance: string;
  party: string | null;
  reference: string | null;
}
interface Report {
  opening: string;
  closing: string;
  rows: Row[];
}
type Query = Record<string, string>;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());
afterEach(() => world.verifyBooks());

function pathOf({ id }: { id: string }, query: Query): string {
  const asked = new URLSearchParams({ currency: "USD", ...EVER, ...query });
  return `/v1/business/${id}/reports/balance?${asked.toString()}`;
}

const ask = (business: TestBusiness, query: Query = {}) =>
  world.http.get(pathOf(business, query), { token: business.token });

async function report(business: TestBusiness, query: Query = {}): Promise<Report> {
  return dataOf(await ask(business, query), 200);
}

const minorOf = (decimal: string) => toMinor(Number(decimal)) as number;

/** Fails unless the report adds up. */
function requireSums({ opening, closing, rows }: Report): void {
  const moved = rows.reduce((sum, { net }) => sum + minorOf(net), 0);
  expect(minorOf(opening) + moved).toBe(minorOf(closing));
  for (const { gross, fee, net } of rows) expect(minorOf(gross) - minorOf(fee)).toBe(minorOf(net));
}

/** The statement of an account of the business, oldest first. */
async function statement(business: TestBusiness, path: string, query: Query = {}) {
  const entries: Row[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more = new URLSearchParams({ ...query, ...(cursor && { cursor }), limit: "3" });
    const whole = `/v1/business/${business.id}/${path}/entries?${more.toString()}`;
    const { body } = await world.http.get(whole, { token: business.token });
    entries.push(...body.data);
    cursor = body.meta.nextCursor;
  }
  return entries.toReversed();
}

const shown = ({ transactionId, balance, createdAt }: Row) => [transactionId, balance, createdAt];

/** A business with movements of every kind, in two currencies, and an end user with money. */
async function livedBusiness() {
  const business = await world.business();
  const own = await world.wallet(business, business, 500);
  const user = await world.user(business);
  const theirs = await world.wallet(business, user, 70);
  const post = async (path: string, body: object) =>
    dataOf(
      await world.http.post(`/v1/business/${business.id}/${path}`, body, { token: business.token }),
      201,
    );
  const payOut = async (lastFour: string, status: string) => {
    const account = await world.bank(business, own, lastFour);
    const body = { amount: 25, routingType: "RTP" };
    const { id } = dataOf(await world.withdraw(business, account, body), 200);
    return world.status(business, id, status);
  };
  const paid = await payOut("6789", "SUCCESS");
  const failed = await payOut("0002", "FAILED");
  const collectionId = await world.collectionAccount(business);
  const link = await world.paymentLink(business, { orderId: "=order-1", customerPays: false });
  const payment = dataOf(await world.pay(link, await world.cardToken()), 200);
  const refund = await post(`payments/${payment.id}/refunds`, { amount: 10, reference: "back-1" });
  const transfer = await post(`collection-accounts/${collectionId}/transfers`, {
    walletId: own.id,
    amount: 5,
    reference: "+week-7",
  });
  await world.wallet(business, business, 12.5, "EUR");
  return { business, own, user, theirs, collectionId, paid, failed, payment, refund, transfer };
}

test("a report has every movement with its fee, its party and its reference", async () => {
  const lived = await livedBusiness();
  const { business, own, collectionId, paid, failed, payment, refund, transfer } = lived;
  const all = await report(business);
  requireSums(all);
  const row = ({ createdAt: _at, ...fields }: Row) => fields;
  const wallet = { accountId: own.id };
  const account = { accountId: collectionId };
  const toAda = { party: "Ada Lovelace" };
  const out = { kind: "PAYOUT", gross: "-25.00", fee: "0.50", net: "-25.50", ...toAda };
  expect(all.rows.map(row)).toEqual([
    {
      kind: "FUNDING",
      transactionId: expect.any(String),
      ...wallet,
      ...{ gross: "500.00", fee: "0.00", net: "500.00", balance: "500.00" },
      ...{ party: null, reference: expect.any(String) },
    },
    { ...out, transactionId: paid.id, ...wallet, balance: "474.50", reference: null },
    { ...out, transactionId: failed.id, ...wallet, balance: "449.00", reference: null },
    {
      ...{ kind: "PAYOUT_REVERSAL", transactionId: failed.id, ...wallet, ...toAda },
      ...{ gross: "25.00", fee: "-0.50", net: "25.50", balance: "474.50", reference: null },
    },
    {
      ...{ kind: "PAYMENT", transactionId: payment.id, ...account, ...toAda },
      ...{ gross: "25.00", fee: "1.03", net: "23.97", balance: "23.97", reference: "=order-1" },
    },
    {
      ...{ kind: "REFUND", transactionId: refund.id, ...account, ...toAda },
      ...{ gross: "-10.00", fee: "-0.41", net: "-9.59", balance: "14.38", reference: "back-1" },
    },
    {
      ...{ kind: "TRANSFER", transactionId: transfer.id, ...account, party: null },
      ...{ gross: "-5.00", fee: "0.00", net: "-5.00", balance: "9.38", reference: "+week-7" },
    },
    {
      ...{ kind: "TRANSFER", transactionId: transfer.id, ...wallet, party: null },
      ...{ gross: "5.00", fee: "0.00", net: "5.00", balance: "479.50", reference: "+week-7" },
    },
  ]);
  expect([all.opening, all.closing]).toEqual(["0.00", "488.88"]);

  const ofWallet = await report(business, { walletId: own.id });
  expect(ofWallet.rows).toEqual(all.rows.filter(({ accountId }) => accountId === own.id));
  expect(ofWallet.closing).toBe(await world.balance(business, own));
  expect(ofWallet.rows.map(shown)).toEqual(
    (await statement(business, `wallets/${own.id}`)).map(shown),
  );
  const ofAccount = await report(business, { walletId: collectionId });
  expect(ofAccount.rows.map(shown)).toEqual(
    (await statement(business, `collection-accounts/${collectionId}`)).map(shown),
  );
  // Its own wallets leave out those of its end users, which it has by their ids.
  expect(await report(business, { walletId: lived.theirs.id })).toMatchObject({ closing: "70.00" });
  expect(await report(business, { currency: "EUR" })).toMatchObject({
    closing: "12.50",
    rows: [{ kind: "FUNDING" }],
  });
  expect(await report(business, { currency: "NGN" })).toEqual({
    opening: "0.00",
    closing: "0.00",
    rows: [],
  });

  const listed = await world.http.get(`/v1/business/${business.id}/balances`, {
    token: business.token,
  });
  expect(dataOf(listed, 200)).toEqual([
    { currency: "USD", own: "479.50", collection: "9.38", entities: "70.00" },
    { currency: "EUR", own: "12.50", collection: "0.00", entities: "0.00" },
  ]);
});

test("the CSV has the rows between the opening and the closing balance, and no formula", async () => {
  const { business, own } = await livedBusiness();
  const { rows, opening, closing } = await report(business);
  const { status, text, headers } = await ask(business, { format: "csv" });
  expect([status, headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
  expect(headers["content-disposition"]).toBe(
    'attachment; filename="balance-USD-2020-01-01-2999-01-01.csv"',
  );
  const [head, first, ...others] = text.split("\r\n");
  expect(head).toBe("createdAt,kind,transactionId,accountId,gross,fee,net,balance,party,reference");
  expect(first).toBe(`2020-01-01T00:00:00.000Z,OPENING,,,,,,${opening},,`);
  expect(others.slice(-2)).toEqual([`2999-01-01T00:00:00.000Z,CLOSING,,,,,,${closing},,`, ""]);
  const lines = others.slice(0, -2);
  expect(lines).toHaveLength(rows.length);
  expect(lines.filter((line) => line.includes("PAYMENT"))).toEqual([
    expect.stringMatching(/,25\.00,1\.03,23\.97,23\.97,Ada Lovelace,'=order-1$/),
  ]);
  expect(lines.at(-1)).toMatch(new RegExp(`,${own.id},5.00,0.00,5.00,479.50,,'[+]week-7$`));
});

test("an erased customer has no name in a report", async () => {
  const business = await world.business();
  await world.collectionAccount(business, 25);
  expect((await report(business)).rows).toMatchObject([{ party: "Ada Lovelace" }]);
  const path = `/v1/business/${business.id}/customers/erase`;
  const body = { email: "ada@example.com" };
  dataOf(await world.http.post(path, body, { token: business.token }), 200);
  expect((await report(business)).rows).toMatchObject([{ kind: "PAYMENT", party: null }]);
});

test("adjacent periods of any length add up, for each account and all together", async () => {
  const { below } = seeded();
  const { business, own, collectionId } = await livedBusiness();
  const all = await report(business);
  const times = all.rows.map(({ createdAt }) => Date.parse(createdAt));
  const inside = times.flatMap((at) => [at, at + 1, at - below(50)]);
  const moments = [Date.parse(EVER.from), ...inside, Date.parse(EVER.to)].toSorted((a, b) => a - b);
  const cuts = moments
    .filter((at, i) => at !== moments[i - 1])
    .map((at) => new Date(at).toISOString());
  const places: { query: Query; path: string | null }[] = [
    { query: {}, path: null },
    { query: { walletId: own.id }, path: `wallets/${own.id}` },
    { query: { walletId: collectionId }, path: `collection-accounts/${collectionId}` },
  ];
  for (const { query, path } of places) {
    const whole = await report(business, query);
    const rows: Row[] = [];
    let closed = whole.opening;
    for (const [i, to] of cuts.slice(1).entries()) {
      const period = { from: cuts[i] as string, to };
      const part = await report(business, { ...query, ...period });
      requireSums(part);
      expect(part.opening).toBe(closed);
      for (const { createdAt } of part.rows) {
        expect(createdAt >= period.from && createdAt < to).toBe(true);
      }
      const entries = path && (await statement(business, path, period));
      if (entries) expect(entries.map(shown)).toEqual(part.rows.map(shown));
      closed = part.closing;
      rows.push(...part.rows);
    }
    expect(closed).toBe(whole.closing);
    expect(rows).toEqual(whole.rows);
  }
});

test("reports add up while money moves, and a past one does not change", async () => {
  const { business, own } = await livedBusiness();
  const account = await world.bank(business, own);
  const cut = new Date().toISOString();
  const past = await report(business, { to: cut });
  const moving = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 3; i++) {
      dataOf(await world.withdraw(business, account, { amount: 1, routingType: "RTP" }), 200);
      const path = `/v1/business/${business.id}/wallets/${own.id}/fund`;
      const body = { amount: 3, reference: randomUUID() };
      dataOf(await world.http.post(path, body, { token: business.token }), 201);
    }
  });
  let isMoving = true;
  const moved = Promise.all(moving).finally(() => {
    isMoving = false;
  });
  do {
    const live = await report(business, { from: cut });
    requireSums(live);
    expect(live.opening).toBe(past.closing);
    expect(await report(business, { to: cut })).toEqual(past);
  } while (isMoving);
  await moved;
  const last = await report(business, { from: cut });
  requireSums(last);
  expect(last.rows.filter(({ kind }) => kind === "FUNDING")).toHaveLength(24);
  expect(last.rows.filter(({ kind }) => kind === "PAYOUT")).toHaveLength(24);
});

test("a wrong request is refused, and others' accounts are unknown", async () => {
  const { business, own } = await livedBusiness();
  const { from, to } = EVER;
  for (const [query, message] of [
    [{ from: to, to: from }, "from must be before to"],
    [{ from, to: from }, "from must be before to"],
    [{ format: "xml" }, "format must be one of json, csv"],
    [{ currency: "EUR", walletId: own.id }, "currency must be the wallet's, USD"],
  ] as [Query, string][]) {
    const { status, body } = await ask(business, query);
    expect([status, body.message]).toEqual([400, message]);
  }
  const none = `/v1/business/${business.id}/reports/balance`;
  const { status, body } = await world.http.get(none, { token: business.token });
  const fields = body.errors.map(({ field }: { field: string }) => field);
  expect([status, fields]).toEqual([400, ["currency", "from", "to"]]);

  const other = await livedBusiness();
  const theirs = await ask(business, { walletId: other.own.id });
  const unknown = await ask(business, { walletId: randomUUID() });
  expect([theirs.status, withoutId(theirs.body)]).toEqual([404, withoutId(unknown.body)]);
  const stranger = await world.http.get(pathOf(business, {}), { token: other.business.token });
  expect([stranger.status, stranger.body.message]).toEqual([404, "Business not found"]);
});

test("payments are listed by the time of their creation", async () => {
  const business = await world.business();
  await world.collectionAccount(business, 25);
  const list = async (query: string) => {
    const path = `/v1/business/${business.id}/payments?${query}`;
    const payments = dataOf(await world.http.get(path, { token: business.token }), 200);
    return payments.map(({ id }: { id: string }) => id);
  };
  const [first] = dataOf(
    await world.http.get(`/v1/business/${business.id}/payments`, { token: business.token }),
    200,
  );
  await world.collectionAccount(business, 25);
  const after = new Date(Date.parse(first.createdAt) + 1).toISOString();
  expect(await list(`to=${after}`)).toEqual([first.id]);
  expect(await list(`to=${first.createdAt}`)).toEqual([]);
  expect(await list(`from=${first.createdAt}`)).toHaveLength(2);
  expect(await list(`from=${after}&order=newest`)).toHaveLength(1);
});
