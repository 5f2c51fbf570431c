// The gateway's own refusals, before a service gets the request, and the headers of its answers.

import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import { tokenMaker } from "../support/http.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { refusal } from "../support/refusal.ts";

let probe: Probe;
let token: string;

beforeAll(async () => {
  probe = await startProbe();
  token = tokenMaker(probe.config).user(randomUUID());
});
afterAll(() => probe?.stop());
beforeEach(() => {
  probe.echoed.length = 0;
});

const NOT_FOUND = refusal("Not found");
const JSON_HEADER = { "content-type": "application/json" };

describe("routes", () => {
  test.each([
    "/nope",
    "/echo",
    "/echo/1/2",
    "/ECHO/1",
    "/echo/1/",
    "//echo/1",
    "/echo/%E0%A4%A",
    "/%",
    "/docs/",
    "/docs/index.html",
    "/docs/..%2f..%2fpackage.json",
    "/docs/../docs",
  ])("an unknown path %s is a 404 for every request", async (path) => {
    const requests = [
      probe.http.get(path),
      probe.http.get(path, { token }),
      probe.http.post(path, {}, { token }),
      probe.http.request("POST", path, { raw: "{", headers: JSON_HEADER }),
      probe.http.request("POST", path, { raw: "x", headers: { "content-type": "text/plain" } }),
      probe.http.request("OPTIONS", path),
    ];
    for (const { status, body } of await Promise.all(requests)) {
      expect({ status, body }).toEqual({ status: 404, body: NOT_FOUND });
    }
  });

  test("every other method of a known path is a 405 with Allow, and runs no action", async () => {
    const others = METHODS.filter(
      (method) => !["CONNECT", "GET", "HEAD", "POST", "PATCH"].includes(method),
    );
    for (const method of others) {
      const preflight = { origin: "https://a.example", "access-control-request-method": "POST" };
      const headers = { ...preflight, "x-http-method-override": "POST" };
      const answer = await probe.http.request(method, "/echo/1", { token, headers });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.allow).toBe("POST, GET, HEAD, PATCH");
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.body.message).toBe("Method not allowed");
    }
    expect(probe.echoed).toEqual([]);
  });

  test("OPTIONS without the header of a preflight runs no GET", async () => {
    const answer = await probe.http.request("OPTIONS", "/echo/1", { token });
    expect([answer.status, answer.headers.allow]).toEqual([405, "POST, GET, HEAD, PATCH"]);
    expect(probe.echoed).toEqual([]);
  });

  test("a route of a missing service refuses a request without a token first", async () => {
    expect((await probe.http.get("/unavailable/USD")).status).toBe(401);
    expect((await probe.http.get("/unavailable/USD", { token })).status).toBe(503);
  });

  test("a method override in a header or the query is ignored", async () => {
    const headers = { "x-http-method-override": "PATCH", "x-method-override": "PATCH" };
    const path = "/echo/1?_method=PATCH";
    const { status } = await probe.http.post(path, { name: "a" }, { token, headers });
    expect(status).toBe(200);
  });
});

describe("a path with a token", () => {
  const SECRET = "link-token-that-nothing-logs";
  const line = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const CASES: [name: string, bytes: string, status: number][] = [
    ["a part of 4,097 characters", line(`/public/${SECRET.padEnd(4_097, "a")}`), 404],
    ["a part of 10,000 characters", line(`/echo/${SECRET.padEnd(10_000, "a")}`), 404],
    ["a part of 5,000 characters", line(`/echo/${SECRET.padEnd(5_000, "a")}`), 404],
    ["an encoded part of 4,097 characters", line(`/public/${SECRET}${"%61".repeat(4_097)}`), 404],
    ["a malformed percent-encoding", line(`/public/${SECRET}%E0%A4%A`), 404],
    ["an unknown route", line(`/nope/${SECRET}`), 404],
    ["another method", line(`/public/${SECRET}`), 405],
    ["a long query", line(`/nope?token=${SECRET.padEnd(10_000, "a")}`), 404],
    ["a query with a malformed encoding", line(`/echo/1?token=${SECRET}%E0%A4%A`), 401],
    ["no authorization", line(`/echo/${SECRET}`), 401],
    ["more bytes than the headers may have", line(`/public/${SECRET.padEnd(20_000, "a")}`), 431],
    ["a line that is no HTTP", `GET /public/${SECRET} NOPE\r\n\r\n`, 400],
    ["a blank in it", `GET /public/${SECRET} b HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
  ];

  test.each(CASES)("is neither logged nor answered: %s", async (_name, bytes, status) => {
    probe.log.length = 0;
    const answer = await probe.raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain(SECRET);
    expect(probe.log.filter(({ level }) => level === "error")).toEqual([]);
    expect(JSON.stringify(probe.log)).not.toContain(SECRET);
  });

  test("is not logged after its action fails", async () => {
    const failing = await startProbe({
      failure: () => {
        throw new Error("An action failed");
      },
    });
    try {
      const { status } = await failing.http.post(`/fail?token=${SECRET}`, {});
      expect(status).toBe(500);
      expect(failing.log).toContainEqual(expect.objectContaining({ level: "error" }));
      expect(JSON.stringify(failing.log)).not.toContain(SECRET);
    } finally {
      await failing.stop();
    }
  });
});

describe("the order of refusals", () => {
  const large = JSON.stringify({ name: "a".repeat(300_000) });
  const plain = { "content-type": "text/plain" };

  test.each([
    ["405 before 401", "PUT", "/echo/1", {}, 405],
    ["401 before 415", "POST", "/echo/1", { raw: "x", headers: plain }, 401],
    ["401 before 413", "POST", "/echo/1", { raw: large, headers: JSON_HEADER }, 401],
    ["401 before 400", "POST", "/echo/1", { raw: "{", headers: JSON_HEADER }, 401],
  ])("%s", async (_name, method, path, options, status) => {
    expect((await probe.http.request(method, path, options)).status).toBe(status);
  });

  test("415 comes before 413, and 413 before 400", async () => {
    const send = (raw: string, headers: Record<string, string>) =>
      probe.http.request("POST", "/echo/1", { token, raw, headers });
    expect((await send(large, plain)).status).toBe(415);
    expect((await send(large.slice(0, -1), JSON_HEADER)).status).toBe(413);
    expect((await send(large, JSON_HEADER)).body.message).toBe("The body is larger than 256 KB");
    expect(probe.echoed).toEqual([]);
  });

  test("a body of 256 KB is accepted, and one byte more is refused, chunked or not", async () => {
    const filler = (bytes: number) => {
      const frame = JSON.stringify({ name: "a", filler: "" }).length;
      return JSON.stringify({ name: "a", filler: "b".repeat(bytes - frame) });
    };
    const send = (bytes: number, headers: Record<string, string> = {}) =>
      probe.http.request("POST", "/echo/1", {
        token,
        raw: filler(bytes),
        headers: { ...JSON_HEADER, ...headers },
      });
    expect((await send(256 * 1024)).status).toBe(200);
    expect((await send(256 * 1024 + 1)).status).toBe(413);
    const chunked = `POST /public/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n50000\r\n${"a".repeat(0x50000)}\r\n0\r\n\r\n`;
    expect(await probe.raw(chunked)).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe("bodies", () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

  test.each([
    ["cut off", "{"],
    ["empty", ""],
    ["blank", "  "],
    ["an array", '[{"name":"a"}]'],
    ["a string", '"a"'],
    ["a number", "1"],
    ["null", "null"],
    ["true", "true"],
    ["not JSON's NaN", '{"name":NaN}'],
    ["a comment", '{"name":"a"} // b'],
    ["two values", '{"name":"a"}{"name":"b"}'],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
    ["UTF-16", Buffer.from('{"name":"a"}', "utf16le")],
    ["__proto__", '{"name":"a","__proto__":{"name":"b"}}'],
    ["__proto__, escaped", '{"name":"a","\\u005f_proto__":{"name":"b"}}'],
    ["__proto__, inside", '{"name":"a","b":[{"c":{"__proto__":1}}]}'],
    ["constructor.prototype", '{"name":"a","constructor":{"prototype":{"b":1}}}'],
    ["nested very deeply", deep(20_000)],
    ["of more values than allowed", JSON.stringify({ a: Array(10_001).fill(0) })],
  ])("%s: 400, and no action runs", async (_name, raw) => {
    const options = { token, raw, headers: JSON_HEADER };
    const { status, body } = await probe.http.request("POST", "/echo/1", options);
    expect(status).toBe(400);
    expect(body).toEqual(refusal(expect.stringMatching(/^The body /)));
    expect(probe.echoed).toEqual([]);
    expect(({} as Record<string, unknown>).name).toBeUndefined();
  });

  test.each([
    "text/plain",
    "application/json5",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=a",
    "application/vnd.api+json",
    "text/json",
    "nonsense",
    "",
  ])("the content type %p is a 415", async (type) => {
    const options = { token, raw: '{"name":"a"}', headers: { "content-type": type } };
    expect((await probe.http.request("POST", "/echo/1", options)).status).toBe(415);
    expect(probe.echoed).toEqual([]);
  });

  test.each([
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json;charset=UTF-8",
  ])("the content type %p is JSON", async (type) => {
    const options = { token, raw: '{"name":"a"}', headers: { "content-type": type } };
    expect((await probe.http.request("POST", "/echo/1", options)).status).toBe(200);
  });

  test("a request that needs no body works without one, and with only a content type", async () => {
    const send = (headers: Record<string, string>) =>
      probe.http.request("POST", "/nothing/1", { headers });
    expect((await send({})).status).toBe(200);
    expect((await send(JSON_HEADER)).status).toBe(200);
    expect((await send({ "content-length": "0" })).status).toBe(200);
  });
});

describe("parameters", () => {
  test("come only from the path and the body, the path first", async () => {
    const body = { id: "from-body", name: "a", unknown: 1, toString: 2, hasOwnProperty: 3 };
    await probe.http.post("/echo/from-path?name=b&other=c", body, { token });
    expect(probe.echoed).toEqual([{ id: "from-path", name: "a" }]);
  });

  test("of a GET come from the query, percent-decoded", async () => {
    await probe.http.get("/echo/a%2Fb?name=c%26d&unknown=1&id=e", { token });
    expect(probe.echoed).toEqual([{ id: "a/b", name: "c&d" }]);
  });

  test.each([
    "name=a&name=b",
    "name[]=a",
    "name[$ne]=a",
    "name[a][b]=c",
    "name%5B%24gt%5D=",
    "other=a&name=b&name=c",
  ])("%s repeats or brackets a known query parameter: 400", async (query) => {
    const { status, body } = await probe.http.get(`/echo/1?${query}`, { token });
    expect([status, body.message]).toEqual([400, "name must be given once"]);
    expect(probe.echoed).toEqual([]);
  });

  test("unknown query parameters are ignored, also repeated and bracketed ones", async () => {
    const path = "/echo/1?a=1&a=2&b[$ne]=1&__proto__=x&__proto__[name]=y&constructor=z";
    expect((await probe.http.get(path, { token })).status).toBe(200);
    expect(probe.echoed).toEqual([{ id: "1" }]);
  });

  test.each(["{}", '{"unknown":1}', '{"id":"a"}'])(
    "a PATCH of %s changes nothing: 400",
    async (raw) => {
      const options = { token, raw, headers: JSON_HEADER };
      const { status, body } = await probe.http.request("PATCH", "/echo/1", options);
      const message = "The body must have at least one of name, other";
      expect([status, body.message]).toEqual([400, message]);
    },
  );
});

describe("headers", () => {
  const ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  };

  test("are on every answer", async () => {
    const answers = [
      await probe.http.get("/echo/1", { token }),
      await probe.http.get("/nope"),
      await probe.http.get("/%"),
      await probe.http.get("/echo/1"),
      await probe.http.request("DELETE", "/echo/1"),
      await probe.http.request("POST", "/echo/1", { token, raw: "{", headers: JSON_HEADER }),
      await probe.http.get("/"),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject(ALWAYS);
      expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers["x-powered-by"]).toBeUndefined();
      expect(headers["strict-transport-security"]).toBeUndefined();
    }
    expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(
      answers.length,
    );
  });

  test("are on the answer to bytes that are not HTTP, too", async () => {
    const garbage = await probe.raw("GARBAGE\r\n\r\n");
    expect(garbage).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(garbage).toContain("x-content-type-options: nosniff");
    const [head = "", text = ""] = garbage.split("\r\n\r\n");
    const body = JSON.parse(text);
    expect(body).toEqual({
      success: false,
      message: "The request is not valid HTTP",
      fatal: true,
      code: "malformed_http",
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(head).toContain(`x-request-id: ${body.requestId}`);
    const large = await probe.raw(
      `GET /docs HTTP/1.1\r\nHost: a\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`,
    );
    expect(large).toMatch(/^HTTP\/1.1 431 /);
  });

  test.each([
    ["no Host", "GET /health/live HTTP/1.1\r\n\r\n", 400, "malformed_http"],
    ["two Hosts", "GET /health/live HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400, "malformed_http"],
    ["the same Host twice", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "malformed_http"],
    [
      "two Hosts in HTTP/1.0",
      "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
      400,
      "malformed_http",
    ],
    ["a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "malformed_http"],
    ["a Host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, "malformed_http"],
    [
      "an expectation",
      "GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n",
      417,
      "expectation_failed",
    ],
    [
      "two expectations",
      "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue, b\r\n\r\n",
      417,
      "expectation_failed",
    ],
    ["CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed"],
    [
      "another transfer coding",
      "POST /public/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      400,
      "malformed_http",
    ],
    [
      "two codings",
      "POST /public/1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
      "malformed_http",
    ],
    [
      "more than 1,000 headers",
      `GET / HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(1_001)}\r\n`,
      431,
      "headers_too_large",
    ],
  ])("are on the answer to %s, too", async (_name, bytes, status, code) => {
    const answer = await probe.raw(bytes.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    const [head = "", text = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toContain("x-content-type-options: nosniff\r\nreferrer-policy: no-referrer");
    const body = JSON.parse(text);
    expect(body).toMatchObject({ success: false, fatal: true, code });
    expect(head).toContain(`x-request-id: ${body.requestId}`);
    expect(probe.echoed).toEqual([]);
  });

  test.each([
    "http://127.0.0.1:4300/echo/1?name=b",
    "HTTP://a.example/echo/1?name=b",
    "https://user@[::1]:1/echo/1?name=b",
  ])("the target %s is its path (RFC 9112, 3.2.2)", async (target) => {
    const authorization = `Authorization: Bearer ${token}`;
    const answer = await probe.raw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\n${authorization}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(probe.echoed).toEqual([{ id: "1", name: "b" }]);
  });

  test.each(["http://a.example", "http://a.example?x=1", "http://a.example/"])(
    "the target %s is the path /",
    async (target) => {
      const answer = await probe.raw(
        `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toContain('"name":"payrail"');
    },
  );

  test("HTTP/1.0 needs no Host", async () => {
    expect(await probe.raw("GET / HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });

  test("X-Request-Id is the client's if it is a short plain token", async () => {
    const idOf = async (given: string) => {
      const answer = await probe.http.get("/nope", { headers: { "x-request-id": given } });
      return answer.headers["x-request-id"];
    };
    expect(await idOf("order-17.a:b_C")).toBe("order-17.a:b_C");
    for (const wrong of ["", "a b", "a<script>", "é", "a".repeat(65), "a,b", "{}"]) {
      expect(await idOf(wrong)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test("X-Request-Id is not taken from X-Correlation-Id", async () => {
    const headers = { "x-request-id": "order-17", "x-correlation-id": "other" };
    const answer = await probe.http.get("/echo/1", { token, headers });
    expect(answer.headers["x-request-id"]).toBe("order-17");
  });

  test("a condition on a cached copy is ignored: the action's result is answered", async () => {
    const headers = { "if-none-match": "*", "if-modified-since": new Date().toUTCString() };
    const { status, body } = await probe.http.post("/public/1", { name: "a" }, { headers });
    expect([status, body.data]).toEqual([200, { id: "1", name: "a" }]);
  });

  test("pages have a policy that allows requests only to this server", async () => {
    const { headers } = await probe.http.get("/docs");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test("in production there is HSTS as well", async () => {
    const production = await startProbe({
      environment: {
        NODE_ENV: "production",
        PUBLIC_URL: "https://pay.example",
        // The gateway itself opens no database; this nats-server accepts any credentials.
        MONGO_URL: "mongodb://ada:secret@db.example/payrail",
        NATS_URL: (process.env.TEST_NATS_URL as string).replace("://", "://ada:secret@"),
        ALLOW_PLAINTEXT: "true",
      },
    });
    const { headers } = await production.http.get("/nope");
    expect(headers["strict-transport-security"]).toMatch(/^max-age=\d{8}/);
    await production.stop();
  });
});

describe("CORS", () => {
  const origin = "https://app.example.com";
  const preflight = { origin, "access-control-request-method": "POST" };

  test("is off by default", async () => {
    const answer = await probe.http.post("/public/1", {}, { headers: { origin } });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("allows only the configured origin, and a preflight runs no action", async () => {
    const open = await startProbe({ environment: { CORS_ORIGIN: origin } });
    const asked = await open.http.request("OPTIONS", "/public/1", { headers: preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers["access-control-allow-origin"]).toBe(origin);
    expect(asked.headers["access-control-allow-methods"]).toBe("GET, POST, PATCH, DELETE");
    expect(open.echoed).toEqual([]);
    expect((await open.http.get("/nope")).status).toBe(404);

    const answer = await open.http.post("/public/1", {}, { headers: { origin } });
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(answer.headers["access-control-expose-headers"]).toBe(
      "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Preference-Applied",
    );

    const other = { origin: "https://evil.example.com" };
    const refused = await open.http.post("/public/1", {}, { headers: other });
    expect(refused.headers["access-control-allow-origin"]).not.toBe(other.origin);
    await open.stop();
  });

  test("does not allow an origin that is a part of the configured one, but runs its requests", async () => {
    const open = await startProbe({ environment: { CORS_ORIGIN: origin } });
    const part = { origin: origin.slice(0, -1) };
    const answer = await open.http.post("/public/1", { name: "a" }, { headers: part });
    expect(answer.status).toBe(200);
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    await open.stop();
  });
});

describe("moleculer-web", () => {
  test("publishes no action of its own, and no other node gets the table of routes", async () => {
    const actions = probe.broker.registry.getActionList({});
    expect(actions.filter(({ name }) => name.startsWith("gateway."))).toEqual([]);
    const { services } = probe.broker.getLocalNodeInfo();
    const settings = services.find(({ name }) => name === "gateway")?.settings;
    expect(settings).toMatchObject({ server: false });
    for (const secret of ["routes", "rootCallOptions", "qsOptions"]) {
      expect(settings).not.toHaveProperty(secret);
    }
  });
});
