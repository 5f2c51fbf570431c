// The limit of requests (API_LIMIT) of an API client, and of a subject of tokens without a client.

import { randomUUID } from "node:crypto";
import { requestLimit } from "../../services/gateway/access/request-limit.ts";
import { systemClock } from "../../shared/clock.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({ environment: { API_LIMIT: "5/1h" } });
});
afterAll(() => world?.stop());

test("an end user's requests count with those of the client, and no other client's", async () => {
  const business = await world.business();
  const user = await world.user(business);
  const token = async (more: object = {}): Promise<string> => {
    const { clientId, clientSecret } = business;
    const credentials = { client_id: clientId, client_secret: clientSecret };
    const grant = { grant_type: "client_credentials", ...credentials, ...more };
    return (await world.http.post("/v1/oauth/token", grant)).body.access_token;
  };
  const [own, users] = [await token(), await token({ subject: user.id })];
  const path = `/v1/business/${business.id}`;
  for (let i = 0; i < 2; i += 1)
    expect((await world.http.get(path, { token: own })).status).toBe(200);
  const accounts = "/v1/ext/linked-accounts/USD";
  for (let i = 0; i < 3; i += 1) {
    expect((await world.http.get(accounts, { token: users })).status).toBe(200);
  }
  for (const answer of [
    await world.http.get(path, { token: own }),
    await world.http.get(accounts, { token: users }),
    await world.http.post(`${path}/api-clients`, {}, { token: own }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([429, "rate_limited"]);
    const { headers } = answer;
    expect(headers["ratelimit-policy"]).toBe('"api";q=5;w=3600');
    expect(headers.ratelimit).toBe(`"api";r=0;t=${headers["retry-after"]}`);
    expect(Number(headers["retry-after"])).toBeGreaterThan(3_000);
  }
  // Tokens without a valid signature count for nobody, and a public route has no caller.
  expect((await world.http.get(path, { token: `${own}x` })).status).toBe(401);
  expect((await world.http.get("/health/live")).status).toBe(200);
  const other = await world.business();
  const { token: theirs } = other;
  expect((await world.http.get(`/v1/business/${other.id}`, { token: theirs })).status).toBe(200);
});

test("a token without a client counts for its subject", async () => {
  const one = { token: world.tokens.admin(randomUUID()) };
  const other = { token: world.tokens.admin(randomUUID()) };
  const list = "/v1/admin/businesses";
  for (let i = 0; i < 5; i += 1) dataOf(await world.http.get(list, one), 200);
  expect((await world.http.get(list, one)).status).toBe(429);
  expect((await world.http.get(list, other)).status).toBe(200);
});

test("a window begins with a request, and another one after its end", () => {
  let at = 0;
  const clock = { ...systemClock, now: () => at };
  const count = requestLimit({ count: 2, windowMs: 1_500 }, clock);
  const caller = { sub: randomUUID(), client: null };
  const isRefused = () => {
    try {
      count(caller);
      return false;
    } catch {
      return true;
    }
  };
  expect([isRefused(), isRefused(), isRefused()]).toEqual([false, false, true]);
  at += 1_499;
  expect(isRefused()).toBe(true);
  at += 1;
  expect([isRefused(), isRefused(), isRefused()]).toEqual([false, false, true]);
});

test("without a limit nothing is counted", () => {
  const count = requestLimit(null, systemClock);
  for (let i = 0; i < 1_000; i += 1) count({ sub: randomUUID(), client: null });
});
