// The business list of linked accounts (docs/integrate/rest-api.md, Business list): its view, its
// filters, its order, its callers. linked-account-list-input.test.ts has invalid parameters.

import { randomUUID } from "node:crypto";
import type { Service, ServiceBroker } from "moleculer";
import { nodesServing } from "../../shared/rpc/actions.ts";
import {
  ADDRESS,
  bankBody,
  cardBody,
  idsOf,
  link,
  linkInternational,
  manyRows,
  modelled,
  type Row,
} from "../support/listed.ts";
import { listRefusal } from "../support/refusal.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { type Random, seeded } from "../support/traffic.ts";
import {
  dataOf,
  internationalBody,
  startWorld,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

const LOOKUP_FAILED = listRefusal("Business metadata lookup failed");
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOTHING = { page: 1, pageSize: 50, pageCount: 0, total: 0 };

/** The clock of accounts. */
const clock = settableClock();
let world: World;
let random: Random;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  random = seeded();
  world = await startWorld({ accountsClock: clock });
});
beforeEach(async () => {
  ({ business, user, wallet } = await world.payer(100, { externalIdentifier: "customer-1" }));
});
afterAll(async () => {
  await world?.stop();
});

const pathOf = (of: { id: string }, query = "", currency = "USD") =>
  `/v1/business/${of.id}/linked-accounts/${currency}${query && `?${query}`}`;
const list = (query = "", { id, token }: { id: string; token: string } = business) =>
  world.http.get(pathOf({ id }, query), { token });

/** The only account of the list. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function only(query = ""): Promise<any> {
  const data = dataOf(await list(query), 200);
  expect(data).toHaveLength(1);
  return data[0];
}

describe("an account is shown in full", () => {
  const MOMENT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  const OPAQUE = expect.stringMatching(/^[\w-]{20,}$/);
  const around = (id: string) => ({
    id,
    currency: "USD",
    counterPartyName: "Ada Lovelace",
    counterPartyEmail: "ada@example.com",
    counterPublicPartyEmail: null,
    nickName: null,
    createdAt: MOMENT,
    updatedAt: MOMENT,
    wallet: { id: wallet.id, balance: "100.00", disabled: false },
    entity: {
      id: user.id,
      email: user.email,
      externalIdentifier: "customer-1",
      entityType: "USER",
    },
    application: null,
  });

  test("a bank account", async () => {
    const body = bankBody({ accountNumber: "000123456789" }, { label: "Main", nickName: "Rent" });
    const id = await link(world, business, wallet, body);
    expect(await only()).toEqual({
      ...around(id),
      optionType: "bank",
      nickName: "Rent",
      account: {
        label: "Main",
        lastFourDigits: "6789",
        routing: "021000021",
        bankName: "First Bank",
        accountType: "CHECKING",
        routingType: "ACH",
      },
      recipientData: {
        id: expect.stringMatching(UUID),
        type: "bank",
        instrumentId: OPAQUE,
        nickName: "Rent",
        firstName: "Ada",
        lastName: "Lovelace",
        name: "Ada Lovelace",
        email: "ada@example.com",
        bankName: "First Bank",
        accountNumber: "000123456789",
        routingNumber: "021000021",
        routingType: "ACH",
        ...ADDRESS,
      },
    });
  });

  test("a bank account of a firm, with an email for the public, without label and nickname", async () => {
    const data = { name: "Engines Ltd", publicEmail: "hello@engines.test", accountType: "savings" };
    await link(world, business, wallet, bankBody(data));
    expect(await only()).toMatchObject({
      counterPartyName: "Engines Ltd",
      counterPublicPartyEmail: "hello@engines.test",
      nickName: null,
      account: { label: null, accountType: "SAVINGS" },
      recipientData: { name: "Engines Ltd", firstName: "Ada", lastName: "Lovelace", nickName: "" },
    });
  });

  test("an international bank account, with the application token that linked it", async () => {
    const { id, token } = await linkInternational(world, business, user, {
      label: "Berlin",
      accountNumber: "DE89 3704 0044 0532 0130 00",
      swiftOrBic: "deutdeff",
      bankName: "Deutsche Bank",
      recipientCountry: "DE",
    });
    expect(await only()).toEqual({
      ...around(id),
      optionType: "international_bank",
      nickName: "Berlin",
      account: {
        label: "Berlin",
        lastFourDigits: "3000",
        bankName: "Deutsche Bank",
        swiftOrBic: "DEUTDEFF",
        country: "DE",
        routingNumber: null,
      },
      recipientData: {
        id: expect.stringMatching(UUID),
        type: "international_bank",
        provider: expect.stringMatching(/./),
        recipientType: "personal",
        firstName: "Ada",
        lastName: "Lovelace",
        name: "Ada Lovelace",
        email: "ada@example.com",
        accountNumber: "DE89370400440532013000",
        swiftOrBic: "DEUTDEFF",
        bankName: "Deutsche Bank",
        ...ADDRESS,
        recipientCountry: "DE",
        nickName: "Berlin",
      },
      application: {
        id: expect.stringMatching(UUID),
        token: `****${token.slice(-4)}`,
        tokenType: "ACCOUNT",
        expiredAt: MOMENT,
        valid: true,
      },
    });
  });

  test("an international bank account of a firm", async () => {
    const data = { recipientType: "business", firstName: undefined, lastName: undefined };
    await linkInternational(world, business, user, { ...data, name: "Engines Ltd" });
    expect(await only()).toMatchObject({
      counterPartyName: "Engines Ltd",
      recipientData: {
        recipientType: "business",
        firstName: null,
        lastName: null,
        name: "Engines Ltd",
      },
    });
  });

  test.each([
    ["card", "debit"],
    ["prepaid_card", "prepaid"],
  ])("a %s", async (optionType, cardType) => {
    const data = { encryptedCardNumber: "vault_4f9a2b7c", lastFourDigits: "0005" };
    const id = await link(world, business, wallet, cardBody(optionType, data, { label: "Blue" }));
    expect(await only()).toEqual({
      ...around(id),
      optionType,
      account: { label: "Blue", lastFourDigits: "0005", cardBrand: "Visa", cardType },
      recipientData: {
        id: expect.stringMatching(UUID),
        type: optionType,
        provider: expect.stringMatching(/./),
        identityId: OPAQUE,
        encryptedCardNumber: "vault_4f9a2b7c",
        cardExpirationDate: "12/40",
        name: "Ada Lovelace",
        email: "ada@example.com",
      },
    });
  });

  test("an account of the business's own wallet", async () => {
    const own = await world.wallet(business, business, 7);
    await link(world, business, own, bankBody());
    expect(await only()).toMatchObject({
      wallet: { id: own.id, balance: "7.00", disabled: false },
      entity: { id: business.id, externalIdentifier: null, entityType: "BUSINESS" },
    });
  });

  test("with the current balance and status of its wallet", async () => {
    const bank = await world.bank(business, wallet);
    const { body } = await world.withdraw(user, bank, { amount: 25, routingType: "ACH" });
    expect((await only()).wallet.balance).toBe("74.75");
    await world.status(business, body.data.id, "SUCCESS");
    const path = `/v1/business/${business.id}/wallets/${wallet.id}`;
    await world.http.patch(path, { disabled: true }, { token: business.token });
    expect((await only()).wallet).toEqual({ id: wallet.id, balance: "74.75", disabled: true });
    await world.verifyBooks();
  });

  test("with the current state of its application token", async () => {
    const expiredAt = new Date(Date.now() + 600_000).toISOString();
    const token = await world.applicationToken(business, user, { expiredAt });
    const path = `/v1/ext/application-token/${token}/linked-accounts/USD/link/international_bank/1`;
    dataOf(await world.http.post(path, internationalBody(), { token: user.token }), 200);
    expect((await only()).application).toMatchObject({ expiredAt, valid: true });
    clock.aheadMs = 600_001;
    expect((await only()).application).toMatchObject({ expiredAt, valid: false });
    clock.aheadMs = 0;
  });
});

test("a page with several wallets calls the ledger once", async () => {
  for (let i = 0; i < 3; i += 1) {
    const other = await world.wallet(business, await world.user(business), i + 1);
    for (let j = 0; j < 3; j += 1) await world.bank(business, other);
  }
  const calls = jest.spyOn(world.broker, "call");
  const data = dataOf(await list("limit=100"), 200);
  const asked = calls.mock.calls.map(([name]) => name);
  calls.mockRestore();
  expect(asked.filter((name) => name.startsWith("wallet-ledger."))).toEqual([
    "wallet-ledger.wallets",
  ]);
  expect(data.map((row: { wallet: { balance: string } }) => row.wallet.balance)).toEqual([
    ...Array(3).fill("1.00"),
    ...Array(3).fill("2.00"),
    ...Array(3).fill("3.00"),
  ]);
});

describe("filters", () => {
  let of: TestBusiness;
  let rows: Row[];
  beforeAll(async () => {
    of = await world.business();
    rows = await manyRows(world, of, random, 90);
  });

  test.each([
    "",
    "accountType=bank",
    "optionType=card",
    "accountType=prepaid_card&optionType=prepaid_card",
    "accountType=international_bank",
    "search=ada",
    "search=LOVELACE",
    "search=%20ada%20",
    "search=",
    "search=.*",
    "search=(a%2B)%2B$",
    "search=^",
    "search=%5C",
    "search=50%25",
    "search=%5Bmore%5D",
    "search=jos%C3%89",
    "search=%D0%90da",
    "search=%D7%90",
    "search=a",
    "search=da",
    "search=%22",
    "email=EXAMPLE.com",
    "email=x_y",
    "email=byron%2B1",
    "email=exampleXcom",
    "bank=first",
    "bank=B.nk",
    "bank=*",
    "last4=4242",
    "last4=42",
    "last4=2",
    "last4=0001",
    "last4=001",
    "last4=9999",
    "externalId=customer-1",
    "externalId=customer-10",
    "externalId=customer",
    "externalId=.*",
    "search=ada&bank=bank&accountType=bank&last4=2",
  ])("?%s finds the model's accounts", async (query) => {
    const answer = await list(query && `${query}&limit=100`, of);
    const asked = Object.fromEntries(new URLSearchParams(query));
    const { ids, meta } = modelled(rows, { ...asked, limit: query ? 100 : 50 }, 50);
    expect(idsOf(answer)).toEqual(ids);
    expect(answer.body.meta).toEqual(meta);
  });

  test("a look-alike does not match", async () => {
    const names = async (query: string) => {
      const data = dataOf(await list(`${query}&limit=100`, of), 200) as Row[];
      return new Set(data.map(({ counterPartyName }) => counterPartyName));
    };
    expect(await names("search=ada%20love")).toEqual(new Set(["Ada Lovelace"]));
    expect(await names("search=%D0%B0da%20love")).toEqual(new Set(["\u0410da Lovelace"]));
    expect(await names("search=%EF%BC%A1da")).toEqual(new Set());
    expect(await names("search=A%E2%80%8Bda")).toEqual(new Set());
    expect(await names("search=jose")).toEqual(new Set());
  });

  test("unknown parameters are ignored", async () => {
    const query = "query=x&$where=1&filter[a]=b&limit=100&a=1&a=2";
    expect(idsOf(await list(query, of))).toEqual(modelled(rows, { limit: 100 }, 50).ids);
  });

  test("an unlinked account is in no list", async () => {
    const [kept, gone] = [await world.bank(business, wallet), await world.bank(business, wallet)];
    const path = `${pathOf(business)}/${gone.id}`;
    dataOf(await world.http.delete(path, { token: business.token }), 200);
    const answer = await list();
    expect([idsOf(answer), answer.body.meta.total]).toEqual([[kept.id], 1]);
  });

  test("the accounts are in the path's currency, in any case", async () => {
    const euros = await world.wallet(business, user, 3, "EUR");
    const usd = await world.bank(business, wallet);
    const eur = await world.bank(business, euros);
    const { token } = business;
    const listed = async (currency: string) =>
      idsOf(await world.http.get(pathOf(business, "", currency), { token }));
    expect(await listed("USD")).toEqual([usd.id]);
    expect(await listed("eUr")).toEqual([eur.id]);
    expect(await listed("gbp")).toEqual([]);
  });
});

describe("pages", () => {
  test("show each account once, oldest first, while accounts are linked", async () => {
    const first: string[] = [];
    for (let i = 0; i < 25; i += 1) first.push((await world.bank(business, wallet)).id);
    const later: string[] = [];
    const seen: string[] = [];
    for (let page = 1; page <= 9; page += 1) {
      seen.push(...idsOf(await list(`limit=4&page=${page}`)));
      later.push((await world.bank(business, wallet)).id);
    }
    expect(seen.slice(0, 25)).toEqual(first);
    expect(seen.slice(25)).toEqual(later.slice(0, seen.length - 25));
  });

  test("show the total and the number of pages, which is 0 without accounts", async () => {
    expect((await list()).body).toEqual({ success: true, data: [], meta: NOTHING });
    for (let i = 0; i < 3; i += 1) await world.bank(business, wallet);
    const metaOf = async (query: string) => (await list(query)).body.meta;
    expect(await metaOf("")).toEqual({ page: 1, pageSize: 50, pageCount: 1, total: 3 });
    expect(await metaOf("limit=2")).toEqual({ page: 1, pageSize: 2, pageCount: 2, total: 3 });
    expect(await metaOf("search=none")).toEqual(NOTHING);
  });

  test("after the last one are empty and show the same total", async () => {
    await world.bank(business, wallet);
    for (const page of [2, 1_000_000]) {
      const { status, body } = await list(`page=${page}`);
      const meta = { page, pageSize: 50, pageCount: 1, total: 1 };
      expect([status, body]).toEqual([200, { success: true, data: [], meta }]);
    }
  });
});

describe("callers", () => {
  const UNAUTHORIZED = listRefusal("Unauthorized");

  test("an admin sees the accounts of every business", async () => {
    const { id } = await world.bank(business, wallet);
    const token = world.tokens.admin(randomUUID());
    const answer = await list("", { id: business.id, token });
    expect([answer.status, idsOf(answer)]).toEqual([200, [id]]);
    for (const unknownId of [randomUUID(), "1", "%00", "__proto__", user.id]) {
      const { status, body } = await list("", { id: unknownId, token });
      expect([unknownId, status, body]).toEqual([unknownId, 400, LOOKUP_FAILED]);
    }
  });

  test("a merchant gets the same answer for another business and an unknown one", async () => {
    await world.bank(business, wallet);
    const { token } = await world.business();
    for (const id of [business.id, randomUUID(), user.id, "1", "%00", "a".repeat(1_000)]) {
      for (const query of ["", "limit=0"]) {
        const { status, body } = await list(query, { id, token });
        expect([id, status, body]).toEqual([id, 400, LOOKUP_FAILED]);
      }
    }
  });

  test("the merchant of an unknown business gets the same answer", async () => {
    const id = randomUUID();
    const { status, body } = await list("", { id, token: world.tokens.merchant(id) });
    expect([status, body]).toEqual([400, LOOKUP_FAILED]);
  });

  test("a user's token, an invalid token and no token are a 401", async () => {
    const tokens = [user.token, world.tokens.user(business.id), "garbage", ""];
    for (const token of tokens) {
      const { status, body, headers } = await list("", { id: business.id, token });
      expect([status, body]).toEqual([401, UNAUTHORIZED]);
      expect(headers["www-authenticate"]).toMatch(/^Bearer/);
    }
  });

  test("the list excludes another business's accounts, users and external identifiers", async () => {
    const other = await world.business();
    const theirs = await world.user(other, { externalIdentifier: "customer-2" });
    const theirAccount = await world.bank(other, await world.wallet(other, theirs));
    const { id } = await world.bank(business, wallet);
    expect(idsOf(await list())).toEqual([id]);
    expect(idsOf(await list("externalId=customer-2"))).toEqual([]);
    expect(idsOf(await list("", other))).toEqual([theirAccount.id]);
  });

  test("another method is a 405 in the list's own form", async () => {
    const { status, body, headers } = await world.http.request("PUT", pathOf(business));
    expect([status, body]).toEqual([405, listRefusal("Method not allowed")]);
    expect(headers.allow).toContain("GET");
  });
});

/** Stops the ledger, and waits until all brokers have noticed. */
async function stopLedger({ brokers }: World): Promise<void> {
  const isLedger = ({ name }: Service) => name === "wallet-ledger";
  const holder = brokers.find(({ services }) => services.some(isLedger)) as ServiceBroker;
  await holder.destroyService(holder.services.find(isLedger) as Service);
  const isServed = (broker: ServiceBroker) => nodesServing(broker, "wallet-ledger.wallets").length;
  await until(() => !brokers.some(isServed), { awaited: "the end of the ledger" });
}

test("both lists work over NATS, and without the ledger the business list is a 503", async () => {
  const cluster = await startWorld({ overNats: true });
  try {
    const of = await cluster.business();
    const owner = await cluster.user(of);
    const held = await cluster.wallet(of, owner, 12.5);
    const { id } = await cluster.bank(of, held);
    const whole = dataOf(await cluster.http.get(pathOf(of), { token: of.token }), 200);
    expect(whole).toMatchObject([{ id, wallet: { balance: "12.50" }, entity: { id: owner.id } }]);
    const path = "/v1/ext/linked-accounts/USD";
    for (const { token } of [of, owner]) {
      const masked = dataOf(await cluster.http.get(path, { token }), 200);
      expect(masked).toMatchObject([{ id, account: { routing: "****0021" } }]);
    }
    const wrong = await cluster.http.get(pathOf(of, "limit=0"), { token: of.token });
    const message = "limit must be a whole number from 1 to 100";
    expect([wrong.status, wrong.body]).toEqual([400, listRefusal(message)]);

    // The business list has balances, which only the ledger knows.
    await stopLedger(cluster);
    const { status, body } = await cluster.http.get(pathOf(of), { token: of.token });
    const unavailable = "Temporarily unavailable. Please try again.";
    expect([status, body]).toEqual([503, listRefusal(unavailable)]);
    expect((await cluster.http.get(path, { token: owner.token })).status).toBe(200);
  } finally {
    await cluster.stop();
  }
});
