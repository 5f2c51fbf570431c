// Linking an international bank account with an application token (docs/integrate/rest-api.md,
// International accounts): the callers, the order of the checks, the fields. A refusal stores no
// document. international-numbers.test.ts tests IBANs, BICs and countries.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Answer } from "../support/http.ts";
import { refusal } from "../support/refusal.ts";
import {
  dataOf,
  internationalBody,
  startWorld,
  type TestBusiness,
  type TestUser,
  type World,
} from "../support/world.ts";

let world: World;
let database: mongoose.Connection;
let business: TestBusiness;
let user: TestUser;
let token: string;

beforeAll(async () => {
  world = await startWorld();
  database = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  business = await world.business();
  user = await world.user(business, { externalIdentifier: randomUUID() });
  token = await world.applicationToken(business, user);
});
afterAll(async () => {
  await world.verifyBooks();
  await database.close();
  await world.stop();
});

interface Request {
  token?: string;
  currency?: string;
  step?: string;
  body?: unknown;
  as?: { token: string };
}

/** Links for the user with an ACCOUNT token in USD, unless overridden. */
function link({
  as = user,
  token: own = token,
  body,
  currency,
  step,
}: Request = {}): Promise<Answer> {
  return world.linkInternational(as, own, body, { currency, step });
}

/** Links with other data. */
function linkData(data: Record<string, unknown>): Promise<Answer> {
  return link({ body: internationalBody(data) });
}

const NOT_FOUND = [404, refusal("Application token not found")];
const NOT_VALID = [400, refusal("Application token is not valid")];
const brief = ({ status, body }: Answer) => [status, body];

const stored = () => database.collection("linked_accounts").countDocuments({});
const walletsOf = (entityId: string) =>
  database.collection("ledger_accounts").countDocuments({ entityId });

/** Asserts that the refusals store no document. */
async function storesNothing(refusals: () => Promise<void>): Promise<void> {
  const [accounts, wallets] = [await stored(), await walletsOf(user.id)];
  await refusals();
  expect([await stored(), await walletsOf(user.id)]).toEqual([accounts, wallets]);
}

describe("linking", () => {
  test("answers the account's id, and an end user can withdraw to it at once, by wire", async () => {
    const payee = await world.user(business);
    const wallet = await world.wallet(business, payee, 100);
    const own = await world.applicationToken(business, payee);
    const answer = await link({ token: own, as: payee });
    expect(answer.body).toEqual({
      success: true,
      message: "International bank account linked",
      data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    const { id } = dataOf(answer, 200);

    const ach = await world.withdraw(payee, { id, currency: "USD" }, { routingType: "ACH" });
    expect(brief(ach)).toEqual([
      400,
      refusal("routingType must be WIRE for an international bank account"),
    ]);
    const paid = dataOf(await world.withdraw(payee, { id, currency: "USD" }), 200);
    expect(paid).toMatchObject({ status: "PENDING", fees: "15.00", amount: "40.00" });
    await expect(world.status(business, paid.id, "SUCCESS")).resolves.toMatchObject({
      method: "BANK_TRANSFER_WIRE",
      linkedAccountId: id,
    });
    await expect(world.balance(business, wallet)).resolves.toBe("60.00");
  });

  test("shows the account in both lists, with its application token", async () => {
    const payee = await world.user(business, { externalIdentifier: randomUUID() });
    const own = await world.applicationToken(business, payee);
    const body = internationalBody({
      accountNumber: "de89 3704 0044 0532 0130 00",
      swiftOrBic: "cobade ff",
      recipientCountry: "de",
      nickName: "Savings",
    });
    const { id } = dataOf(await link({ token: own, as: payee, body }), 200);

    const path = `/v1/business/${business.id}/linked-accounts/USD?accountType=international_bank`;
    const list = dataOf(await world.http.get(`${path}&last4=3000`, { token: business.token }), 200);
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({
      id,
      optionType: "international_bank",
      counterPartyName: "Ada Lovelace",
      counterPartyEmail: "ada@example.com",
      nickName: "Savings",
      account: {
        label: "Main account",
        lastFourDigits: "3000",
        bankName: "Chase",
        swiftOrBic: "COBADEFF",
        country: "DE",
        routingNumber: null,
      },
      recipientData: { id, accountNumber: "DE89370400440532013000", recipientCountry: "DE" },
      application: { token: `****${own.slice(-4)}`, tokenType: "ACCOUNT", valid: true },
    });
    const external = await world.http.get("/v1/ext/linked-accounts/USD", { token: payee.token });
    expect(dataOf(external, 200)).toMatchObject([
      { id, account: { bankName: "Chase" }, recipientData: { accountNumber: "****3000" } },
    ]);
    expect(external.text).not.toContain("3704");
  });

  test("uses the label as the nickname if the request has none", async () => {
    const withoutName = dataOf(await link(), 200).id;
    const withName = dataOf(await linkData({ nickName: "Mine" }), 200).id;
    const nameOf = async (_id: string) =>
      (await database.collection("linked_accounts").findOne({ _id: _id as never }))?.nickName;
    expect([await nameOf(withoutName), await nameOf(withName)]).toEqual(["Main account", "Mine"]);
  });

  test("keeps only the name of a business, and no person's name with it", async () => {
    const data = { recipientType: "business", name: "Engines Ltd", wanted: "planted" };
    const { id } = dataOf(await linkData(data), 200);
    const instrument = await world.call("accounts.instrument", { linkedAccountId: id });
    expect(instrument.data).toMatchObject({ recipientType: "business", name: "Engines Ltd" });
    for (const absent of ["firstName", "lastName", "wanted", "nickName"]) {
      expect(instrument.data).not.toHaveProperty(absent);
    }
  });

  test("opens the entity's wallet in the token's currency if there is none", async () => {
    const payee = await world.user(business);
    const own = await world.applicationToken(business, payee, { currency: "EUR" });
    const linkAgain = () => link({ token: own, currency: "eur", as: payee });
    const [one, two] = [dataOf(await linkAgain(), 200), dataOf(await linkAgain(), 200)];
    expect(one.id).not.toBe(two.id);
    await expect(walletsOf(payee.id)).resolves.toBe(1);
    const found = await database
      .collection("linked_accounts")
      .find({ entityId: payee.id })
      .toArray();
    expect(found.map(({ currency }) => currency)).toEqual(["EUR", "EUR"]);
  });

  test("does not spend a PAYOUT token, and is refused after a payout has spent it", async () => {
    const payee = await world.user(business);
    await world.wallet(business, payee, 100);
    const payout = await world.applicationToken(business, payee, { tokenType: "PAYOUT" });
    const { id } = dataOf(await link({ token: payout, as: payee }), 200);
    dataOf(await link({ token: payout, as: payee }), 200);
    const headers = { "x-application-token": payout };
    const paid = await world.withdraw(payee, { id, currency: "USD" }, {}, headers);
    await world.status(business, dataOf(paid, 200).id, "SUCCESS");
    expect(brief(await link({ token: payout, as: payee }))).toEqual(NOT_VALID);
  });

  test("stores neither token nor number as plain text", async () => {
    const body = internationalBody({ recipientAddress: "1 Planted Lane" });
    dataOf(await link({ body }), 200);
    const collections = await database.listCollections();
    const all = collections.map(({ name }) => database.collection(name).find().toArray());
    const text = JSON.stringify(await Promise.all(all));
    expect(text).toContain(body.data.accountNumber.slice(-4));
    for (const planted of [token, body.data.accountNumber, "1 Planted Lane", "CHASUS33"]) {
      expect(text).not.toContain(planted);
    }
  });
});

describe("allowed callers", () => {
  test("are the token's entity and its merchant; for others the token is not found", async () => {
    dataOf(await link({ as: business }), 200);
    const others = await world.business();
    const stranger = await world.user(others);
    const sibling = await world.user(business);
    await storesNothing(async () => {
      for (const as of [others, stranger, sibling, { token: world.tokens.user(business.id) }]) {
        expect(brief(await link({ as }))).toEqual(NOT_FOUND);
        expect(brief(await link({ as, token: randomUUID() }))).toEqual(NOT_FOUND);
      }
    });
  });

  test("include the business for its own wallet", async () => {
    const own = await world.applicationToken(business, business);
    const { id } = dataOf(await link({ token: own, as: business }), 200);
    const found = await database.collection("linked_accounts").findOne({ _id: id });
    expect(found).toMatchObject({ entityId: business.id, entityType: "BUSINESS" });
  });

  test("exclude a request without a bearer token, or with an admin's", async () => {
    for (const as of [{ token: "" }, { token: world.tokens.admin(randomUUID()) }]) {
      expect(brief(await link({ as }))).toEqual([401, refusal("Unauthorized")]);
    }
  });
});

describe("the order of refusals", () => {
  test("401, 400 of the step, 404, 400 of the token, of the currency, of the body, 409", async () => {
    const expired = await expiredToken();
    const wrong = { body: {}, currency: "XXX" };
    const steps: [Request, unknown][] = [
      [{ ...wrong, step: "2", token: "none", as: { token: "" } }, [401, refusal("Unauthorized")]],
      [{ ...wrong, step: "2", token: "none" }, [400, refusal("step must be 1")]],
      [{ ...wrong, token: "none" }, NOT_FOUND],
      [{ ...wrong, token: expired }, NOT_VALID],
      [wrong, [400, refusal("currency must be the application token's")]],
      [{ body: {} }, [400, refusal(expect.stringMatching(/^label must be .*; data must be /))]],
    ];
    const body = internationalBody();
    dataOf(await link({ body }), 200);
    steps.push([{ body }, [409, refusal("This account is already linked to the wallet")]]);
    await storesNothing(async () => {
      for (const [request, expected] of steps) {
        expect(brief(await link(request))).toEqual(expected);
      }
    });
  });

  test.each(["0", "2", "11", "1.0", "%201", "one", "null", "a".repeat(3_000)])(
    "step %s is a 400",
    async (step) => {
      expect(brief(await link({ step }))).toEqual([400, refusal("step must be 1")]);
    },
  );

  test("an expired token, a token of another kind and an unknown token are refused", async () => {
    const ofLink = await world.applicationToken(business, user);
    await tokens().updateOne(
      { lastFour: ofLink.slice(-4) },
      { $set: { tokenType: "PAYMENT_LINK" } },
    );
    expect(brief(await link({ token: ofLink }))).toEqual(NOT_VALID);
    expect(brief(await link({ token: await expiredToken() }))).toEqual(NOT_VALID);
    for (const none of ["%00", "%E2%80%AE", `${token}%20`, token.toLowerCase(), "__proto__"]) {
      expect(brief(await link({ token: none }))).toEqual(NOT_FOUND);
    }
  });

  test.each(["EUR", "XXX", "US", "%20USD", "__proto__", "U%C5%BFD"])(
    "currency %s is not the token's",
    async (currency) => {
      const message = "currency must be the application token's";
      expect(brief(await link({ currency }))).toEqual([400, refusal(message)]);
    },
  );

  const tokens = () => database.collection("application_tokens");

  async function expiredToken(): Promise<string> {
    const made = await world.applicationToken(business, user);
    const past = { $set: { expiresAt: new Date(Date.now() - 1) } };
    await tokens().updateOne({ lastFour: made.slice(-4) }, past);
    return made;
  }
});

describe("fields", () => {
  const person = internationalBody().data;
  const company = { ...person, recipientType: "business", name: "Engines Ltd" };
  const never: unknown[] = [
    undefined,
    null,
    "",
    "   ",
    7,
    true,
    [],
    ["US"],
    { $ne: "" },
    { toString: "x" },
    "a".repeat(10_000),
    "a\u0000b",
    "a\nb",
    "\ud800",
    "\u200f",
    "a\u202eb",
    "a\u2066b",
  ];
  const required: [string, Record<string, unknown>][] = [
    ...Object.keys(person).map((name): [string, object] => [name, person]),
    ["name", company],
  ] as [string, Record<string, unknown>][];

  test.each(required)(
    "data.%s is refused in every wrong form, with its name",
    async (name, data) => {
      await storesNothing(async () => {
        for (const value of never) {
          const body = { label: "Main account", data: { ...data, [name]: value } };
          const { status, body: answer } = await link({ body });
          expect([value, status, answer]).toEqual([
            value,
            400,
            refusal(expect.stringMatching(new RegExp(`^data\\.${name} must be [^;]*$`))),
          ]);
        }
      });
    },
  );

  test("label and nickName are refused likewise, but nickName is optional", async () => {
    await storesNothing(async () => {
      for (const value of never) {
        const { data } = internationalBody();
        const label = await link({ body: { label: value, data } });
        expect(brief(label)).toEqual([
          400,
          refusal(expect.stringMatching(/^label must be [^;]*$/)),
        ]);
        if (value === undefined) continue;
        expect(brief(await linkData({ nickName: value }))).toEqual([
          400,
          refusal(expect.stringMatching(/^data\.nickName must be [^;]*$/)),
        ]);
      }
    });
  });

  test.each([null, "x", 7, [], [person]])("data %p is no object", async (data) => {
    const { status, body } = await link({ body: { label: "Main account", data } });
    expect([status, body]).toEqual([
      400,
      refusal(expect.stringMatching(/^data must be an object, but is /)),
    ]);
  });

  test.each(["Personal", "company", "__proto__", "constructor"])(
    "recipientType %s is refused",
    async (recipientType) => {
      const { status, body } = await linkData({ recipientType, name: "Engines Ltd" });
      const message = "data.recipientType must be one of personal, business";
      expect([status, body]).toEqual([400, refusal(message)]);
    },
  );

  test("a refusal names all wrong fields at once", async () => {
    const wrong = { firstName: "", email: "x", accountNumber: "12345", recipientCity: 7 };
    const { data } = internationalBody({ ...wrong, swiftOrBic: "COBADEFF" });
    const { status, body } = await link({ body: { data } });
    expect(status).toBe(400);
    for (const name of ["label", ...Object.keys(wrong).map((field) => `data.${field}`)]) {
      expect(body.message).toContain(`${name} must be`);
    }
    expect(body.message).not.toContain("COBADEFF");
  });

  test("names in right-to-left scripts are accepted", async () => {
    const names = {
      firstName: "\u05e2\u05d3\u05d4",
      lastName: "\u0644\u0627\u0641\u0644\u064a\u0633",
    };
    dataOf(await linkData(names), 200);
  });
});

describe("the same account", () => {
  test("is linked once to a wallet, even with other details, and again after an unlink", async () => {
    const body = internationalBody();
    const { id } = dataOf(await link({ body }), 200);
    const renamed = { label: "Other", data: { ...body.data, firstName: "Grace", nickName: "x" } };
    expect((await link({ body: renamed })).status).toBe(409);
    const otherBank = { ...body, data: { ...body.data, swiftOrBic: "BOFAUS3N" } };
    expect((await link({ body: otherBank })).status).toBe(200);

    const path = `/v1/business/${business.id}/linked-accounts/USD/${id}`;
    dataOf(await world.http.delete(path, { token: business.token }), 200);
    expect((await link({ body })).status).toBe(200);
    expect((await link({ body })).status).toBe(409);
  });

  test("is recognised by its IBAN, with any BIC", async () => {
    const iban = { accountNumber: "NL02ABNA0123456789", recipientCountry: "NL" };
    dataOf(await linkData({ ...iban, swiftOrBic: "ABNANL2A" }), 200);
    expect((await linkData({ ...iban, swiftOrBic: "INGBNL2A" })).status).toBe(409);
  });

  test("is linked once by many concurrent requests", async () => {
    const body = internationalBody();
    const payee = await world.user(business);
    const own = await world.applicationToken(business, payee);
    const race = Array.from({ length: 10 }, () => link({ token: own, as: payee, body }));
    const statuses = (await Promise.all(race)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)]);
    await expect(walletsOf(payee.id)).resolves.toBe(1);
  });
});
