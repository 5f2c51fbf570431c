// `Prefer: handling=strict`: misspelt names are refused with the nearest known one; without it they
// are dropped.

import { findUnknown, isStrict } from "../../services/gateway/http/strict.ts";
import { routes } from "../../services/gateway/routes/routes.ts";
import { failFields } from "../../shared/errors.ts";
import { tokenMaker } from "../support/http.ts";
import { type Probe, startProbe } from "../support/probe.ts";

const TABLE = routes({ sandbox: true });

const LINK = "POST /v1/ext/collections/payment-link";
const ACCOUNT = "POST /v1/business/:businessId/linked-accounts/:currency";
const INTERNATIONAL =
  "POST /v1/ext/application-token/:token/linked-accounts/:currency/link/international_bank/:step";
const WITHDRAWAL = "POST /v1/ext/linked-accounts/:currency/:linkedAccountId/withdrawal";
const TRANSACTIONS = "GET /v1/business/:businessId/transactions";

/** The wrong fields of a request to that endpoint; none if it is accepted. */
function unknownIn(endpoint: string, body: unknown, query: Record<string, unknown> = {}) {
  const route = TABLE.find(({ method, path }) => `${method} ${path}` === endpoint);
  if (!route) throw new Error(`There is no route ${endpoint}`);
  const address = () => ({ network: "", exact: "" });
  const request = { params: {}, query, headers: {}, body, caller: null, address };
  try {
    const found = findUnknown(route, request);
    return found.length === 0 ? [] : failFields(found);
  } catch (error) {
    const { type, data, message } = error as { type: string; data: never; message: string };
    const { errors } = data as { errors: { field: string; code: string; message: string }[] };
    expect(type).toBe("VALIDATION");
    expect(errors.every(({ code }) => code === "unknown_field")).toBe(true);
    expect(message.startsWith(errors.map((each) => each.message).join("; "))).toBe(true);
    return errors.map((each) => each.message);
  }
}

describe("the header", () => {
  test.each([
    "handling=strict",
    "Handling=Strict",
    'handling="strict"',
    "handling = strict",
    " handling=strict ; foo=bar",
    "respond-async, wait=10, handling=strict",
    'foo="a, b", handling=strict',
    'foo="handling=lenient", handling=strict',
    "handling=strict, handling=lenient",
    "@@@, , handling=strict",
    `${"a,".repeat(7_000)}handling=strict`,
    `${'"'.repeat(15_001)}, handling=strict`,
  ])("%.60p asks for strict handling", (prefer) => {
    const startedAt = performance.now();
    expect(isStrict({ prefer })).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(100);
  });

  test.each([
    "",
    "strict",
    "handling",
    "handling=",
    "handling=lenient",
    "handling=stricter",
    "xhandling=strict",
    "handling=lenient, handling=strict",
    "handling, handling=strict",
    'foo="handling=strict"',
    'foo="a, handling=strict, b"',
    "foo; handling=strict",
    "handling=strict'",
    "return=minimal",
    "__proto__=strict",
    " ".repeat(15_000),
    "\\,".repeat(7_000),
  ])("%.60p does not", (prefer) => {
    const startedAt = performance.now();
    expect(isStrict({ prefer })).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(100);
  });

  test("is nothing where it is absent", () => {
    expect(isStrict({})).toBe(false);
  });
});

describe("unknown names", () => {
  test("of the body are named with the nearest field", () => {
    const body = { amount: 1, custmerPays: true, CustomerPays: true, customer_pays: 1, zzz: 2 };
    expect(unknownIn(LINK, body)).toEqual([
      "custmerPays is unknown; did you mean customerPays?",
      "CustomerPays is unknown; did you mean customerPays?",
      "customer_pays is unknown; did you mean customerPays?",
      "zzz is unknown",
    ]);
  });

  test("within objects and lists have their path", () => {
    const body = {
      cartItems: [{ name: "a" }, { name: "b", pric: 1 }],
      recurringCharge: { interval: { typ: "day" } },
      brandingConfig: { colour: "#000000" },
    };
    expect(unknownIn(LINK, body)).toEqual([
      "cartItems[1].pric is unknown; did you mean cartItems[1].price?",
      "recurringCharge.interval.typ is unknown; did you mean recurringCharge.interval.type?",
      "brandingConfig.colour is unknown",
    ]);
  });

  test("of an object with forms are those that its form does not have", () => {
    const link = (optionType: string, data: object) => unknownIn(ACCOUNT, { optionType, data });
    expect(link("bank", { routingNumber: "1", routingNumbr: "1" })).toEqual([
      "data.routingNumbr is unknown; did you mean data.routingNumber?",
    ]);
    expect(link("card", { routingNumber: "1" })).toEqual(["data.routingNumber is unknown"]);
    // The action refuses the type itself.
    expect(link("nothing", { routingNumber: "1", zzzzz: 1 })).toEqual(["data.zzzzz is unknown"]);
    const data = { recipientType: "personal", firstName: "a", nickNme: "b" };
    expect(unknownIn(INTERNATIONAL, { data })).toEqual([
      "data.nickNme is unknown; did you mean data.nickName?",
    ]);
  });

  test("that the caller chooses are known", () => {
    const body = { customData: { anything: "a" }, agent: { type: "a", shirtSize: "L" } };
    expect(unknownIn(LINK, body)).toEqual([]);
  });

  test("of the query are refused on every route, and known ones are not", () => {
    const query = { limt: "1", status: "SUCCESS" };
    expect(unknownIn(TRANSACTIONS, undefined, query)).toEqual([
      "limt is unknown; did you mean limit?",
    ]);
    expect(unknownIn(WITHDRAWAL, {}, { amount: "1" })).toEqual(["amount is unknown"]);
    const pollution = JSON.parse('{"__proto__": "a", "constructor": "b", "toString": "c"}');
    expect(unknownIn(TRANSACTIONS, undefined, pollution)).toEqual([
      "__proto__ is unknown",
      "constructor is unknown",
      "toString is unknown",
    ]);
  });

  test("are shown short and printable, and at most 50 of them, in little time", () => {
    const long = `a${"b".repeat(5_000)}`;
    expect(unknownIn(WITHDRAWAL, { [long]: 1, "a\u0000\u202e\ud800b": 2 })).toEqual([
      `${long.slice(0, 64)}… is unknown`,
      "a???b is unknown",
    ]);
    const many = Object.fromEntries(Array.from({ length: 9_999 }, (_, i) => [`amoun${i}`, i]));
    const startedAt = performance.now();
    expect(unknownIn(WITHDRAWAL, many)).toHaveLength(50);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});

describe("over HTTP", () => {
  let probe: Probe;
  let token: string;
  beforeAll(async () => {
    probe = await startProbe();
    token = tokenMaker(probe.config).user("0198c0de-7a51-7000-8000-3f1d5a2b9c01");
  });
  afterAll(() => probe?.stop());
  beforeEach(() => {
    probe.echoed.length = 0;
  });
  const APPLIED = "handling=strict";

  test("a misspelt field is a 400 that names it, and no action runs", async () => {
    const headers = { prefer: APPLIED };
    const answer = await probe.http.post(
      "/echo/1?b=1",
      { name: "a", othr: "b" },
      { token, headers },
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      success: false,
      message: "b is unknown; othr is unknown; did you mean other?",
      fatal: true,
      code: "validation_failed",
      requestId: answer.headers["x-request-id"],
      errors: [
        { field: "b", code: "unknown_field", message: "b is unknown" },
        {
          field: "othr",
          code: "unknown_field",
          message: "othr is unknown; did you mean other?",
        },
      ],
    });
    expect(answer.headers["preference-applied"]).toBe(APPLIED);
    expect(probe.echoed).toEqual([]);
  });

  test("names the wrong fields beside the unknown ones", async () => {
    const headers = { prefer: APPLIED };
    const body = { othr: "b", name: 7, other: "" };
    const answer = await probe.http.post("/echo/1?b=1", body, { token, headers });
    expect(answer.status).toBe(400);
    const codes = answer.body.errors.map(({ field, code }: Record<string, string>) => [
      field,
      code,
    ]);
    expect(codes).toEqual([
      ["b", "unknown_field"],
      ["othr", "unknown_field"],
      ["name", "wrong_type"],
      ["other", "invalid"],
    ]);
    expect(probe.echoed).toEqual([]);
  });

  test.each([[undefined], ["handling=lenient"], ["respond-async"]])(
    "with Prefer %p it is dropped",
    async (prefer) => {
      const options = { token, ...(prefer && { headers: { prefer } }) };
      const { status, headers } = await probe.http.post("/echo/1?b=1", { othr: "b" }, options);
      expect([status, headers["preference-applied"]]).toEqual([200, undefined]);
      expect(probe.echoed).toEqual([{ id: "1" }]);
    },
  );

  test("every answer of a route says that it was strict; other answers do not", async () => {
    const headers = { prefer: ["respond-async", 'handling="strict"'] };
    const applied = async (method: string, path: string, options: object) => {
      const answer = await probe.http.request(method, path, { headers, ...options });
      return [answer.status, answer.headers["preference-applied"]];
    };
    expect(await applied("POST", "/echo/1", { token, body: { name: "a" } })).toEqual([
      200,
      APPLIED,
    ]);
    expect(await applied("GET", "/echo/1?name=a", { token })).toEqual([200, APPLIED]);
    expect(await applied("HEAD", "/echo/1?name=a", { token })).toEqual([200, APPLIED]);
    expect(await applied("GET", "/echo/1?nme=a", { token })).toEqual([400, APPLIED]);
    expect(await applied("POST", "/echo/1", {})).toEqual([401, APPLIED]);
    expect(await applied("GET", "/nope", {})).toEqual([404, undefined]);
    expect(await applied("PUT", "/echo/1", {})).toEqual([405, undefined]);
    expect(await applied("GET", "/openapi.json?a=1", {})).toEqual([200, undefined]);
  });

  test("the token, the type and the size of a request come before its names", async () => {
    const prefer = APPLIED;
    const send = (options: object) => probe.http.request("POST", "/echo/1", options);
    const raw = JSON.stringify({ othr: "a".repeat(300_000) });
    const json = { prefer, "content-type": "application/json" };
    const plain = { prefer, "content-type": "text/plain" };
    expect((await send({ raw, headers: plain })).status).toBe(401);
    expect((await send({ token, raw, headers: plain })).status).toBe(415);
    expect((await send({ token, raw, headers: json })).status).toBe(413);
  });
});
