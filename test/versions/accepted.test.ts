// The comparison of schemas by which today's contracts are compared with the previous release's.

import { refused } from "../support/accepted.ts";

const amount = { type: "integer", minimum: 1, maximum: 100 };
const status = { type: "string", enum: ["PENDING", "SUCCESS"] };
const base = {
  type: "object",
  required: ["amount"],
  properties: { amount, status, tags: { type: "array", maxItems: 3, items: { type: "string" } } },
};
const withProperty = (name: string, schema: object) => ({
  ...base,
  properties: { ...base.properties, [name]: schema },
});

test("a schema allows its own values", () => {
  expect(refused(base, base)).toEqual([]);
});

test.each([
  ["a new optional property", withProperty("note", { type: "string" })],
  ["a wider bound", withProperty("amount", { ...amount, maximum: 1_000 })],
  ["a further value", withProperty("status", { ...status, enum: [...status.enum, "FAILED"] })],
  ["null beside the type", withProperty("amount", { ...amount, type: ["integer", "null"] })],
  ["an alternative", withProperty("amount", { anyOf: [amount, { type: "string" }] })],
  ["a number for an integer", withProperty("amount", { ...amount, type: "number" })],
  ["no bound of the items", withProperty("tags", { type: "array" })],
  ["a property that may be missing", { ...base, required: [] }],
])("%s refuses nothing", (_, wider) => {
  expect(refused(base, wider)).toEqual([]);
});

test.each([
  ["a required new property", { ...base, required: ["amount", "note"] }, "note: may be missing"],
  [
    "a required optional property",
    { ...base, required: ["amount", "status"] },
    "status: may be missing",
  ],
  [
    "a narrower bound",
    withProperty("amount", { ...amount, maximum: 10 }),
    "amount: maximum 100, not 10",
  ],
  [
    "a value less",
    withProperty("status", { ...status, enum: ["PENDING"] }),
    "status: SUCCESS is not allowed",
  ],
  ["another type", withProperty("amount", { type: "string" }), "amount: integer, not string"],
  [
    "a list of values for a free text",
    withProperty("tags", { type: "array", maxItems: 3, items: status }),
    "tags[]: any other value is not allowed",
  ],
  [
    "a shorter list",
    withProperty("tags", { type: "array", maxItems: 2 }),
    "tags: maxItems 3, not 2",
  ],
  [
    "a format",
    withProperty("tags", { type: "array", items: { type: "string", format: "uuid" } }),
    "tags[]: format any, not uuid",
  ],
])("%s is named", (_, narrower, line) => {
  expect(refused(base, narrower)).toEqual([line]);
});

test("a value of any type is refused where a type is needed", () => {
  expect(refused({}, amount)).toEqual(["the value: any value, where integer is needed"]);
});

test("each alternative must be allowed", () => {
  expect(refused({ anyOf: [amount, { type: "string" }] }, amount)).toEqual([
    "the value: string, not integer",
  ]);
});
