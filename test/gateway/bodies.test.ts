// Bodies are judged as they were written: a number that a double would round, a name that is given
// twice and a text that is no JSON are refused, and nothing runs.

import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { parseObject, roundedIn, written } from "../../services/gateway/http/json.ts";
import { type Random, randomFrom } from "../../tools/simulate/random.ts";
import { tokenMaker } from "../support/http.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { startWorld, type World } from "../support/world.ts";

const JSON_HEADER = { "content-type": "application/json" };
const seed = Date.now();

/** The rounded or repeated fields of a body, or the message of one that is no JSON object. */
function wrongIn(text: string): string[] | string {
  try {
    return roundedIn(parseObject(Buffer.from(text)) ?? {}).map(written);
  } catch (error) {
    const { data, message } = error as { data?: { errors: { field: string }[] }; message: string };
    return data?.errors.map(({ field }) => field) ?? message;
  }
}

describe("numbers", () => {
  test.each([
    "25.10000000000000001",
    "0.499999999999999999",
    "1.00000000000000001",
    "1.999999999999999999",
    "10.0000000000000005",
    "9999999999.9900001",
    "9007199254740993",
    "123456789012345678901",
    "-1.00000000000000001",
    "1e-400",
    "0.1e-330",
    "1.00000000000000001e2",
    "100000000000000000.5e-16",
    `1.${"0".repeat(500)}`,
  ])("%p would be rounded", (number) => {
    expect(wrongIn(`{"amount":${number}}`)).toEqual(["amount"]);
    expect(wrongIn(`{"a":[1,{"b":${number} }]}`)).toEqual(["a[1].b"]);
  });

  test.each([
    ...[
      "0",
      "-0",
      "0.00",
      "0e9",
      "60",
      "60.00",
      "60.000000000000000000",
      "6e1",
      "0.6E+2",
      "6000e-2",
    ],
    ...["0.29", "4.35", "64.1", "1e-2", "9999999999.99", "9007199254740991", "9007199254740992"],
    // As JavaScript and Python write a sum: the double itself, whose decimals its field judges.
    ...["0.30000000000000004", "1.7976931348623157e308", "5e-324", "123456789012345680000"],
  ])("%s is kept", (number) => {
    expect(wrongIn(`{"amount":${number}}`)).toEqual([]);
    expect(parseObject(Buffer.from(`{"amount":${number}}`))).toEqual({ amount: Number(number) });
  });

  test.each(["1e400", "-1e400", `1${"0".repeat(1_000)}1`])(
    "%.20s is left to its field, which refuses it by its bounds",
    (number) => expect(wrongIn(`{"amount":${number}}`)).toEqual([]),
  );

  test(`are told exactly if their double is written otherwise (seed ${seed})`, () => {
    const random = randomFrom(seed, "numbers");
    for (let i = 0; i < 5_000; i += 1) {
      const number = aNumber(random);
      const isKept = sameValue(number, String(Number(number)));
      expect({ number, wrong: wrongIn(`{"amount":${number}}`) }).toEqual({
        number,
        wrong: isKept ? [] : ["amount"],
      });
    }
  });
});

function aNumber(random: Random): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () =>
      random.pick(["0", "0", "0", "1", "2", "5", "7", "9", "9"]),
    ).join("");
  const whole = random.chance(0.3)
    ? "0"
    : `${random.between(1, 9)}${digits(random.between(0, 18))}`;
  const part = random.chance(0.7) ? `.${digits(random.between(1, 22))}` : "";
  const exponent = random.chance(0.2) ? `e${random.between(-30, 30)}` : "";
  return `${random.chance(0.2) ? "-" : ""}${whole}${part}${exponent}`;
}

/** Compares two decimals as whole numbers of the same unit. */
function sameValue(a: string, b: string): boolean {
  const scaled = (text: string) => {
    const [, sign, whole = "", part = "", exponent = "0"] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
    return BigInt(sign + whole + part) * 10n ** BigInt(Number(exponent) - part.length + 100);
  };
  return scaled(a) === scaled(b);
}

describe("names", () => {
  test.each([
    ['{"amount":5000,"amount":1}', ["amount"]],
    ['{"amount":1,"amount":1}', ["amount"]],
    ['{"a":1,"\\u0061":2}', ["a"]],
    ['{"a":{"b":1,"c":[{"d":1,"e":2,"d":3}]}}', ["a.c[0].d"]],
    ['{"a":1,"b":2,"a":3,"b":4,"a":5}', ["a", "b"]],
    ['{"":1,"":2}', [""]],
    ['{"a b":1,"a b":2}', ["a b"]],
  ])("%s gives a name twice: 400", (text, fields) => {
    expect(wrongIn(text)).toEqual(fields);
  });

  test.each([
    '{"a":{"b":1},"b":{"b":1},"c":[{"b":1},{"b":2}]}',
    '{"a":"a","b":"a","c":"\\"a\\":1,\\"a\\":2"}',
    '{"a":"\\\\","b":"\\\\\\"","c":"{\\"c\\":1}"}',
    '{"A":1,"a":2,"\\u00e9":3,"e\\u0301":4}',
    ' {\t"a" :\r\n[ ] , "b" : { } }\n',
  ])("%j gives each name once", (text) => {
    expect(parseObject(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  test(`of any object are read as JSON.parse reads them, and repeats are found (seed ${seed})`, () => {
    const random = randomFrom(seed, "names");
    for (let i = 0; i < 2_000; i += 1) {
      const value = { of: aValue(random, 4) };
      const text = JSON.stringify(value, null, random.pick([0, 1, "\t"]));
      expect(parseObject(Buffer.from(text))).toEqual(value);
      const repeated = text.replace(/}$/, `,${random.pick(['"of"', '"o\\u0066"'])}: 1 }`);
      expect(wrongIn(repeated)).toEqual(["of"]);
    }
  });
});

const PIECES = ['"', "\\", "{", "}", "[", "]", ",", ":", "é", "😀", " ", "\n", "1", "e", "a"];

function aValue(random: Random, depth: number): unknown {
  const aText = () =>
    Array.from({ length: random.between(0, 6) }, () => random.pick(PIECES)).join("");
  const scalar = () => random.pick([null, true, false, random.between(-99, 99) / 4, aText()]);
  if (depth === 0 || random.chance(0.3)) return scalar();
  const items = Array.from({ length: random.between(0, 4) }, () => aValue(random, depth - 1));
  return random.chance(0.5)
    ? items
    : // Without backslashes, because V8 reads the name `k"` as `k\\` after an object with that name.
      Object.fromEntries(items.map((item) => [`k${aText().replaceAll("\\", "")}`, item]));
}

describe("a body that is no JSON object", () => {
  test.each([
    ['{"a":1,}', "The body is not valid JSON at position 7"],
    ["{'a':1}", "The body is not valid JSON at position 1"],
    ["{a:1}", "The body is not valid JSON at position 1"],
    ['{"a":01}', "The body is not valid JSON at position 6"],
    ['{"a":"\t"}', "The body is not valid JSON at position 6"],
    ["", []],
    [" ", "The body is not valid JSON"],
    ["[1]", "The body must be a JSON object"],
    ['"a"', "The body must be a JSON object"],
    ["25.10000000000000001", "The body must be a JSON object"],
  ])("%j: %j", (text, expected) => {
    expect(wrongIn(text)).toEqual(expected);
  });

  test("nothing of the body is in the message", () => {
    for (const text of ['{"secret":x}', "secret", '{"a":1} secret', '{"secret"']) {
      expect(wrongIn(text)).toEqual(
        expect.stringMatching(/^The body is not valid JSON( at position \d+)?$/),
      );
    }
  });

  test("bytes that are not UTF-8 are called so", () => {
    for (const bytes of [
      Buffer.from([0x7b, 0xff, 0x7d]),
      Buffer.from("{}", "utf16le").fill(0xfe, 0, 1),
    ]) {
      expect(() => parseObject(bytes)).toThrow("The body is not UTF-8");
    }
  });
});

test("a byte order mark before the object is no part of it (RFC 8259, 8.1)", () => {
  expect(parseObject(Buffer.from('\ufeff{"a":1}'))).toEqual({ a: 1 });
  expect(wrongIn("\ufeff\ufeff{}")).toBe("The body is not valid JSON");
});

test("the largest bodies are read in little time", () => {
  const bodies = [
    `{"a":"${"\\\\".repeat(120_000)}"}`,
    `{"a":"${'\\"'.repeat(120_000)}"}`,
    `{"a":1${"0".repeat(250_000)}1}`,
    `{${Array.from({ length: 9_999 }, (_, i) => `"k${i}":0.${"1".repeat(15)}5`).join(",")}}`,
    `{"a":${" ".repeat(250_000)}1}`,
  ];
  const begun = process.cpuUsage().user;
  for (const body of bodies) wrongIn(body);
  expect((process.cpuUsage().user - begun) / 1_000).toBeLessThan(2_000);
});

describe("over HTTP", () => {
  let probe: Probe;
  let token: string;
  beforeAll(async () => {
    probe = await startProbe();
    token = tokenMaker(probe.config).user(randomUUID());
  });
  afterAll(() => probe?.stop());

  const send = (raw: string | Buffer, headers: Record<string, string> = {}) =>
    probe.http.request("POST", "/echo/1", { token, raw, headers: { ...JSON_HEADER, ...headers } });

  test("a repeated name is a wrong field, and no action runs", async () => {
    const { status, body } = await send('{"name":"a","name":"b"}');
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { field: "name", code: "repeated", message: "name must be given once" },
    ]);
    expect(probe.echoed).toEqual([]);
  });

  test.each(["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "x"])(
    "a body with the encoding %s is a 415 that says so",
    async (encoding) => {
      const { status, body } = await send(gzipSync('{"name":"a"}'), {
        "content-encoding": encoding,
      });
      expect([status, body.message]).toEqual([
        415,
        "The body must be sent as it is, without a Content-Encoding",
      ]);
      expect(probe.echoed).toEqual([]);
    },
  );

  test.each(["identity", "Identity", ""])("the encoding %j is none", async (encoding) => {
    expect((await send('{"name":"a"}', { "content-encoding": encoding })).status).toBe(200);
  });
});

describe("money", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.stop());

  test("no amount with more decimals than it keeps moves, whatever its double would be", async () => {
    const { wallet, business } = await world.payer(100);
    const path = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
    const fund = (amount: string) =>
      world.http.request("POST", path, {
        token: business.token,
        raw: `{"amount":${amount},"reference":"${randomUUID()}"}`,
        headers: JSON_HEADER,
      });
    for (const amount of [
      "25.10000000000000001",
      "1.999999999999999999",
      "1e400",
      "1.001",
      "0.30000000000000004",
    ]) {
      const { status, body } = await fund(amount);
      expect([amount, status]).toEqual([amount, 400]);
      for (const { field } of body.errors) expect(field).toBe("amount");
    }
    expect((await fund("25.10")).status).toBe(201);
  });

  const post = async (path: string, raw: string, token: string) => {
    const { status, body } = await world.http.request("POST", path, {
      token,
      raw,
      headers: JSON_HEADER,
    });
    return [status, body.errors?.map(({ field }: { field: string }) => field)];
  };

  test("a number that would be rounded is wrong only where it is read, beside all that is wrong", async () => {
    const { wallet, business } = await world.payer(100);
    await world.collectionAccount(business);
    const fund = `/v1/business/${business.id}/wallets/${wallet.id}/fund`;
    const ofFund = (fields: string) => post(fund, `{${fields}}`, business.token);
    const long = "1234567890123456789";
    expect(
      await ofFund(`"amount":1,"reference":"${randomUUID()}","trace":{"ids":[${long},0.${long}]}`),
    ).toEqual([201, undefined]);
    expect(await ofFund(`"amount":1.10000000000000001,"trace":${long}`)).toEqual([
      400,
      ["reference", "amount"],
    ]);
    expect(await ofFund(`"amount":1,"reference":${long}`)).toEqual([400, ["reference"]]);

    const ofLink = (item: string, more = "") =>
      post(
        "/v1/ext/collections/payment-link",
        `{"currency":"USD","amount":25,"itemDeliveryAddress":"a","cartItems":[{"name":"a","description":"b"${item}}]${more}}`,
        business.token,
      );
    expect(await ofLink(`,"sku":${long}`, `,"cartItems[0]":{"qty":${long}}`)).toEqual([
      200,
      undefined,
    ]);
    expect(await ofLink(`,"qty":1.${long}`)).toEqual([400, ["cartItems[0].qty"]]);
    expect(await ofLink("", `,"customData":{"a":${long}}`)).toEqual([400, ["customData.a"]]);
    const details = `"sku":${long},"consumptionDetails":{"unit":"call","costPerUnit":0.10000000000000001}`;
    const every = `"startDate":"2099-01-01","interval":{"type":"month","count":1}`;
    const plan = `"recurringCharge":{"type":"consumption",${every},${details}}`;
    expect(await ofLink("", `,"checkoutType":"recurring",${plan}`)).toEqual([
      400,
      ["recurringCharge.consumptionDetails.costPerUnit"],
    ]);
  });
});
