// Texts as people write and paste them: what falls away around them, what is refused and why, in
// every text of the contracts and in maps of texts.

import { checker } from "../../../shared/contracts/checker.ts";
import { textMap } from "../../../shared/contracts/compound-fields.ts";
import { contracts } from "../../../shared/contracts/contracts.ts";
import type { Field } from "../../../shared/contracts/field.ts";
import { text } from "../../../shared/contracts/fields.ts";
import { httpsUrl, imageUrl } from "../../../shared/contracts/url-fields.ts";
import { trimmed } from "../../../shared/texts.ts";
import { faultsOf } from "../../support/faults.ts";
import { type Random, seeded } from "../../support/traffic.ts";

const MARKS = ["\u200e", "\u200f", "\u061c"];
const WRAPPERS = ["\u202a", "\u202b", "\u202c", "\u2066", "\u2067", "\u2068", "\u2069"];
const OVERRIDES = ["\u202d", "\u202e"];
const TURNS =
  "has a character that turns the direction of writing, so that it could be read as another text";
const CONTROL = "has a control character, such as a tab or a line break";
const UNSEEN = "has only characters that are not seen";

/** Texts that are read, with what is stored. */
const READ: [string, string][] = [
  ["Ada", "Ada"],
  ["  Ada\u00a0\u202f", "Ada"],
  ["\tAda\n", "Ada"],
  ["דוד\u200f", "דוד\u200f"],
  ["Ada\u200e", "Ada\u200e"],
  ["\u2068Ada\u2069", "Ada"],
  ["\u202aAda Lovelace\u202c", "Ada Lovelace"],
  ["\u200b\ufeffAda\u2060", "Ada"],
  ["קורס C++\u200e!", "קורס C++\u200e!"],
  ["نص\u200cها", "نص\u200cها"],
  ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"],
  ["❤️", "❤️"],
  ["🏴\u{e0067}\u{e0062}\u{e007f}", "🏴\u{e0067}\u{e0062}\u{e007f}"],
  ["ﬁona ａｄａ", "ﬁona ａｄａ"],
];

/** Texts that are refused, with the fault. */
const REFUSED: [unknown, string][] = [
  [undefined, "is missing"],
  [null, "is null"],
  [7, "is a number"],
  [true, "is true or false"],
  [["Ada"], "is a list"],
  [{ toString: 1 }, "is an object"],
  ["", "is empty"],
  [" \u00a0\t", "is empty"],
  ["\u200b", "is empty"],
  ["\u2068\u2069", "is empty"],
  ...MARKS.map((mark): [string, string] => [` ${mark}`, UNSEEN]),
  ["\u00ad", UNSEEN],
  ["\u3164\u115f", UNSEEN],
  ["\u2800", UNSEEN],
  ["\u200d\ufe0f", UNSEEN],
  ["Ada\tB", CONTROL],
  ["Ada\nB", CONTROL],
  ["Ada\u0000", CONTROL],
  ["Ada\u0085B", CONTROL],
  ["Ada\ud800", "has half of a character (a lone surrogate)"],
  ...OVERRIDES.map((mark): [string, string] => [`${mark}Ada`, TURNS]),
  ...[...OVERRIDES, ...WRAPPERS].map((mark): [string, string] => [`A${mark}da`, TURNS]),
];

/** The plain texts among the parameters of all actions. */
const textFields = Object.entries(contracts).flatMap(([action, { params }]) =>
  Object.entries(params as Record<string, Field>)
    .filter(([, { expectation }]) => expectation.startsWith("a text of 1 to "))
    .map(([name, field]): [string, string, Field] => [action, name, field]),
);

test("the contracts have texts", () => {
  expect(textFields.length).toBeGreaterThan(20);
});

test.each(textFields)("%s reads and refuses %s by the rules of texts", (_, name, field) => {
  const required = { ...field, optional: false, rule: { ...field.rule, optional: false } };
  const { maxLength } = field.schema as { maxLength: number };
  const check = checker({ [name]: required });
  const bounds = `must be a text of 1 to ${maxLength} characters`;
  const longest = "👩".repeat(maxLength);
  const cases = READ.filter(([, stored]) => stored.length <= maxLength);
  for (const [given, stored] of [...cases, [longest, longest]]) {
    expect([given, check({ [name]: given })]).toEqual([given, { [name]: stored }]);
  }
  const tooLong: [string, string] = [`${longest}👩`, `has ${maxLength + 1} characters`];
  for (const [given, fault] of [...REFUSED, tooLong]) {
    expect([given, faultsOf(check, { [name]: given })]).toEqual([
      given,
      [`${name} ${bounds}, but ${fault}`],
    ]);
  }
});

test("a text that may be empty is empty if nothing of it is left", () => {
  for (const given of ["", " ", "\u200b", "\u2068"]) {
    expect(checker({ search: text({ min: 0, max: 64 }) })({ search: given })).toEqual({
      search: "",
    });
  }
});

/** Pieces of texts that meet in copied text. */
const PIECES = [
  "Ada",
  "ד",
  "é",
  "e\u0301",
  "👩‍👧",
  " ",
  "\u00a0",
  "\t",
  "\u200b",
  "\ud83d",
  "\u00ad",
];

function randomText(random: Random): string {
  const pieces = [...PIECES, ...MARKS, ...WRAPPERS, ...OVERRIDES];
  return Array.from({ length: random.below(7) }, () => random.oneOf(pieces)).join("");
}

test("a text that is read shows nothing but what it has, and is read again unchanged", () => {
  const random = seeded();
  const check = checker({ name: text() });
  for (let i = 0; i < 5_000; i += 1) {
    const given = randomText(random);
    const faults = faultsOf(check, { name: given });
    if (faults.length > 0) {
      expect(faults[0]).toMatch(/^name must be a text of 1 to 256 characters, but (is|has) [^,]+/);
      continue;
    }
    const { name } = check({ name: given });
    expect(name).toMatch(/[\p{L}\p{So}]/u);
    expect(name).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
    expect(given).toContain(name);
    expect(check({ name }).name).toBe(name);
  }
});

test("a long run of what falls away is read in one step for each character", () => {
  const spaces = " \u2068".repeat(130_000);
  expect(trimmed(`${spaces}Ada${spaces}B${spaces}`)).toBe(`Ada${spaces}B`);
});

describe("a map of texts", () => {
  const check = checker({ data: textMap({ max: 2 }) });

  test.each([
    [{ $ref: "x" }, "data.$ref must be another name: names that begin with $ are reserved"],
    [{ $: "x" }, "data.$ must be another name: names that begin with $ are reserved"],
    [{ _bsontype: "x" }, "data._bsontype must be another name: this one is reserved"],
    [
      { "": "x" },
      "data. must be an entry with a plain name of 1 to 256 characters, but its name is empty",
    ],
    [
      { ["n".repeat(257)]: "x" },
      `data.${"n".repeat(64)}… must be an entry with a plain name of 1 to 256 characters, but its name has 257 characters`,
    ],
    [
      { "a\tb": "x" },
      `data.a?b must be an entry with a plain name of 1 to 256 characters, but its name ${CONTROL}`,
    ],
    [{ a: 1 }, "data.a must be a text of at most 512 characters, but is a number"],
    [{ a: null }, "data.a must be a text of at most 512 characters, but is null"],
    [{ a: { b: "c" } }, "data.a must be a text of at most 512 characters, but is an object"],
    [
      { a: "👩".repeat(513) },
      "data.a must be a text of at most 512 characters, but has 513 characters",
    ],
    [{ a: "x\u202ey" }, `data.a must be a text of at most 512 characters, but ${TURNS}`],
    [{ a: "1", b: "2", c: "3" }, "data must be an object of at most 2 texts, but has 3"],
    [["a"], "data must be an object of at most 2 texts, but is a list"],
  ])("%j is refused by its entry", (data, message) => {
    expect(faultsOf(check, { data })).toEqual([message]);
  });

  test("every wrong entry is named", () => {
    expect(faultsOf(check, { data: { $a: "x", b: 1 } })).toHaveLength(2);
  });

  test("it takes any other name and text", () => {
    const data = { "a.b": "👩".repeat(512), ["👩".repeat(256)]: "\u200f" };
    expect(check({ data: { ...data } })).toEqual({ data });
  });
});

test.each([
  ["https://user:pw@example.com/", "has a user name or a password, which every customer would see"],
  ["https://user@example.com/", "has a user name or a password, which every customer would see"],
  ["http://example.com/", "does not begin with https://"],
  ["javascript:alert(1)", "does not begin with https://"],
  ["https:example.com", "does not begin with https://"],
  ["example.com", "is no URL"],
  ["https://", "is no URL"],
  ["https://example.com/a b", "has white space: write a blank as %20"],
  ["https://example.com/\u202ecod", TURNS],
  [`https://example.com/${"x".repeat(2_048)}`, "has 2068 characters"],
])("the URL %.60p is refused with its fault", (url, fault) => {
  expect(faultsOf(checker({ url: httpsUrl() }), { url })).toEqual([
    `url must be an https URL of at most 2048 characters, but ${fault}`,
  ]);
});

test("an image at a host that is not public says so", () => {
  expect(faultsOf(checker({ logo: imageUrl() }), { logo: "https://10.0.0.1/logo.png" })).toEqual([
    "logo must be an https URL of at most 2048 characters with a public host name, but its host is not public",
  ]);
});
