// POST /v1/oauth/token over HTTP, as RFC 6749 has it: both ways to send the client's credentials,
// both content types, answers at the top level, errors as {error}. test/accounts/oauth.test.ts
// tests the grants.

import jwt, { type JwtPayload } from "jsonwebtoken";
import type { Answer } from "../support/http.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";

const GRANT = { grant_type: "client_credentials" };

let world: World;
let business: TestBusiness;
beforeAll(async () => {
  world = await startWorld();
  business = await world.business();
});
afterAll(() => world?.stop());

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
const own = () => basic(business.clientId, business.clientSecret);
const inBody = () => ({ client_id: business.clientId, client_secret: business.clientSecret });

function asForm(fields: Record<string, string> | [string, string][], authorization?: string) {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(authorization !== undefined && { authorization }),
  };
  const raw = new URLSearchParams(fields).toString();
  return world.http.request("POST", "/v1/oauth/token", { raw, headers });
}

function asJson(body: object, authorization?: string): Promise<Answer> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return world.http.post("/v1/oauth/token", body, { headers });
}

test("a client authenticates with Basic or in the body, as a form or as JSON", async () => {
  for (const answer of [
    await asForm(GRANT, own()),
    await asForm({ ...GRANT, ...inBody() }),
    await asJson(GRANT, own()),
    await asJson({ ...GRANT, ...inBody() }),
  ]) {
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3_600,
      scope: "external.apis",
    });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.headers.pragma).toBe("no-cache");
    const { sub, role } = jwt.decode(answer.body.access_token) as JwtPayload;
    expect({ sub, role }).toEqual({ sub: business.id, role: "merchant" });
  }
});

test("the body may repeat the client of Basic, and an empty secret counts as absent", async () => {
  const fields = { ...GRANT, client_id: business.clientId, client_secret: "" };
  expect((await asForm(fields, own())).status).toBe(200);
});

test("credentials in the query are ignored", async () => {
  const query = new URLSearchParams({ ...GRANT, ...inBody() }).toString();
  const answer = await world.http.post(`/v1/oauth/token?${query}`, GRANT);
  expect([answer.status, answer.body]).toEqual([401, { error: "invalid_client" }]);
});

test("a client's token opens the business's routes, and a user's token the user's", async () => {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet);
  const merchant = (await asForm(GRANT, own())).body.access_token;
  const entities = await world.http.get(`/v1/business/${business.id}/entities`, {
    token: merchant,
  });
  expect(entities.body.data).toMatchObject([{ id: user.id }]);

  const token = (await asForm({ ...GRANT, subject: user.id }, own())).body.access_token;
  expect((await world.withdraw({ token }, bank)).status).toBe(200);
  await world.verifyBooks();
});

test.each<[string, () => Promise<Answer>, number, string]>([
  ["no grant type", () => asForm({}, own()), 400, "invalid_request"],
  ["an empty body", () => asForm([], own()), 400, "invalid_request"],
  [
    "a parameter twice",
    () => asForm([...Object.entries(GRANT), ["scope", "a"], ["scope", "b"]], own()),
    400,
    "invalid_request",
  ],
  ["both ways at once", () => asForm({ ...GRANT, ...inBody() }, own()), 400, "invalid_request"],
  [
    "Basic of one client and the id of another",
    () => asForm({ ...GRANT, client_id: "other" }, own()),
    400,
    "invalid_request",
  ],
  [
    "Basic and the id twice",
    () => asForm([...Object.entries(GRANT), ["client_id", "a"], ["client_id", "b"]], own()),
    400,
    "invalid_request",
  ],
  ["another grant", () => asForm({ grant_type: "password" }, own()), 400, "unsupported_grant_type"],
  ["an unknown scope", () => asForm({ ...GRANT, scope: "root" }, own()), 400, "invalid_scope"],
  ["another's user", () => asForm({ ...GRANT, subject: business.id }, own()), 400, "invalid_grant"],
  ["no client", () => asForm(GRANT), 401, "invalid_client"],
  ["a wrong secret", () => asForm(GRANT, basic(business.clientId, "wrong")), 401, "invalid_client"],
  ["an unknown client", () => asForm(GRANT, basic("unknown", "wrong")), 401, "invalid_client"],
  ["Basic without a colon", () => asForm(GRANT, "Basic YWJj"), 401, "invalid_client"],
  ["Basic that is no base64", () => asForm(GRANT, "Basic !"), 401, "invalid_client"],
  ["Basic with bad encoding", () => asForm(GRANT, "Basic JTplJQ=="), 401, "invalid_client"],
  ["a bearer token", () => asForm(GRANT, `Bearer ${business.token}`), 401, "invalid_client"],
  ["JSON that is a list", () => asJson([GRANT], own()), 400, "invalid_request"],
  [
    "a list as a secret",
    () => asJson({ ...GRANT, ...inBody(), client_secret: ["a"] }),
    400,
    "invalid_request",
  ],
  [
    "an object as a client",
    () => asJson({ ...GRANT, ...inBody(), client_id: { $gt: "" } }),
    400,
    "invalid_request",
  ],
])("%s is refused in the form of RFC 6749", async (_, ask, status, error) => {
  const answer = await ask();
  expect([answer.status, answer.body.error]).toEqual([status, error]);
  expect(answer.headers["cache-control"]).toBe("no-store");
  const challenge = answer.headers["www-authenticate"];
  expect(challenge).toBe(status === 401 ? 'Basic realm="payrail"' : undefined);
});

test("another content type is a 415 and a large body a 413, in the same form", async () => {
  const send = (type: string, raw: string) =>
    world.http.request("POST", "/v1/oauth/token", { raw, headers: { "content-type": type } });
  const typed = await send("text/plain", "grant_type=client_credentials");
  expect([typed.status, typed.body.error]).toEqual([415, "invalid_request"]);
  expect(typed.body.error_description).toContain("application/x-www-form-urlencoded");
  for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
    const large = await send(type, "a".repeat(300_000));
    expect([large.status, large.body.error]).toEqual([413, "invalid_request"]);
  }
});

describe("wrong guesses of a secret", () => {
  const PROXY = "127.0.0.1";
  const guess = (of: TestBusiness, on: World, forwardedFor?: string): Promise<Answer> =>
    on.http.post("/v1/oauth/token", GRANT, {
      headers: {
        authorization: basic(of.clientId, "wrong"),
        ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }),
      },
    });
  const statuses = async (count: number, ask: (i: number) => Promise<Answer>) => {
    const seen: number[] = [];
    for (let i = 0; i < count; i += 1) seen.push((await ask(i)).status);
    return seen;
  };
  const TEN_WRONG = Array.from({ length: 10 }, () => 401);

  test("are limited: 429 with Retry-After", async () => {
    const guessed = await world.business();
    expect(await statuses(10, () => guess(guessed, world))).toEqual(TEN_WRONG);
    const answer = await guess(guessed, world);
    expect([answer.status, answer.body.error]).toEqual([429, "slow_down"]);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  });

  test("stay limited with an X-Forwarded-For that no trusted proxy sent", async () => {
    for (const TRUST_PROXY of ["", "192.0.2.0/24"]) {
      const direct = await startWorld({ environment: { TRUST_PROXY } });
      try {
        const guessed = await direct.business();
        const ask = (i: number) => guess(guessed, direct, `203.0.113.${i}`);
        expect(await statuses(11, ask)).toEqual([...TEN_WRONG, 429]);
      } finally {
        await direct.stop();
      }
    }
  });

  test("count for the address that a trusted proxy saw, not for the entries before it", async () => {
    const behind = await startWorld({ environment: { TRUST_PROXY: `${PROXY},10.0.0.0/8` } });
    try {
      const guessed = await behind.business();
      const lies = (i: number) => `198.51.100.${i}, 203.0.113.7, 10.1.2.3`;
      expect(await statuses(11, (i) => guess(guessed, behind, lies(i)))).toEqual([
        ...TEN_WRONG,
        429,
      ]);
      expect((await guess(guessed, behind, "203.0.113.8")).status).toBe(401);
      // A malformed address counts as the proxy's own.
      const nonsense = (i: number) => guess(guessed, behind, `${"x".repeat(300)}${i}`);
      expect(await statuses(11, nonsense)).toEqual([...TEN_WRONG, 429]);
    } finally {
      await behind.stop();
    }
  });
});

test("with tokens from another issuer the endpoint is a 501", async () => {
  const elsewhere = await startWorld({ environment: { JWT_PRIVATE_KEY: "" } });
  const body = { ...GRANT, client_id: "a", client_secret: "b" };
  const answer = await elsewhere.http.post("/v1/oauth/token", body);
  expect([answer.status, answer.body.error]).toEqual([501, "server_error"]);
  await elsewhere.stop();
});
