// IBANs and BICs as they are linked and as they are written into files: one rule, for every country
// of the IBAN registry, in one process and in a process for each of the two.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { isBic } from "../../partners/account-numbers.ts";
import { accountId } from "../../partners/bank-files/iso20022/accounts.ts";
import { JUDGES, type Numbered } from "../support/account-numbers.ts";
import { seeded } from "../support/traffic.ts";

/** The structures of all countries of the registry, release 103: n digits, a capitals, c both. */
const REGISTRY = `
  AD 4n4n12c        AE 3n16n          AL 8n16c          AT 5n11n          AZ 4a20c
  BA 3n3n8n2n       BE 3n7n2n         BG 4a4n2n8c       BH 4a14c          BI 5n5n11n2n
  BR 8c5n10n1a1c    BY 4c4n16c        CH 5n12c          CR 4n14n          CY 3n5n16c
  CZ 4n16n          DE 8n10n          DJ 5n5n11n2n      DK 4n9n1n         DO 4c20n
  EE 2n14n          EG 4n4n17n        ES 4n4n1n1n10n    FI 3n11n          FK 2a12n
  FO 4n9n1n         FR 5n5n11c2n      GB 4a6n8n         GE 2a16n          GI 4a15c
  GL 4n9n1n         GR 3n4n16c        GT 4c20c          HN 4a20n          HR 7n10n
  HU 3n4n1n15n1n    IE 4a6n8n         IL 3n3n13n        IQ 4a3n12n        IS 4n2n6n10n
  IT 1a5n5n12c      JO 4a4n18c        KW 4a22c          KZ 3n13c          LB 4n20c
  LC 4a24c          LI 5n12c          LT 5n11n          LU 3n13c          LV 4a13c
  LY 3n3n15n        MC 5n5n11c2n      MD 2c18c          ME 3n13n2n        MK 3n10c2n
  MN 4n12n          MR 5n5n11n2n      MT 4a5n18c        MU 4a2n2n12n3n3a  NI 4a20n
  NL 4a10n          NO 4n6n1n         OM 3n16c          PK 4a16c          PL 8n16n
  PS 4a21c          PT 4n4n11n2n      QA 4a21c          RO 4a16c          RS 3n13n2n
  RU 9n5n15c        SA 2n18c          SC 4a2n2n16n3a    SD 2n12n          SE 3n16n1n
  SI 5n8n2n         SK 4n6n10n        SM 1a5n5n12c      SO 4n3n12n        ST 4n4n11n2n
  SV 4a20n          TL 3n14n2n        TN 2n3n13n2n      TR 5n1n16c        UA 6n19c
  VA 3n15n          VG 4a16n          XK 4n10n2n        YE 4a4n18c`
  .trim()
  .split(/\s{2,}/)
  .map((row) => row.split(" ") as [string, string]);
const SAMPLES_EACH = 40;

const random = seeded();
const CHARACTERS = { n: "0123456789", a: "AMZ", c: "059AMZ" };

function drawAccount(structure: string): string {
  return [...structure.matchAll(/(\d+)([nac])/g)]
    .map(([, count, kind]) =>
      Array.from({ length: Number(count) }, () => {
        return random.oneOf(Array.from(CHARACTERS[kind as keyof typeof CHARACTERS]));
      }).join(""),
    )
    .join("");
}

/** An IBAN with its check digits by ISO 13616. */
function checked(country: string, account: string): string {
  const digits = Array.from(`${account}${country}00`, (letter) => Number.parseInt(letter, 36));
  const check = 98n - (BigInt(digits.join("")) % 97n);
  return `${country}${String(check).padStart(2, "0")}${account}`;
}

interface Sample extends Numbered {
  isIban: boolean;
}

const samples = REGISTRY.flatMap(([country, structure]) =>
  Array.from({ length: SAMPLES_EACH }, (): Sample[] => {
    const number = checked(country, drawAccount(structure));
    const digit = (Number(number[3]) + 1) % 10;
    return [
      { country, number, isIban: true },
      { country, number: `${number.slice(0, 3)}${digit}${number.slice(4)}`, isIban: false },
      { country, number: number.slice(0, -1), isIban: false },
    ];
  }).flat(),
);

type Judged = keyof typeof JUDGES;

function judgeInProcess(judge: Judged): boolean[] {
  const program = join(import.meta.dirname, "account-number-process.ts");
  const input = JSON.stringify(samples);
  const env = { ...process.env, JUDGE: judge };
  return JSON.parse(execFileSync(process.execPath, [program], { input, env }).toString());
}

test("the table has every country of the registry", () => {
  expect(new Set(REGISTRY.map(([country]) => country)).size).toBe(89);
});

test.each<[Judged, string]>([
  ["linked", "one process"],
  ["written", "one process"],
  ["linked", "a process of its own"],
  ["written", "a process of its own"],
])("IBANs of all countries are %s as such in %s", async (judge, layout) => {
  const judged =
    layout === "one process" ? samples.map(await JUDGES[judge]()) : judgeInProcess(judge);
  const wrong = samples.filter(({ isIban }, index) => judged[index] !== isIban);
  expect(wrong).toEqual([]);
});

const nameOf = (number: string) => {
  const [inner] = accountId(number).content;
  return typeof inner === "object" ? inner.name : null;
};

test.each([
  // Release 103: letters in the bank's code; and the examples of banks of Côte d'Ivoire and
  // Senegal.
  ["BR51A1B2C3D4000010009795493C1", "BR"],
  ["CI93CI0080111301134291200589", "CI"],
  ["SN08SN0100152000048500003035", "SN"],
  ["PK68CHMRB2C3D4Z9A1B2C3D4", "PK"],
  ["PS83CHMRB2C3D4Z9A1B2C3D4Z9A1B", "PS"],
])("%s is linked and written as an IBAN", async (number, country) => {
  expect((await JUDGES.linked())({ number, country })).toBe(true);
  expect(nameOf(number)).toBe("IBAN");
});

test("a number of a country's later structure is written as an IBAN, and never linked as a local one", async () => {
  const linked = await JUDGES.linked();
  for (const [country, structure] of REGISTRY) {
    const changed = drawAccount(structure).replaceAll(/\d/g, () =>
      random.oneOf(Array.from("0123456789AZ")),
    );
    const number = checked(country, changed);
    expect([number, nameOf(number)]).toEqual([number, "IBAN"]);
    expect(linked({ number, country: "US" })).toBe(false);
  }
});

test.each(["000123456789", "DE89370400440532013001", "US12345678901234567890", "GB99"])(
  "%s is written as a local number",
  (number) => expect(nameOf(number)).toBe("Othr"),
);

test.each([
  ["DEUTDEFF", true],
  ["DEUTDEFF500", true],
  ["WG11US33", true],
  ["WG11US335AB", true],
  ["1234US33XXX", true],
  ["CHASXK33", true],
  ["CHASZZ33", false],
  ["CHAS1S33", false],
  ["CHASUS3", false],
  ["CHASUS33X", false],
  ["chasus33", false],
  ["", false],
])("%s is a BIC: %s", (code, is) => expect(isBic(code)).toBe(is));
