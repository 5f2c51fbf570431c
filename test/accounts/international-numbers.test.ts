// The IBANs, BICs, countries and local numbers of an international bank account
// (docs/integrate/rest-api.md, International accounts; ISO 13616, ISO 9362, ISO 3166-1) in every
// notation, and the notations of the same account.

import { randomInt, randomUUID } from "node:crypto";
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
  user = await world.user(business);
  token = await world.applicationToken(business, user);
});
afterAll(async () => {
  await database.close();
  await world.stop();
});

/** Links a valid account with these data in place of its own. */
function linkData(data: Record<string, unknown>): Promise<Answer> {
  return world.linkInternational(user, token, internationalBody(data));
}

/** Asserts that the refusals store no document. */
async function storesNothing(refusals: () => Promise<void>): Promise<void> {
  const stored = () => database.collection("linked_accounts").countDocuments({});
  const before = await stored();
  await refusals();
  expect(await stored()).toBe(before);
}

describe("IBANs", () => {
  // The examples of the IBAN registry, release 103 (September 2026): one of each of its countries.
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
    "data.accountNumber must be an IBAN of the BIC's country (length, structure and check digits)";

  test("every country of the registry is known and has an example", async () => {
    expect(new Set(REGISTRY.map((iban) => iban.slice(0, 2))).size).toBe(89);
    for (const iban of REGISTRY) {
      expect([iban, (await linkIban(iban)).status]).toEqual([iban, 200]);
      const local = await linkIban("123456789012", iban.slice(0, 2));
      expect([iban, local.status, local.body]).toEqual([iban, 400, refusal(ofCountry)]);
    }
  });

  test("a digit less, more or changed, and a letter for a digit are refused", async () => {
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
          expect([each, status, body]).toEqual([each, 400, refusal(ofCountry)]);
        }
      }
    });
  });

  const ofIban = "data.swiftOrBic must be a BIC of the IBAN's country";

  test("need a BIC of their country, also if the BIC's country has local numbers", async () => {
    await storesNothing(async () => {
      for (const country of ["FR", "US", "MA"]) {
        const { status, body } = await linkIban("DE89370400440532013000", "DE", country);
        expect([status, body]).toEqual([400, refusal(ofIban)]);
      }
    });
  });

  test.each(["DE", "US", "GP", "JP"])(
    "are accepted of a holder who lives in %s",
    async (country) => {
      const digits = String(Math.floor(Math.random() * 1e11)).padStart(11, "0");
      const lithuanian = checked("LT", `10000${digits}`);
      expect((await linkIban(lithuanian, country, "LT")).status).toBe(200);
      expect((await linkIban(lithuanian, country, "LT")).status).toBe(409);
      expect((await linkIban(lithuanian, "LT", country)).body).toEqual(refusal(ofIban));
    },
  );

  test.each([
    "BR51A1B2C3D4000010009795493C1",
    "CI93CI0080111301134291200589",
    "PK68CHMRB2C3D4Z9A1B2C3D4",
    "PS83CHMRB2C3D4Z9A1B2C3D4Z9A1B",
  ])("are accepted with letters where the country has them: %s", async (iban) => {
    expect((await linkIban(iban)).status).toBe(200);
  });

  test("of another structure than their country's are no local numbers in any country", async () => {
    const changed = checked("DE", "37040044A532013000");
    expect((await linkIban(changed, "US")).status).toBe(400);
    expect((await linkIban(changed, "MA")).status).toBe(400);
  });

  test("are accepted without a check of national check digits, which is the bank's task", async () => {
    const iban = checked("BE", "539007547035");
    expect((await linkIban(iban)).status).toBe(200);
  });

  test("and local numbers are accepted in a country that uses both, but no wrong IBAN", async () => {
    const morocco = checked("MA", "011519000001205000534921");
    expect((await linkIban(morocco)).status).toBe(200);
    expect((await linkIban("011519000001205000534999", "MA")).status).toBe(200);
    const wrong = `MA${morocco.slice(2, -1)}${(Number(morocco.at(-1)) + 1) % 10}`;
    const { status, body } = await linkIban(wrong, "MA");
    expect([status, body]).toEqual([400, refusal(`${ofCountry}, or a local account number`)]);
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
  ])("in %s begin with %s, and the BIC may be of %s", async (country, code, bicCountry) => {
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
    expect((await linkIban(iban, country, "DE")).body).toEqual(refusal(ofIban));
  });

  test("with check digits outside 02 to 98 are refused, even with the right remainder", async () => {
    // Among a hundred accounts one each has 97, 98 and 02, which modulo 97 are 00, 01 and 99.
    const ibans = Array.from({ length: 400 }, (_, i) =>
      checked("DE", `370400440532${String(100_000 + i)}`),
    );
    for (const [right, wrong] of [
      ["97", "00"],
      ["98", "01"],
      ["02", "99"],
    ] as const) {
      const iban = ibans.find((each) => each.slice(2, 4) === right) as string;
      expect((await linkIban(iban)).status).toBe(200);
      expect((await linkIban(`DE${wrong}${iban.slice(4)}`)).body).toEqual(refusal(ofCountry));
    }
  });

  /** An IBAN with its check digits by ISO 13616. */
  function checked(country: string, bban: string): string {
    const digits = Array.from(`${bban}${country}00`, (letter) => Number.parseInt(letter, 36));
    const check = 98n - (BigInt(digits.join("")) % 97n);
    return `${country}${String(check).padStart(2, "0")}${bban}`;
  }
});

describe("BICs, countries and local numbers", () => {
  test.each(["WG11US33", "WG11US335AB", "1234US33XXX", "wg11 us33"])(
    "%s is a BIC: its first four characters are letters or digits",
    async (swiftOrBic) => expect((await linkData({ swiftOrBic })).status).toBe(200),
  );

  test.each([
    ["swiftOrBic", "CHASUS3", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "CHASUS33X", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "CHASUS33XXXX", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "CHASZZ33", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "CH4S1S33", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "CHAS-US33", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
    ["swiftOrBic", "\u0421HASUS33", "a BIC (ISO 9362) of 8 or 11 letters and digits"],
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
    ["accountNumber", "12_34", LOCAL()],
    ["accountNumber", "12.34", LOCAL()],
    ["accountNumber", "\uff11\uff12\uff13\uff14", LOCAL()],
    ["accountNumber", "1234\t5678", LOCAL()],
  ])("%s %p is refused", async (name, value, rule) => {
    await storesNothing(async () => {
      const { status, body } = await linkData({ [name]: value });
      expect([status, body]).toEqual([400, refusal(`data.${name} must be ${rule}`)]);
    });
  });

  function LOCAL(): string {
    return "an IBAN, or a local account number of 4 to 34 letters and digits";
  }

  test("a local number is refused at a bank in a country that has IBANs only", async () => {
    await storesNothing(async () => {
      for (const recipientCountry of ["GB", "US"]) {
        const body = { recipientCountry, swiftOrBic: "BARCGB22" };
        const rule =
          "data.accountNumber must be an IBAN of the BIC's country (length, structure and check digits)";
        expect((await linkData(body)).body).toEqual(refusal(rule));
      }
    });
  });

  test("spaces of every kind and lower case are accepted, and normalised before comparisons", async () => {
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

  test.each(["-", "\u2011", "\u2013", " - "])(
    "hyphens such as %j in a local number are left out",
    async (hyphen) => {
      const digits = randomInt(10 ** 12, 10 ** 13).toString();
      const accountNumber = [digits.slice(0, 2), digits.slice(2, 6), digits.slice(6)].join(hyphen);
      expect((await linkData({ accountNumber })).status).toBe(200);
      expect((await linkData({ accountNumber: digits })).status).toBe(409);
    },
  );

  test("a BIC for tests is accepted in the sandbox", async () => {
    const accountNumber = randomInt(10 ** 12, 10 ** 13).toString();
    expect((await linkData({ accountNumber, swiftOrBic: "CHASUS30" })).status).toBe(200);
  });

  test("local numbers have 4 to 34 letters and digits", async () => {
    const random = randomUUID().replaceAll("-", "").toUpperCase();
    for (const accountNumber of [random.slice(0, 4), `${random}AB`]) {
      expect((await linkData({ accountNumber })).status).toBe(200);
    }
  });

  test.each([
    ["PR", "BPPRPRSX"],
    ["US", "BPPRPRSX"],
    ["PR", "CHASUS33"],
    ["DE", "CHASUS33"],
    ["GU", "BKGUGUGM"],
    ["NG", "FBNINGLA"],
    ["CA", "ROYCCAT2XXX"],
    ["JP", "BOTKJPJT"],
  ])("an account in %s has a BIC such as %s", async (recipientCountry, swiftOrBic) => {
    expect((await linkData({ recipientCountry, swiftOrBic })).status).toBe(200);
  });
});
