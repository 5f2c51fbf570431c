// The wrong fields of a validation error: a path, a code of the kind, and a sentence for each.

import { checker } from "../../shared/contracts/checker.ts";
import {
  list,
  object,
  taggedUnion,
  textMap,
  unionBy,
} from "../../shared/contracts/compound-fields.ts";
import {
  amount,
  boolean,
  email,
  forbidden,
  integer,
  normalised,
  oneOf,
  queryInteger,
  text,
  timestamp,
  uuid,
} from "../../shared/contracts/fields.ts";

const check = checker({
  text: text({ max: 5 }),
  amount: amount(),
  kind: oneOf(["A", "B"]),
  number: normalised((given) => (given === "1" ? given : null), "1"),
  items: list(object({ name: text() }), { min: 1, max: 2 }),
  email: email(),
  flag: boolean(),
  id: uuid(),
  count: integer({ min: 1, max: 3 }),
  page: queryInteger({ min: 1, max: 9 }),
  at: timestamp(),
  map: textMap({ max: 1 }),
  data: unionBy("kind", { A: { name: text() }, B: { other: text() } }),
  form: taggedUnion("type", { x: { y: text() } }),
  gone: forbidden(),
});

const RIGHT = {
  text: "a",
  amount: 1,
  kind: "A",
  number: "1",
  items: [{ name: "a" }],
  email: "ada@example.com",
  flag: true,
  id: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
  count: 1,
  page: "1",
  at: "2030-01-01",
  map: {},
  data: { name: "a" },
  form: { type: "x", y: "a" },
};

/** The fields and codes of the error for a changed body. */
function wrongIn(changes: object): [string, string][] {
  try {
    check(structuredClone({ ...RIGHT, ...changes }));
    return [];
  } catch (error) {
    const { message, data } = error as {
      message: string;
      data: { errors: { field: string; code: string; message: string }[] };
    };
    expect(message.startsWith(data.errors.map((each) => each.message).join("; "))).toBe(true);
    expect(data.errors.every((each) => each.message.startsWith(`${each.field} must be `))).toBe(
      true,
    );
    return data.errors.map(({ field, code }) => [field, code]);
  }
}

test("a right body has no wrong field", () => {
  expect(wrongIn({})).toEqual([]);
});

test("a missing field is required, and null is a value of another type", () => {
  const names = Object.keys(RIGHT);
  for (const [value, code] of [
    [undefined, "required"],
    [null, "wrong_type"],
  ] as const) {
    const all = Object.fromEntries(names.map((name) => [name, value]));
    expect(wrongIn(all)).toEqual(names.map((name) => [name, code]));
  }
  expect(wrongIn({ items: [{}, { name: null }] })).toEqual([
    ["items[0].name", "required"],
    ["items[1].name", "wrong_type"],
  ]);
  expect(wrongIn({ form: { type: "x" }, data: {} })).toEqual([
    ["data.name", "required"],
    ["form.y", "required"],
  ]);
});

test("a value of another JSON type is named as such", () => {
  const wrong = { text: 1, amount: "1", number: 1, items: {}, email: 1, flag: "true", count: "1" };
  expect(wrongIn({ ...wrong, at: 1, map: [], form: "x" }).map(([, code]) => code)).toEqual(
    Array(10).fill("wrong_type"),
  );
});

test("a value that is not allowed is invalid, and a list has its own codes", () => {
  const wrong = { text: "aaaaaa", amount: -1, kind: "C", number: "2", email: "a", id: "a" };
  const more = { count: 4, page: "x", at: "soon", map: { a: "b", c: "d" }, gone: "a" };
  expect(wrongIn({ ...wrong, ...more, items: [] })).toEqual([
    ["text", "invalid"],
    ["amount", "invalid"],
    ["kind", "invalid"],
    ["number", "invalid"],
    ["items", "too_few"],
    ["email", "invalid"],
    ["id", "invalid"],
    ["count", "invalid"],
    ["page", "invalid"],
    ["at", "invalid"],
    ["map", "invalid"],
    ["gone", "invalid"],
  ]);
  const three = [{ name: "a" }, { name: "b" }, { name: "c" }];
  expect(wrongIn({ items: three })).toEqual([["items", "too_many"]]);
});

test("at most 50 fields are named", () => {
  const many = checker(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, text()])));
  expect(() => many({})).toThrow(/; and 10 more$/);
});
