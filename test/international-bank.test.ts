// Linking an international bank account with an application token (interface 4.6): who may, in which
// order it is judged, what is right of IBANs, BICs and countries, and that a refusal stores nothing.

import { randomUUID } from "node:crypto";
import mongoose from "mongoose";
import type { Answer } from "./support/http.ts";
import {
  dataOf,
  internationalBody,
  startWorld,
  type TestBusiness,
  type TestUser,
  type World,
} from "./support/world.ts";

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

/** Links for the user, whose token is an ACCOUNT token in USD, unless something else is said. */
function link({
  token: applicationToken = token,
  currency = "USD",
  step = "1",
  body = internationalBody(),
  as = user,
}: Request = {}): Promise<Answer> {
  const linked = `linked-accounts/${currency}/link/international_bank/${step}`;
  const path = `/v1/ext/application-token/${applicationToken}/${linked}`;
  return world.http.post(path, body, { token: as.token });
}

/** Links with other data. */
function linkData(data: Record<string, unknown>): Promise<Answer> {
  return link({ body: internationalBody(data) });
}

const refused = (message: unknown) => ({ success: false, message, fatal: true });
const NOT_FOUND = [404, refused("Application token not found")];
const NOT_VALID = [400, refused("Application token is not valid")];
const brief = ({ status, body }: Answer) => [status, body];

const stored = () => database.collection("linked_accounts").countDocuments({});
const walletsOf = (entityId: string) =>
  database.collection("ledger_accounts").countDocuments({ entityId });

/** Asserts that nothing that is done meanwhile is stored. */
async function storesNothing(refusals: () => Promise<void>): Promise<void> {
  const [accounts, wallets] = [await stored(), await walletsOf(user.id)];
  await refusals();
  expect([await stored(), await walletsOf(user.id)]).toEqual([accounts, wallets]);
}

describe("linking", () => {
  test("answers the account's id, which an end user withdraws to at once, by wire", async () => {
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
      refused("routingType must be WIRE for an international bank account"),
    ]);
    const paid = dataOf(await world.withdraw(payee, { id, currency: "USD" }), 200);
    expect(paid).toMatchObject({ status: "PENDING", fees: "15.00", amount: "40.00" });
    await expect(world.status(business, paid.id, "SUCCESS")).resolves.toMatchObject({
      method: "BANK_TRANSFER_WIRE",
      linkedAccountId: id,
    });
    await expect(world.balance(business, wallet)).resolves.toBe("60.00");
  });

  test("is shown in both lists, with the application token it came through", async () => {
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

  test("takes the label for the nickname where none is given", async () => {
    const withoutName = dataOf(await link(), 200).id;
    const withName = dataOf(await linkData({ nickName: "Mine" }), 200).id;
    const nameOf = async (_id: string) =>
      (await database.collection("linked_accounts").findOne({ _id: _id as never }))?.nickName;
    expect([await nameOf(withoutName), await nameOf(withName)]).toEqual(["Main account", "Mine"]);
  });

  test("a business is known by its name, and a person's name is not kept with it", async () => {
    const data = { recipientType: "business", name: "Engines Ltd", wanted: "planted" };
    const { id } = dataOf(await linkData(data), 200);
    const instrument = await world.call("accounts.instrument", { linkedAccountId: id });
    expect(instrument.data).toMatchObject({ recipientType: "business", name: "Engines Ltd" });
    for (const absent of ["firstName", "lastName", "wanted", "nickName"]) {
      expect(instrument.data).not.toHaveProperty(absent);
    }
  });

  test("opens the entity's wallet in the token's currency where there is none", async () => {
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

  test("does not spend a PAYOUT token, and is over once a payout has", async () => {
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

  test("leaves neither token nor number in the database in the clear", async () => {
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

describe("who may", () => {
  test("the token's entity and its merchant; everybody else hears of no token", async () => {
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

  test("the business for a wallet of its own", async () => {
    const own = await world.applicationToken(business, business);
    const { id } = dataOf(await link({ token: own, as: business }), 200);
    const found = await database.collection("linked_accounts").findOne({ _id: id });
    expect(found).toMatchObject({ entityId: business.id, entityType: "BUSINESS" });
  });

  test("nobody without a bearer token, or with an admin's", async () => {
    for (const as of [{ token: "" }, { token: world.tokens.admin(randomUUID()) }]) {
      expect(brief(await link({ as }))).toEqual([401, refused("Unauthorized")]);
    }
  });
});

describe("the order of refusals", () => {
  test("401, 400 of the step, 404, 400 of the token, of the currency, of the body, 409", async () => {
    const expired = await expiredToken();
    const wrong = { body: {}, currency: "XXX" };
    const steps: [Request, unknown][] = [
      [{ ...wrong, step: "2", token: "none", as: { token: "" } }, [401, refused("Unauthorized")]],
      [{ ...wrong, step: "2", token: "none" }, [400, refused("step must be 1")]],
      [{ ...wrong, token: "none" }, NOT_FOUND],
      [{ ...wrong, token: expired }, NOT_VALID],
      [wrong, [400, refused("currency must be the application token's")]],
      [{ body: {} }, [400, refused(expect.stringMatching(/^label must be .*; data must be /))]],
    ];
    const body = internationalBody();
    dataOf(await link({ body }), 200);
    steps.push([{ body }, [409, refused("This account is already linked to the wallet")]]);
    await storesNothing(async () => {
      for (const [request, expected] of steps) {
        expect(brief(await link(request))).toEqual(expected);
      }
    });
  });

  test.each(["0", "2", "11", "1.0", "%201", "one", "null", "a".repeat(3_000)])(
    "step %s is a 400",
    async (step) => {
      expect(brief(await link({ step }))).toEqual([400, refused("step must be 1")]);
    },
  );

  test("a token that is expired, of another kind or none at all is no good", async () => {
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
      expect(brief(await link({ currency }))).toEqual([400, refused(message)]);
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
    "a\u200fb",
    "a\u202eb",
    "\u2066a",
  ];
  const required: [string, Record<string, unknown>][] = [
    ...Object.keys(person).map((name): [string, object] => [name, person]),
    ["name", company],
  ] as [string, Record<string, unknown>][];

  test.each(required)("data.%s is refused in every wrong form, by its name", async (name, data) => {
    await storesNothing(async () => {
      for (const value of never) {
        const body = { label: "Main account", data: { ...data, [name]: value } };
        const { status, body: answer } = await link({ body });
        expect([value, status, answer]).toEqual([
          value,
          400,
          refused(expect.stringMatching(new RegExp(`^data\\.${name} must be [^;]*$`))),
        ]);
      }
    });
  });

  test("label and nickName likewise, but that a nickname may be left out", async () => {
    await storesNothing(async () => {
      for (const value of never) {
        const { data } = internationalBody();
        const label = await link({ body: { label: value, data } });
        expect(brief(label)).toEqual([
          400,
          refused(expect.stringMatching(/^label must be [^;]*$/)),
        ]);
        if (value === undefined) continue;
        expect(brief(await linkData({ nickName: value }))).toEqual([
          400,
          refused(expect.stringMatching(/^data\.nickName must be [^;]*$/)),
        ]);
      }
    });
  });

  test.each([null, "x", 7, [], [person]])("data %p is no object", async (data) => {
    const { status, body } = await link({ body: { label: "Main account", data } });
    expect([status, body]).toEqual([400, refused("data must be an object")]);
  });

  test.each(["Personal", "company", "__proto__", "constructor"])(
    "recipientType %s is neither of the two",
    async (recipientType) => {
      const { status, body } = await linkData({ recipientType, name: "Engines Ltd" });
      const message = "data.recipientType must be one of personal, business";
      expect([status, body]).toEqual([400, refused(message)]);
    },
  );

  test("everything that is wrong is named at once", async () => {
    const wrong = { firstName: "", email: "x", swiftOrBic: "COBADEFF", recipientCity: 7 };
    const { data } = internationalBody({ ...wrong, accountNumber: "1-2" });
    const { status, body } = await link({ body: { data } });
    expect(status).toBe(400);
    for (const name of ["label", ...Object.keys(wrong).map((field) => `data.${field}`)]) {
      expect(body.message).toContain(`${name} must be`);
    }
    expect(body.message).not.toContain("COBADEFF");
  });

  test("names in scripts that are written from right to left are names", async () => {
    const names = {
      firstName: "\u05e2\u05d3\u05d4",
      lastName: "\u0644\u0627\u0641\u0644\u064a\u0633",
    };
    dataOf(await linkData(names), 200);
  });
});

describe("IBANs", () => {
  // The examples of the IBAN registry, release 103 (September 2026): one of each country in it.
  const REGISTRY = `
    AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741
    AT611904300234573201 AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034
    BG80BNBG96611020345678 BH67BMAG00001299123456 BI4210000100010000332045181
    BR6699999A03000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
    CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399
    DE89370400440532013000 DJ2100010000000154000100186 DK5000400440116243
    DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002
    ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
    FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917
    GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695
    GT82TRAJ01020000001210029690 HN88CABF00000000000250005469 HR1210010051863000160
    HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
    IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456
    JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101 KZ86125KZT5004100100
    LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA
    LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 LY83002048000020100120361
    MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951
    MK07250120000058984 MN121234123456789123 MR1300020001010000123456753
    MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NI45BAPR00000013000003558124
    NL91ABNA0417164300 NO9386011117947 OM810180000001299123456 PK36SCBL0000001123456702
    PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154
    QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379
    RU0304452522540817810538091310419 SA0380000000608010167519 SC18SSCB11010000000000001497USD
    SD2129010501234001 SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541
    SM86U0322509800000000270100 SO211000001001000100141 ST23000100010051845310146
    SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831
    TR330006100519786457841326 UA213223130000026007233566001 VA59001123000012345678
    VG96VPVG0000012345678901 XK051212012345678906 YE15CBYE0001018861234567891234`
    .trim()
    .split(/\s+/);

  const linkIban = (iban: string, country = iban.slice(0, 2), bicCountry = country) =>
    linkData({
      accountNumber: iban,
      recipientCountry: country,
      swiftOrBic: `BANK${bicCountry}2L`,
    });
  const ofCountry =
    "data.accountNumber must be an IBAN of recipientCountry (length, structure and check digits)";

  test("every country of the registry is known, and none is left without", async () => {
    expect(new Set(REGISTRY.map((iban) => iban.slice(0, 2))).size).toBe(89);
    for (const iban of REGISTRY) {
      expect([iban, (await linkIban(iban)).status]).toEqual([iban, 200]);
      const local = await linkIban("123456789012", iban.slice(0, 2));
      expect([iban, local.status, local.body]).toEqual([iban, 400, refused(ofCountry)]);
    }
  });

  test("one digit less, more, or other, and a letter for a digit are all refused", async () => {
    await storesNothing(async () => {
      for (const iban of ["DE89370400440532013000", "NO9386011117947", "GB29NWBK60161331926819"]) {
        const last = Number(iban.at(-1));
        const wrong = [
          iban.slice(0, -1),
          `${iban}0`,
          `${iban.slice(0, -1)}${(last + 1) % 10}`,
          `${iban.slice(0, 4)}${iban.slice(5)}${iban[4]}`,
          checked(iban.slice(0, 2), `${iban.slice(4, -1)}A`),
          checked(iban.slice(0, 2), `${iban.slice(4)}0`),
          `${iban.slice(0, 2)}XX${iban.slice(4)}`,
        ];
        for (const each of wrong) {
          const { status, body } = await linkIban(each, iban.slice(0, 2));
          expect([each, status, body]).toEqual([each, 400, refused(ofCountry)]);
        }
      }
    });
  });

  test("one of another country is refused, also where that country has local numbers", async () => {
    await storesNothing(async () => {
      for (const country of ["FR", "US", "MA"]) {
        const { status, body } = await linkIban("DE89370400440532013000", country);
        expect([status, body]).toEqual([
          400,
          refused(expect.stringMatching(/^data.accountNumber/)),
        ]);
      }
    });
  });

  test("national check digits are the bank's to judge", async () => {
    const iban = checked("BE", "539007547035");
    expect((await linkIban(iban)).status).toBe(200);
  });

  test("a country that uses IBANs beside local numbers takes both, and no IBAN that is wrong", async () => {
    const morocco = checked("MA", "011519000001205000534921");
    expect((await linkIban(morocco)).status).toBe(200);
    expect((await linkIban("011519000001205000534999", "MA")).status).toBe(200);
    const wrong = `MA${morocco.slice(2, -1)}${(Number(morocco.at(-1)) + 1) % 10}`;
    const { status, body } = await linkIban(wrong, "MA");
    expect([status, body]).toEqual([400, refused(`${ofCountry}, or a local account number`)]);
  });

  test.each([
    ["GG", "GB", "GG"],
    ["JE", "GB", "GB"],
    ["IM", "GB", "IM"],
    ["GP", "FR", "FR"],
    ["RE", "FR", "RE"],
    ["NC", "FR", "NC"],
    ["AX", "FI", "FI"],
    ["SJ", "NO", "NO"],
  ])(
    "in %s an IBAN begins with %s, and the BIC may be of %s",
    async (country, code, bicCountry) => {
      const digits = String(Math.floor(Math.random() * 1e8)).padStart(8, "0");
      const bban: Record<string, string> = {
        GB: `NWBK601613${digits}`,
        FR: `2004101005${digits}M0260`,
        FI: `123456${digits}`,
        NO: `860${digits}`,
      };
      const iban = checked(code, bban[code] as string);
      expect((await linkIban(iban, country, bicCountry)).status).toBe(200);
      const own = checked(country, bban[code] as string);
      expect((await linkIban(own, country, bicCountry)).status).toBe(400);
      expect((await linkIban(iban, country, "DE")).body).toEqual(
        refused("data.swiftOrBic must be a BIC of recipientCountry"),
      );
    },
  );

  /** An IBAN with the check digits that ISO 13616 gives it. */
  function checked(country: string, bban: string): string {
    const digits = Array.from(`${bban}${country}00`, (letter) => Number.parseInt(letter, 36));
    const check = 98n - (BigInt(digits.join("")) % 97n);
    return `${country}${String(check).padStart(2, "0")}${bban}`;
  }
});

describe("BICs, countries and local numbers", () => {
  test.each([
    ["swiftOrBic", "CHASUS3", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "CHASUS33X", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "CHASUS33XXXX", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "CHASZZ33", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "CH4SUS33", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "CHAS-US33", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "\u0421HASUS33", "a BIC of 8 or 11 characters"],
    ["swiftOrBic", "BARCGB22", "a BIC of recipientCountry"],
    ["swiftOrBic", "BPPRPRSX", "a BIC of recipientCountry"],
    ["recipientCountry", "ZZ", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "UK", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "EU", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "USA", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "840", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "United States", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "\ufb01", "an ISO 3166-1 alpha-2 country code"],
    ["recipientCountry", "__proto__", "an ISO 3166-1 alpha-2 country code"],
    ["accountNumber", "123", LOCAL()],
    ["accountNumber", "1".repeat(35), LOCAL()],
    ["accountNumber", "12-34", LOCAL()],
    ["accountNumber", "12.34", LOCAL()],
    ["accountNumber", "\uff11\uff12\uff13\uff14", LOCAL()],
    ["accountNumber", "1234\t5678", LOCAL()],
  ])("%s %p is refused", async (name, value, says) => {
    await storesNothing(async () => {
      const { status, body } = await linkData({ [name]: value });
      expect([status, body]).toEqual([400, refused(`data.${name} must be ${says}`)]);
    });
  });

  function LOCAL(): string {
    return "an IBAN, or a local account number of 4 to 34 letters and digits";
  }

  test("spaces of every kind and lower case are taken, and gone before anything is compared", async () => {
    const { data } = internationalBody();
    const number = `ab${data.accountNumber}`;
    dataOf(await linkData({ accountNumber: number }), 200);
    const loosely = {
      accountNumber: ` aB\u00a0${number.slice(2, 6)} ${number.slice(6)}\u202f`,
      swiftOrBic: "chas us\u00a033 xxx",
      recipientCountry: " us",
    };
    expect((await linkData(loosely)).status).toBe(409);
  });

  test("local numbers have 4 to 34 letters and digits", async () => {
    const random = randomUUID().replaceAll("-", "").toUpperCase();
    for (const accountNumber of [random.slice(0, 4), `${random}AB`]) {
      expect((await linkData({ accountNumber })).status).toBe(200);
    }
  });

  test.each([
    ["PR", "BPPRPRSX"],
    ["PR", "CHASUS33"],
    ["GU", "BKGUGUGM"],
    ["NG", "FBNINGLA"],
    ["CA", "ROYCCAT2XXX"],
    ["JP", "BOTKJPJT"],
  ])("an account in %s has a BIC such as %s", async (recipientCountry, swiftOrBic) => {
    expect((await linkData({ recipientCountry, swiftOrBic })).status).toBe(200);
  });
});

describe("the same account", () => {
  test("is linked once to a wallet, whatever else is said of it, and again after an unlink", async () => {
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

  test("an IBAN is the same account whichever BIC is given with it", async () => {
    const iban = { accountNumber: "NL02ABNA0123456789", recipientCountry: "NL" };
    dataOf(await linkData({ ...iban, swiftOrBic: "ABNANL2A" }), 200);
    expect((await linkData({ ...iban, swiftOrBic: "INGBNL2A" })).status).toBe(409);
  });

  test("is linked once however many race for it", async () => {
    const body = internationalBody();
    const payee = await world.user(business);
    const own = await world.applicationToken(business, payee);
    const race = Array.from({ length: 10 }, () => link({ token: own, as: payee, body }));
    const statuses = (await Promise.all(race)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(409)]);
    await expect(walletsOf(payee.id)).resolves.toBe(1);
  });
});
