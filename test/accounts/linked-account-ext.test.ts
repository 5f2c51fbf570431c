// The external list of linked accounts (docs/integrate/rest-api.md, External list): the masked
// view, exactly its fields, and the accounts that each kind of token sees.

import { randomUUID } from "node:crypto";
import { CURRENCIES } from "../../shared/money.ts";
import {
  ADDRESS,
  bankBody,
  cardBody,
  drawQuery,
  idsOf,
  link,
  linkInternational,
  manyRows,
  modelled,
  queryText,
} from "../support/listed.ts";
import { listRefusal, withoutId } from "../support/refusal.ts";
import { type Random, seeded } from "../support/traffic.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestUser,
  type TestWallet,
  type World,
} from "../support/world.ts";

const EMPTY = {
  success: true,
  data: [],
  meta: { page: 1, pageSize: 10, pageCount: 0, total: 0 },
};

let world: World;
let random: Random;
let business: TestBusiness;
let user: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  random = seeded();
  world = await startWorld();
});
beforeEach(async () => {
  ({ business, user, wallet } = await world.payer(100, { externalIdentifier: "customer-1" }));
});
afterAll(async () => {
  await world?.stop();
});

const list = (token: string, query = "", currency = "USD") =>
  world.http.get(`/v1/ext/linked-accounts/${currency}${query && `?${query}`}`, { token });

describe("an account is shown masked, to its user and to the merchant", () => {
  const around = (id: string) => ({
    id,
    currency: "USD",
    counterPartyName: "Ada Lovelace",
    counterPartyEmail: "ada@example.com",
    counterPublicPartyEmail: null,
    nickName: "",
    createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
  });

  /** Both tokens show the same, and the answer has no secret. */
  async function isShown(expected: object, secrets: string[]): Promise<void> {
    for (const { token } of [user, business]) {
      const { status, body, text } = await list(token);
      const meta = { page: 1, pageSize: 10, pageCount: 1, total: 1 };
      expect([status, body]).toEqual([200, { success: true, data: [expected], meta }]);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  }

  test("a bank account", async () => {
    const numbers = { accountNumber: "000123456789", routingNumber: "021000021" };
    const body = bankBody({ ...numbers, publicEmail: "hello@ada.test" }, { label: "Secret label" });
    const id = await link(world, business, wallet, body);
    const expected = {
      ...around(id),
      optionType: "bank",
      counterPublicPartyEmail: "hello@ada.test",
      account: {
        routing: "****0021",
        bankName: "First Bank",
        accountType: "CHECKING",
        routingType: "ACH",
      },
      recipientData: {
        id: expect.any(String),
        type: "bank",
        instrumentId: expect.any(String),
        nickName: "",
        firstName: "Ada",
        lastName: "Lovelace",
        name: "Ada Lovelace",
        email: "ada@example.com",
        bankName: "First Bank",
        accountNumber: "****6789",
        routingNumber: "****0021",
        routingType: "ACH",
        ...ADDRESS,
      },
    };
    await isShown(expected, ["000123456789", "021000021", "Secret label", wallet.id, user.id]);
  });

  test("an international bank account", async () => {
    const { id, token } = await linkInternational(world, business, user, {
      label: "Berlin",
      accountNumber: "DE89370400440532013000",
      swiftOrBic: "DEUTDEFF",
      bankName: "Deutsche Bank",
      recipientCountry: "DE",
    });
    const expected = {
      ...around(id),
      optionType: "international_bank",
      nickName: "Berlin",
      account: { bankName: "Deutsche Bank" },
      recipientData: {
        id: expect.any(String),
        type: "international_bank",
        recipientType: "personal",
        firstName: "Ada",
        lastName: "Lovelace",
        name: "Ada Lovelace",
        email: "ada@example.com",
        accountNumber: "****3000",
        swiftOrBic: "DEUTDEFF",
        bankName: "Deutsche Bank",
        ...ADDRESS,
        recipientCountry: "DE",
        nickName: "Berlin",
      },
    };
    await isShown(expected, ["DE89", "0532013000", token, token.slice(-4), "provider"]);
  });

  test.each(["card", "prepaid_card"])("a %s", async (optionType) => {
    const data = { encryptedCardNumber: "vault_4f9a2b7c", lastFourDigits: "0005" };
    const id = await link(world, business, wallet, cardBody(optionType, data, { nickName: "Me" }));
    const expected = {
      ...around(id),
      optionType,
      nickName: "Me",
      account: {},
      recipientData: {
        id: expect.any(String),
        type: optionType,
        name: "Ada Lovelace",
        email: "ada@example.com",
      },
    };
    const hidden = ["vault_4f9a2b7c", "12/40", "provider", "identityId", "encryptedCardNumber"];
    await isShown(expected, [...hidden, "cardExpirationDate", "Visa"]);
  });

  test("has the id that a withdrawal takes", async () => {
    await link(world, business, wallet, bankBody({ accountNumber: "000123456789" }));
    const [{ id }] = dataOf(await list(user.token), 200);
    const paid = await world.withdraw(user, { id, currency: "USD" });
    await world.status(business, dataOf(paid, 200).id, "SUCCESS");
    await world.verifyBooks();
  });
});

describe("the accounts of a token", () => {
  let other: TestUser;
  let ids: { mine: string; others: string; own: string };
  beforeEach(async () => {
    other = await world.user(business, { externalIdentifier: "customer-2" });
    const [mine, others, own] = [
      await world.bank(business, wallet),
      await world.bank(business, await world.wallet(business, other)),
      await world.bank(business, await world.wallet(business, business)),
    ];
    ids = { mine: mine.id, others: others.id, own: own.id };
  });
  const seen = async (token: string, query = "") => idsOf(await list(token, query));

  test("of a user are its own, and it filters to itself only", async () => {
    expect(await seen(user.token)).toEqual([ids.mine]);
    expect(await seen(other.token)).toEqual([ids.others]);
    expect(await seen(user.token, "externalId=customer-1")).toEqual([ids.mine]);
    const another = await list(user.token, "externalId=customer-2");
    const unknown = await list(user.token, "externalId=unknown");
    expect([another.status, another.body]).toEqual([200, EMPTY]);
    expect(withoutId(unknown.body)).toEqual(withoutId(another.body));
  });

  test("of a user without an external identifier are none with any filter", async () => {
    const plain = await world.user(business);
    const { id } = await world.bank(business, await world.wallet(business, plain));
    expect(await seen(plain.token)).toEqual([id]);
    for (const value of ["customer-1", "null", "undefined"]) {
      expect(await seen(plain.token, `externalId=${value}`)).toEqual([]);
    }
  });

  test("of a merchant are its end users', and it filters to one of them", async () => {
    expect(await seen(business.token)).toEqual([ids.mine, ids.others]);
    expect(await seen(business.token, "externalId=customer-2")).toEqual([ids.others]);
    expect(await seen(business.token, "externalId=customer-3")).toEqual([]);
  });

  test("exclude another business's", async () => {
    const stranger = await world.business();
    await world.user(stranger, { externalIdentifier: "customer-9" });
    for (const query of ["", "externalId=customer-1", "externalId=customer-9"]) {
      const { status, body } = await list(stranger.token, query);
      expect([status, body]).toEqual([200, EMPTY]);
    }
  });

  test("of an unknown user or merchant are none", async () => {
    for (const token of [world.tokens.user(randomUUID()), world.tokens.merchant(randomUUID())]) {
      for (const query of ["", "externalId=customer-1"]) {
        const { status, body } = await list(token, query);
        expect([status, body]).toEqual([200, EMPTY]);
      }
    }
  });

  test("need no scope, and only users' and merchants' tokens are accepted", async () => {
    const scope = "";
    expect(await seen(world.tokens.user(user.id, { scope }))).toEqual([ids.mine]);
    for (const token of [world.tokens.admin(randomUUID()), "garbage", ""]) {
      const { status, body } = await list(token);
      expect([status, body]).toEqual([401, listRefusal("Unauthorized")]);
    }
  });

  test("exclude an unlinked account", async () => {
    const path = `/v1/business/${business.id}/linked-accounts/USD/${ids.mine}`;
    dataOf(await world.http.delete(path, { token: business.token }), 200);
    expect(await seen(user.token)).toEqual([]);
    expect(await seen(business.token)).toEqual([ids.others]);
  });

  test("are in the path's currency, in any case; unknown ones are a 400", async () => {
    const euros = await world.bank(business, await world.wallet(business, user, 0, "EUR"));
    expect(idsOf(await list(user.token, "", "eur"))).toEqual([euros.id]);
    expect(idsOf(await list(user.token, "", "CAD"))).toEqual([]);
    const { status, body } = await list(user.token, "", "XYZ");
    const message = `currency must be one of ${CURRENCIES.join(", ")}`;
    expect([status, body]).toEqual([400, listRefusal(message)]);
  });
});

describe("filters", () => {
  test("in any combination find the model's accounts, for a merchant and for a user", async () => {
    const of = await world.business();
    const rows = await manyRows(world, of, random, 60);
    const ofUsers = rows.filter(({ entityId }) => entityId !== of.id);
    const { entityId } = ofUsers[0] as { entityId: string };
    const ofOne = rows.filter((row) => row.entityId === entityId);
    for (const [token, theirs] of [
      [of.token, ofUsers],
      [world.tokens.user(entityId), ofOne],
    ] as const) {
      for (let i = 0; i < 150; i += 1) {
        const query = drawQuery(random);
        // It has no search by name (docs/integrate/rest-api.md, External list): the parameter is
        // unknown.
        const { search: _, ...known } = query;
        const text = queryText(query);
        const answer = await list(token, text);
        const { ids, meta } = modelled(theirs, known, 10);
        expect([text, idsOf(answer), answer.body.meta]).toEqual([text, ids, meta]);
      }
    }
  });

  test("pages have ten accounts, and up to a hundred on request", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) ids.push((await world.bank(business, wallet)).id);
    const [first, second, all] = [
      await list(user.token),
      await list(user.token, "page=2"),
      await list(user.token, "limit=100"),
    ];
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect(first.body.meta).toEqual({ page: 1, pageSize: 10, pageCount: 2, total: 12 });
    expect(idsOf(all)).toEqual(ids);
  });

  test.each([
    ["accountType=bank&optionType=card", "accountType must be optionType where both are given"],
    ["accountType=wallet", "accountType must be one of"],
    ["last4=12345", "last4 must be 1 to 4 digits"],
    ["limit=101", "limit must be a whole number from 1 to 100"],
    ["page=0", "page must be a whole number from 1 to 1000000000"],
    ["sortBy=wallet", "sortBy must be one of"],
    ["sortDirection=no", "sortDirection must be one of ASC, DESC"],
    ["email[$ne]=x", "email must be given once"],
    ["bank=a&bank=b", "bank must be given once"],
    [`email=${"a".repeat(10_000)}`, "email must be a text of 0 to 64 characters"],
    ["bank=a%00", "bank must be a text of 0 to 64 characters"],
  ])("?%.60s is a 400 that names it", async (query, message) => {
    // Also for a token without any accounts.
    for (const token of [user.token, world.tokens.user(randomUUID())]) {
      const { status, body } = await list(token, query);
      expect([status, body.fatal, body.code]).toEqual([400, undefined, "validation_failed"]);
      expect([body.success, body.message]).toEqual([false, expect.stringContaining(message)]);
    }
  });

  test("other methods are a 405 in the list's own form", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const path = "/v1/ext/linked-accounts/USD";
      const { status, body } = await world.http.request(method, path);
      const expected = listRefusal("Method not allowed");
      expect([method, status, body]).toEqual([method, 405, expected]);
    }
  });
});
