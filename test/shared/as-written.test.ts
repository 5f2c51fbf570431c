// Values as people, phones and password managers write them: the checkout page and the API read
// them by the same rules, and keep them in one form.

import { randomInt } from "node:crypto";
import { readDigits, readExpiry, readPhone, tidy } from "../../shared/as-written.js";
import { customerFields, payments } from "../../shared/contracts/payments.ts";

const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
let state = seed;
/** Numbers from 0 to n - 1 (mulberry32). */
function random(n: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

const MARKS = Array.from(
  "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff\u00ad",
);
const BLANKS = Array.from(" \u00a0\u2009\u202f\u3000\t");
const HYPHENS = Array.from("-\u2010\u2011\u2012\u2013\u2014\u2212\uff0d\ufe63");
/** The digits 0 to 9 of every system of numerals that has its own. */
const NUMERALS = Intl.supportedValuesOf("numberingSystem")
  .map((nu) => {
    const format = new Intl.NumberFormat(`en-u-nu-${nu}`, { useGrouping: false });
    return Array.from({ length: 10 }, (_, digit) => format.format(digit));
  })
  .filter((digits) => digits.every((digit) => /^\p{Nd}$/u.test(digit)));

/** The same value as a phone, a contact or a password manager may paste it. */
function writtenElsewhere(value: string): string {
  const digits = pick(NUMERALS);
  const changed = Array.from(value, (each) => {
    const own = /\d/.test(each) ? digits[Number(each)] : each;
    const alike = own === " " ? pick(BLANKS) : own === "-" ? pick(HYPHENS) : own;
    return random(6) === 0 ? `${pick(MARKS)}${alike}` : alike;
  });
  return `${pick(["", ...MARKS, ...BLANKS])}${changed.join("")}${pick(["", ...MARKS, ...BLANKS])}`;
}

test("every system of numerals is read", () => {
  expect(NUMERALS.length).toBeGreaterThan(50);
  for (const digits of NUMERALS) expect(readDigits(digits.join(""))).toBe("0123456789");
});

describe("a phone number", () => {
  test.each([
    ["+1 555 0100", "+1 555 0100"],
    ["\u202a+1 555 0100\u202c", "+1 555 0100"],
    ["\u2068+1 555 0100\u2069", "+1 555 0100"],
    ["\u200e+1\ufe0d 555 0100", "+1 555 0100"],
    ["+33\u202f1\u00a099\u202f00\u202f12\u202f34", "+33 1 99 00 12 34"],
    ["+49\u201130\u2013901820", "+49-30-901820"],
    ["030/901820", "030 901820"],
    ["+49 30 / 901820", "+49 30 901820"],
    ["+49 (0)30 901820-0", "+49 (0)30 901820-0"],
    ["(+49) 30 901820", "+49 30 901820"],
    ["(030) 901820", "(030) 901820"],
    ["0049.30.901820", "0049.30.901820"],
    ["+1 555 0100 ext. 5", "+1 555 0100 ext. 5"],
    ["+1 555 0100x5", "+1 555 0100 ext. 5"],
    ["+1 555 0100 #5", "+1 555 0100 ext. 5"],
    ["+1 (555) 555-0100,5", "+1 (555) 555-0100 ext. 5"],
    ["+1 555 0100,,5", "+1 555 0100 ext. 5"],
    ["+1 555 0100;5", "+1 555 0100 ext. 5"],
    ["01 99 00 12 34 poste 567", "01 99 00 12 34 ext. 567"],
    ["tel:+1-555-0100", "+1-555-0100"],
    ["tel:+1-555-0100;ext=5", "+1-555-0100 ext. 5"],
    ["Tel.: 030 901820", "030 901820"],
    ["☎ 030 901820", "030 901820"],
    ["٠٣٠ ٩٠١٨٢٠", "030 901820"],
    ["＋４９（０）３０－９０１８２０", "+49(0)30-901820"],
    ["4300", "4300"],
  ])("%j is read as %j, by the page and by the API", (given, kept) => {
    expect(readPhone(given)).toBe(kept);
    expect(readPhone(kept)).toBe(kept);
    const { pattern, maxLength } = phoneSchema();
    expect(kept).toMatch(new RegExp(pattern, "u"));
    expect(kept.length).toBeLessThanOrEqual(maxLength);
  });

  test.each(
    [
      ["", "----", "( ) ( )", "....", ".( )", "call me", "+", "123", "1-2-3", "\u200e\u200f"],
      ["++49 30 901820", "+49 30 901820, 5", "ada@example.com", "1 555 0100 or 555 0101"],
      ["1".repeat(49), `${" ".repeat(300)}4300`],
    ].flat(),
  )("%j is none", (given) => {
    expect(readPhone(given)).toBeNull();
  });

  test(`however it is written, it is kept in the same form (SEED=${seed})`, () => {
    for (let i = 0; i < 2_000; i++) {
      const number = pick(["+1 555 0100", "030-901820", "(030) 901 820", "+49 (0)30 90-18.20"]);
      const given = writtenElsewhere(number);
      expect([given, readPhone(given)]).toEqual([given, number]);
    }
  });
});

describe("the expiry date of a card", () => {
  const forms = ["12/40", "12 / 40", "12/2040", "12 / 2040", "12-40", "12.40", "12 40", "1240"];
  const years = ["2040-12", "2040/12", "2040.12", "2040 12", "204012", "122040", "2040-12-31"];

  test.each([...forms, ...years, "12\u20442040", "１２／４０", "٢٠٤٠-١٢"])(
    "%j is read",
    (given) => {
      expect(readExpiry(given)).toEqual({ month: 12, year: 2040 });
    },
  );

  test.each(["1/40", "01/40", "0140", "2040-1", "2040-01", "204001"])("%j is January", (given) => {
    expect(readExpiry(given)).toEqual({ month: 1, year: 2040 });
  });

  test.each(["", "13/40", "00/40", "2040-13", "2040", "12", "140", "12/4", "12/040", "12/1940"])(
    "%j is none",
    (given) => expect(readExpiry(given)).toBeNull(),
  );

  test(`however it is written, it is the same (SEED=${seed})`, () => {
    for (let i = 0; i < 2_000; i++) {
      const given = writtenElsewhere(pick([...forms, ...years]));
      expect([given, readExpiry(given)]).toEqual([given, { month: 12, year: 2040 }]);
    }
  });
});

describe("a card's number", () => {
  test(`however it is written, the API reads its digits (SEED=${seed})`, () => {
    const read = payments["payment-links.createCardToken"].params.number.rule.check as (
      value: string,
      errors: unknown[],
    ) => string | null;
    for (let i = 0; i < 500; i++) {
      const given = writtenElsewhere(pick(["4242 4242 4242 4242", "4242-4242-4242-4242"]));
      expect([given, read(given, [])]).toEqual([given, "4242424242424242"]);
    }
  });
});

describe("a text", () => {
  test.each([
    ["דוד\u200f", "דוד"],
    ["Ada\u200e", "Ada"],
    ["Ada\tB", "Ada B"],
    ["\u2068 Ada \u2069", "Ada"],
    ["\ufeffAda\u0000", "Ada"],
    ["A\r\nB", "A B"],
    ["a\ud800b", "ab"],
    ["\u200b", ""],
    ["\u3164\u00a0\u200d", ""],
    // Joiners and selectors have a look in scripts and emoji.
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["👩\u200d👩\u200d👧 ❤\ufe0f", "👩\u200d👩\u200d👧 ❤\ufe0f"],
    ["Zoë O’Neil-Łuk", "Zoë O’Neil-Łuk"],
  ])("%j is sent as %j", (given, sent) => {
    expect(tidy(given)).toBe(sent);
    expect(tidy(sent)).toBe(sent);
  });
});

/** The form of a phone number in the OpenAPI document. */
function phoneSchema() {
  const { schema } = customerFields.phone;
  const [inDocument] = Object.getOwnPropertySymbols(schema);
  const { keywords } = schema[inDocument as never] as { keywords: { pattern: string } };
  return { pattern: keywords.pattern, maxLength: schema.maxLength as number };
}
