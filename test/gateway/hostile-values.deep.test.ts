// Hostile values on every endpoint, generated from the table of routes: each field of each body and
// each id of each path with operators, patterns, wrong types and sizes. Each request is refused
// with a 4xx, and the database stays the same to the byte.

import type { Route } from "../../services/gateway/http/route.ts";
import {
  type Changes,
  IN_PATH_NO_ID,
  named,
  sendSample,
  TABLE,
  withBody,
} from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf } from "../support/samples.ts";
import { allStored, type Stored, settledStored } from "../support/stored.ts";
import { startWorld, type World } from "../support/world.ts";

const withPath = TABLE.filter(({ inPath }) => inPath.length > 0);

let world: World;
let samples: Record<string, Sample>;
let before: Stored;

beforeAll(async () => {
  world = await startWorld();
  samples = samplesOf(world, await makeThings(world));
  before = await settledStored(world);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const sampleOf = ({ name }: Route): Sample => samples[name] as Sample;
const send = (route: Route, changes?: Changes) =>
  sendSample(world, route, sampleOf(route), changes);

/** Wrong for every field of any type. */
const NEVER_RIGHT: unknown[] = [
  { $gt: "" },
  { $ne: null },
  { $regex: ".*" },
  { $where: "sleep(1000)" },
  { toString: "x", valueOf: "y" },
  [{ toString: null }],
  [],
  [[]],
  [{ $gt: "" }],
  "",
  "   ",
  "a\u0000b",
  "\u0000",
  "a\nb\u001b[31m",
  "\ud800",
  "a\udfffb",
  "a".repeat(100_000),
];
/** Wrong for a field of another type. */
const OF_A_TYPE: [type: string, value: unknown][] = [
  ["number", -1],
  ["number", 1e308],
  ["number", 0.001],
  ["boolean", true],
  ["null", null],
];

describe("bodies", () => {
  /** Asserts that a body is refused, and shows its wrong part. */
  async function isRefused(route: Route, body: object, wrongPart: unknown[]): Promise<void> {
    const { status, text } = await send(route, { body: body as Sample["body"] });
    const expected = refusals(route).includes(status) ? status : refusals(route)[0];
    const shown = JSON.stringify(wrongPart).slice(0, 80);
    expect([shown, status, text]).toEqual([shown, expected, text]);
  }

  test.each(named(withBody))("%s refuses each field with each wrong value", async (_, route) => {
    const { body = {} } = sampleOf(route);
    for (const [field, { schema }] of Object.entries(route.body ?? {})) {
      const values = [
        ...NEVER_RIGHT,
        ...OF_A_TYPE.filter(([type]) => type !== schema.type).map(([, value]) => value),
        ...(schema.type === "number" ? [-1, 0, 1e308, 0.001, 1e10, Number.NaN, "25"] : []),
      ];
      for (const value of values) {
        if (isAccepted(route, field, value)) continue;
        await isRefused(route, { ...body, [field]: value }, [field, value]);
      }
    }
  });

  const nested = withBody.filter(({ body }) => body?.data);
  test.each(named(nested))(
    "%s refuses each nested field with each wrong value",
    async (_, route) => {
      const { body = {} } = sampleOf(route);
      const data = body.data as Record<string, unknown>;
      for (const field of Object.keys(data)) {
        for (const value of [...NEVER_RIGHT, null, true, 17]) {
          await isRefused(route, { ...body, data: { ...data, [field]: value } }, [field, value]);
        }
      }
    },
  );

  /** Values that some fields accept on purpose. */
  function isAccepted(route: Route, field: string, value: unknown): boolean {
    // Any transactionType other than "payout" is a payout; OAuth ignores an empty parameter.
    if (route.name === "createToken") return value === "" && field !== "grant_type";
    // Any text, also an empty one (docs/integrate/rest-api.md, Withdrawals).
    if (field === "transactionType" && typeof value === "string") return value.trim() === "";
    const isEmptyList = Array.isArray(value) && value.length === 0;
    if (isEmptyList) {
      const ofLinks = ["dataCollections", "customFields", "acceptedPaymentOptions"];
      const ofClients = ["scopes", "allowedAddresses"];
      return ["eventTypes", "limits", ...ofLinks, ...ofClients].includes(field);
    }
    if (field === "lowBalanceAt") return value === null;
    // Any number of units is accepted.
    if (field === "units") return value === 0.001 || value === 1e10;
    // All its own fields are optional, and others are dropped.
    if (field === "brandingConfig") return isObject(value);
    return (
      ["customData", "agent", "fields", "metadata"].includes(field) &&
      isObject(value) &&
      Object.hasOwn(value, "toString")
    );
  }

  function isObject(value: unknown): value is object {
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }

  /** A wrong client is a 401 for OAuth, and guesses are limited. */
  const refusals = ({ name }: Route) => (name === "createToken" ? [400, 401, 429] : [400]);
});

describe("paths", () => {
  const IDS = [
    "%24gt",
    "%7B%22%24gt%22%3A%22%22%7D",
    "%5Bobject%20Object%5D",
    "%00",
    "a%0Ab",
    "%E2%80%AE",
    "..%2F..%2Fadmin",
    "__proto__",
    "constructor",
    "*",
    ".*",
    "null",
    "undefined",
    "0",
    "-1",
    "a".repeat(3_000),
    "%F0%9F%92%A9",
  ];

  test.each(named(withPath))("%s refuses malformed ids", async (_, route) => {
    const { path } = sampleOf(route);
    for (const [param, right] of Object.entries(path)) {
      const wrong = IN_PATH_NO_ID[param] ? [] : [`${right}%20`, `${right}%00`, `%20${right}`];
      for (const value of [...IDS, ...wrong]) {
        const { status, text } = await send(route, { path: { ...path, [param]: value } });
        const expected = IN_PATH_NO_ID[param] || route.access?.otherwise ? 400 : 404;
        // An Idempotency-Key is no id: it is wrong, or nothing was made under it.
        if (param === "key")
          expect([value, [400, 404]]).toEqual([value, expect.arrayContaining([status])]);
        else expect([param, value, status, text]).toEqual([param, value, expected, text]);
      }
    }
  });
});

test("no hostile request has changed the database", async () => {
  expect(await allStored(world)).toEqual(before);
});
