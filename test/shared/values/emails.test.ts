// Email addresses: valid by the HTML standard, domains in A-labels, and one form by which a person
// is found.

import { checker } from "../../../shared/contracts/checker.ts";
import { email, storedEmail } from "../../../shared/contracts/fields.ts";
import { isSameEmail } from "../../../shared/email.ts";
import { faultsOf } from "../../support/faults.ts";
import { seeded } from "../../support/traffic.ts";

const check = checker({ email: email() });
const read = (given: string) => check({ email: given }).email;
const DOMAIN = "has no valid domain after the @";
const LOCAL =
  "has other characters before the @ than letters from a to z, digits and !#$%&'*+-/=?^_`{|}~.";
const TURNS =
  "has a character that turns the direction of writing, so that it could be read as another text";

const label = "x".repeat(63);

test.each([
  ["ada@example.com", "ada@example.com"],
  ["Ada.Lovelace+shop@Example.COM", "Ada.Lovelace+shop@Example.COM"],
  ["!#$%&'*+-/=?^_`{|}~.@example.com", "!#$%&'*+-/=?^_`{|}~.@example.com"],
  [".ada..l.@example.com", ".ada..l.@example.com"],
  ["ada@localhost", "ada@localhost"],
  ["ada@example.xn--p1ai", "ada@example.xn--p1ai"],
  ["ada@xn--e1afmkfd.xn--p1ai", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@пример.рф", "ada@xn--e1afmkfd.xn--p1ai"],
  ["ada@почта.рф", "ada@xn--80a1acny.xn--p1ai"],
  ["ada@münchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@mu\u0308nchen.de", "ada@xn--mnchen-3ya.de"],
  ["ada@MÜNCHEN.de", "ada@xn--mnchen-3ya.de"],
  ["ada@bücher.example", "ada@xn--bcher-kva.example"],
  ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"],
  ["ada@fass.xn--fiqs8s", "ada@fass.xn--fiqs8s"],
  ["ada@a-1.b2.co", "ada@a-1.b2.co"],
  [`ada@${label}.com`, `ada@${label}.com`],
  [" ada@example.com\u00a0", "ada@example.com"],
  ["\u202aada@example.com\u202c", "ada@example.com"],
  [`${"a".repeat(242)}@example.com`, `${"a".repeat(242)}@example.com`],
])("%.60p is read", (given, expected) => {
  expect(read(given)).toBe(expected);
  expect(read(expected)).toBe(expected);
});

test.each([
  ["", "is empty"],
  [" ", "is empty"],
  ["ada", "has no @"],
  ["ada＠example.com", "has no @"],
  ["@example.com", "has nothing before the @"],
  ["ada@b@example.com", "has more than one @"],
  ["büro@example.de", LOCAL],
  ["ａｄａ@example.com", LOCAL],
  ["ﬁona@example.com", LOCAL],
  ["①@example.com", LOCAL],
  ["ªda@example.com", LOCAL],
  ['"ada b"@example.com', LOCAL],
  ["ada b@example.com", LOCAL],
  ["ada@", DOMAIN],
  ["ada@example..com", DOMAIN],
  ["ada@example.com.", DOMAIN],
  ["ada@.com", DOMAIN],
  ["ada@-example.com", DOMAIN],
  ["ada@-x-.com", DOMAIN],
  ["ada@x-.com", DOMAIN],
  [`ada@${label}x.com`, DOMAIN],
  ["ada@exa_mple.com", DOMAIN],
  ["ada@[127.0.0.1]", DOMAIN],
  ["ada@example.com:25", DOMAIN],
  ["ada@é%41.com", DOMAIN],
  ["ada@é/x.com", DOMAIN],
  ["ada@xn--é.com", DOMAIN],
  ["ada@é..com", DOMAIN],
  [`ada@${"é".repeat(60)}.com`, DOMAIN],
  ["ad\u200ba@example.com", "has a character that is not seen"],
  ["ad\u00ada@example.com", "has a character that is not seen"],
  ["ada@exam\u00adple.com", "has a character that is not seen"],
  ["ada@exa\u200dmple.com", "has a character that is not seen"],
  ["ada@example\u200e.com", "has a character that is not seen"],
  ["ada@example.com\u200f", "has a character that is not seen"],
  ["ada@example.com\ufe0f", "has a character that is not seen"],
  ["ada\u202e@example.com", TURNS],
  ["ada\t@example.com", "has a control character, such as a tab or a line break"],
  [`${"a".repeat(243)}@example.com`, "has 255 characters"],
  [7, "is a number"],
  [null, "is null"],
  [undefined, "is missing"],
])("%.60p is refused with its fault", (given, fault) => {
  expect(faultsOf(check, { email: given })).toEqual([
    `email must be an email address, but ${fault}`,
  ]);
});

test("the HTML standard's pattern accepts what is read, whatever is written", () => {
  const random = seeded();
  const html =
    /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
  const pieces = [
    "a",
    "b",
    "c",
    "d",
    "-",
    ".",
    "@",
    "é",
    "e\u0301",
    "\u200b",
    "ａ",
    "。",
    "%41",
    "[",
    " ",
    "ß",
    "٣",
  ];
  let accepted = 0;
  for (let i = 0; i < 5_000; i += 1) {
    const part = () => Array.from({ length: 3 }, () => random.oneOf(pieces)).join("");
    const given = `a${part()}@b${part()}.com`;
    const isAscii = /^\p{ASCII}*$/u.test(given);
    const faults = faultsOf(check, { email: given });
    if (isAscii) expect([given, faults.length === 0]).toEqual([given, html.test(given)]);
    if (faults.length > 0) continue;
    accepted += 1;
    expect(read(given)).toMatch(html);
    expect(read(read(given))).toBe(read(given));
  }
  expect(accepted).toBeGreaterThan(20);
});

test("two addresses are one person's in any case and in any normal form, and only then", () => {
  const one = "Ada.É@Example.com";
  for (const other of ["ada.é@example.com", one.normalize("NFD"), one.toUpperCase()]) {
    expect([other, isSameEmail(other, one)]).toEqual([other, true]);
  }
  for (const other of ["ad\u00ada", "ａｄａ", "ad\u200ba", "ªda", "adá", "аda"]) {
    expect(isSameEmail(`${other}@example.com`, "ada@example.com")).toBe(false);
  }
});

test("a person is looked up by an address as earlier releases stored it, too", () => {
  const find = checker({ email: storedEmail() });
  for (const given of [
    "büro@example.de",
    "ad\u200ba@example.com",
    '"a b"@example.com',
    "a@-x-.com",
  ]) {
    expect(find({ email: given })).toEqual({ email: given });
  }
  expect(find({ email: " Ada@München.de " })).toEqual({ email: "Ada@xn--mnchen-3ya.de" });
  expect(faultsOf(find, { email: "ada" })).toEqual([
    "email must be an email address, but has no @",
  ]);
});
