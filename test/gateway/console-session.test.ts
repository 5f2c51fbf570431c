// Sessions of the console over HTTP: signing in by credentials, by a token and at the identity
// provider; what the cookie opens, and what no other page can do with it.

import { randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import { createCookie } from "../../services/gateway/console/cookie.ts";
import { isKeysUrl } from "../../services/gateway/console/open-id.ts";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import type { Answer } from "../support/http.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { testEnvironment, until } from "../support/system.ts";
import { startWorld, type TestBusiness, type World } from "../support/world.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";

const SESSION = "/console/api/session";
/** The header that the console's own scripts send. */
const OWN = { "payrail-console": "1" };

let provider: IdentityProvider;
let world: World;
let business: TestBusiness;
beforeAll(async () => {
  provider = await startIdentityProvider();
  world = await startWorld({ environment: provider.environment });
  business = await world.business();
});
afterAll(async () => {
  await world?.stop();
  await provider?.stop();
});

/** The cookie that an answer sets, as a browser sends it back; empty if it removes it. */
function cookieOf({ headers }: Answer): string {
  const [set = ""] = headers["set-cookie"] ?? [];
  return set.split(";")[0] ?? "";
}

const signIn = (body: object, headers: Record<string, string> = OWN) =>
  world.http.post(SESSION, body, { headers });
const credentials = () => ({
  clientId: business.clientId,
  clientSecret: business.clientSecret,
});
const visit = async (cookie: string) =>
  (await world.http.get(SESSION, { headers: { ...OWN, cookie } })).body.data;
const wallets = (headers: Record<string, string>) =>
  world.http.get(`/console/api/v1/business/${business.id}/wallets`, { headers });

test("a merchant signs in with a client's credentials, and out", async () => {
  expect((await visit("")).session).toBeNull();
  const answer = await signIn(credentials());
  expect(answer.status).toBe(200);
  const [set = ""] = answer.headers["set-cookie"] ?? [];
  expect(set).toMatch(
    /^payrail=access\.\S+; Max-Age=(3599|3600); Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const cookie = cookieOf(answer);
  expect(await visit(cookie)).toEqual({
    session: {
      role: "merchant",
      id: business.id,
      name: expect.any(String),
      scopes: ["external.apis"],
      expiresAt: expect.any(String),
    },
    openId: true,
    sandbox: true,
  });
  const own = await wallets({ ...OWN, cookie });
  expect([own.status, own.body.data]).toEqual([200, []]);
  const out = await world.http.delete(SESSION, { headers: { ...OWN, cookie } });
  expect([out.status, cookieOf(out)]).toEqual([200, "payrail="]);
});

test("an operator signs in with a token, which the audit log keeps", async () => {
  const sub = randomUUID();
  const token = world.tokens.admin(sub);
  const cookie = cookieOf(await signIn({ token }));
  expect((await visit(cookie)).session).toMatchObject({ role: "admin", id: sub, name: null });
  const log = await world.http.get(`/console/api/v1/admin/audit-log?by=${sub}`, {
    headers: { ...OWN, cookie },
  });
  expect(log.body.data).toMatchObject([{ action: "signIn", by: sub, status: 200 }]);
});

test("wrong credentials, and tokens of end users, open no session", async () => {
  const user = await world.user(business);
  for (const body of [
    { ...credentials(), clientSecret: "wrong" },
    { clientId: randomUUID(), clientSecret: "wrong" },
    { token: "no token" },
    { token: user.token },
  ]) {
    const answer = await signIn(body);
    expect([answer.status, answer.body.code, answer.headers["set-cookie"]]).toEqual([
      401,
      "unauthorized",
      undefined,
    ]);
    // A browser would ask for a password.
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  }
  const long = await signIn({ token: "x".repeat(5_000) });
  expect([long.status, long.body.errors[0].field]).toEqual([400, "token"]);
});

test("a token of a business that does not exist opens no session", async () => {
  const answer = await signIn({ token: world.tokens.merchant(randomUUID()) });
  expect([answer.status, answer.headers["set-cookie"]]).toEqual([401, undefined]);
});

test("a session ends with its client, and its token opens no other", async () => {
  const other = await world.business();
  const client = { clientId: other.clientId, clientSecret: other.clientSecret };
  const cookie = cookieOf(await signIn(client));
  const path = `/v1/business/${other.id}/api-clients/${other.clientId}`;
  await world.http.patch(path, { disabled: true }, { token: other.token });
  await until(async () => {
    const answer = await world.http.get(`/console/api/v1/business/${other.id}`, {
      headers: { ...OWN, cookie },
    });
    return answer.status === 401;
  });
  expect((await visit(cookie)).session).toBeNull();
  expect((await signIn({ token: cookie.replace("payrail=access.", "") })).status).toBe(401);
});

test("the cookie opens nothing but the console's API, and only for the console's scripts", async () => {
  const cookie = cookieOf(await signIn(credentials()));
  expect((await wallets({ ...OWN, cookie })).status).toBe(200);
  // The API itself knows no cookie.
  const direct = await world.http.get(`/v1/business/${business.id}/wallets`, {
    headers: { ...OWN, cookie },
  });
  expect(direct.status).toBe(401);
  // The console's API knows no Authorization header.
  expect((await wallets({ ...OWN, authorization: `Bearer ${business.token}` })).status).toBe(401);
  // Pages of other sites cannot set the header, and the browser tells where they are.
  expect((await wallets({ cookie })).status).toBe(401);
  for (const from of ["cross-site", "same-site", "none"]) {
    expect((await wallets({ ...OWN, cookie, "sec-fetch-site": from })).status).toBe(401);
    expect((await signIn(credentials(), { ...OWN, "sec-fetch-site": from })).status).toBe(401);
  }
  expect((await wallets({ ...OWN, cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  expect((await signIn(credentials(), {})).status).toBe(401);
  expect((await world.http.delete(SESSION, { headers: { cookie } })).status).toBe(401);
});

test("another business's things are not there, and an admin's routes are closed to merchants", async () => {
  const other = await world.business();
  const cookie = cookieOf(await signIn(credentials()));
  const headers = { ...OWN, cookie };
  const foreign = await world.http.get(`/console/api/v1/business/${other.id}/wallets`, { headers });
  expect(foreign.status).toBe(404);
  expect((await world.http.get("/console/api/v1/admin/attention", { headers })).status).toBe(401);
});

const toldAt = (problem: string) => `/console#/sign-in/${problem}`;
const REFUSED = toldAt("refused");
const FAILED = toldAt("failed");
const REMOVED = "payrail-sent=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax";

/** The header of a request to PUBLIC_URL. */
const atPublicUrl = ({ publicUrl }: Pick<Config, "publicUrl">) => ({
  headers: { host: new URL(publicUrl).host },
});

/** Sends a person to the identity provider and back. */
async function comeBack(claims: object, change = (path: string) => path) {
  const sent = await world.http.get("/console/sign-in", atPublicUrl(loadConfig(testEnvironment())));
  expect(sent.status).toBe(303);
  const [set = ""] = sent.headers["set-cookie"] ?? [];
  expect(set).toMatch(/^payrail-sent=\S+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  const path = change(provider.confirm(sent.headers.location as string, claims));
  return world.http.get(path, { headers: { cookie: cookieOf(sent) } });
}

test("an operator signs in at the identity provider, and is the same person each time", async () => {
  const claims = { sub: "operator-7", email: "ada@example.com", payrail_role: ["admin", "other"] };
  const ids: string[] = [];
  for (const _ of [1, 2]) {
    const answer = await comeBack(claims);
    expect([answer.status, answer.headers.location]).toEqual([303, "/console"]);
    expect(answer.headers["set-cookie"]?.[1]).toBe(REMOVED);
    const cookie = cookieOf(answer);
    expect(cookie).toMatch(/^payrail=id\./);
    const { session } = await visit(cookie);
    expect(session).toMatchObject({ role: "admin", name: "ada@example.com" });
    ids.push(session.id);
    const log = await world.http.get(`/console/api/v1/admin/audit-log?by=${session.id}&limit=1`, {
      headers: { ...OWN, cookie },
    });
    expect(log.body.data).toMatchObject([{ request: { name: "ada@example.com" } }]);
  }
  expect(ids[0]).toBe(ids[1]);
});

test.each([
  ["refunds payouts", ["refunds", "payouts"]],
  [
    ["refunds", "payouts"],
    ["refunds", "payouts"],
  ],
  ["", []],
  [[], []],
  [undefined, ["external.apis"]],
])("a merchant's scopes at the identity provider are %j", async (payrail_scope, scopes) => {
  const claims = { sub: randomUUID(), payrail_role: "merchant", payrail_business: business.id };
  const cookie = cookieOf(await comeBack({ ...claims, payrail_scope }));
  expect((await visit(cookie)).session).toMatchObject({ id: business.id, scopes });
});

test("a merchant of the identity provider has only the scopes that it names", async () => {
  const claims = {
    sub: randomUUID(),
    payrail_role: "merchant",
    payrail_business: business.id,
    payrail_scope: "refunds",
  };
  const cookie = cookieOf(await comeBack(claims));
  expect((await wallets({ ...OWN, cookie })).status).toBe(200);
  const create = await world.http.post(
    `/console/api/v1/business/${business.id}/webhooks`,
    { url: "https://example.com/hooks" },
    { headers: { ...OWN, cookie } },
  );
  expect([create.status, create.body.code]).toEqual([401, "insufficient_scope"]);
});

test("an answer of the identity provider that does not fit opens no session", async () => {
  const admin = { sub: "operator-7", payrail_role: "admin" };
  const past = Math.floor(Date.now() / 1_000) - 3_600;
  const wrong: [object, ((path: string) => string)?, string?][] = [
    [{ ...admin, nonce: "of another sign-in" }],
    [{ ...admin, aud: "another client" }],
    [{ ...admin, aud: ["payrail-console", "another"], azp: "another" }],
    [{ ...admin, iss: "https://elsewhere.example" }],
    [{ ...admin, exp: past, iat: past - 60 }],
    [{ sub: "nobody" }, undefined, "no-role"],
    [{ sub: "nobody", payrail_role: "user" }, undefined, "no-role"],
    [{ sub: "nobody", payrail_role: "merchant" }, undefined, "no-business"],
    ...["no id", randomUUID()].map((payrail_business): [object, undefined, string] => [
      { sub: "nobody", payrail_role: "merchant", payrail_business },
      undefined,
      "no-business",
    ]),
    ...[null, {}, 7, [7], [["refunds"]]].map((scope): [object, undefined, string] => [
      {
        sub: "nobody",
        payrail_role: "merchant",
        payrail_business: business.id,
        payrail_scope: scope,
      },
      undefined,
      "no-role",
    ]),
    [admin, (path) => path.replace(/state=[^&]+/, "state=of-another")],
    [admin, (path) => path.replace(/code=[^&]+/, "code=made-up")],
    [admin, () => "/console/signed-in?error=access_denied"],
  ];
  for (const [claims, change, problem = "refused"] of wrong) {
    const { status, headers } = await comeBack(claims, change);
    expect([claims, status, headers.location]).toEqual([claims, 303, toldAt(problem)]);
    expect(headers["set-cookie"]).toEqual([REMOVED]);
  }
  // Without having been sent there by this browser.
  const stray = await world.http.get("/console/signed-in?code=made-up&state=made-up");
  expect([stray.status, stray.headers.location]).toEqual([303, toldAt("expired")]);
});

test("an email address that is not verified names nobody", async () => {
  const claims = { sub: "operator-9", email: "ada@example.com", payrail_role: "admin" };
  const cookie = cookieOf(await comeBack({ ...claims, email_verified: false }));
  expect((await visit(cookie)).session).toMatchObject({ role: "admin", name: null });
});

test("nobody is signed out by a stray answer of the identity provider", async () => {
  const cookie = cookieOf(await signIn(credentials()));
  const stray = await world.http.get("/console/signed-in?error=access_denied", {
    headers: { cookie },
  });
  expect([stray.headers.location, stray.headers["set-cookie"]]).toEqual([
    toldAt("expired"),
    undefined,
  ]);
});

test("an ID token that is too long for a cookie is no refusal", async () => {
  const claims = { sub: "operator-7", payrail_role: "admin", groups: "x".repeat(3_000) };
  expect((await comeBack(claims)).headers.location).toBe(toldAt("too-long"));
});

test("a sign-in that begins at another host goes on at PUBLIC_URL, at most once", async () => {
  const { publicUrl } = loadConfig(testEnvironment());
  const elsewhere = await world.http.get("/console/sign-in");
  expect([elsewhere.status, elsewhere.headers.location]).toEqual([
    303,
    `${publicUrl}/console/sign-in?at=public-url`,
  ]);
  expect(elsewhere.headers["set-cookie"]).toBeUndefined();
  // A proxy may name another host than the browser does.
  const { pathname, search } = new URL(elsewhere.headers.location as string);
  const sent = await world.http.get(pathname + search);
  expect(sent.headers.location).toMatch(/\/authorize\?/);
});

test("an ID token is no access token, and one of a stranger's key is none at all", async () => {
  const claims = { sub: "operator-7", payrail_role: "admin" };
  const cookie = cookieOf(await comeBack(claims));
  const idToken = cookie.replace("payrail=id.", "");
  const asAccess = await world.http.get("/v1/admin/attention", { token: idToken });
  expect(asAccess.status).toBe(401);
  expect((await visit(`payrail=access.${idToken}`)).session).toBeNull();
  const token = world.tokens.admin(randomUUID());
  expect((await visit(`payrail=id.${token}`)).session).toBeNull();
  const forged = jwt.sign({ ...(jwt.decode(idToken) as object), sub: "operator-8" }, "a secret");
  expect((await visit(`payrail=id.${forged}`)).session).toBeNull();
  provider.signWithStrangersKey();
  expect((await comeBack(claims)).headers.location).toBe(REFUSED);
});

describe("another identity provider", () => {
  let other: IdentityProvider;
  beforeEach(async () => {
    other = await startIdentityProvider();
  });
  afterEach(() => other.stop());

  /** A gateway alone, whose identity provider this is. */
  async function withGateway<T>(overrides: object, use: (probe: Probe) => Promise<T>): Promise<T> {
    const probe = await startProbe({ environment: { ...other.environment, ...overrides } });
    try {
      return await use(probe);
    } finally {
      await probe.stop();
    }
  }

  test("that is away refuses nobody, and is asked again", async () => {
    await withGateway({}, async ({ http, log, config }) => {
      other.isAway = true;
      const send = () => http.get("/console/sign-in", atPublicUrl(config));
      expect((await send()).headers.location).toBe(FAILED);
      expect(log.filter(({ level }) => level === "warn")).toHaveLength(1);
      other.isAway = false;
      const { headers } = await send();
      expect(headers.location).toMatch(/\/authorize\?/);
    });
  });

  test.each<[claims: object, problem: string, reason: RegExp]>([
    [{ sub: "a" }, "no-role", /^neither admin nor merchant in the claim payrail_role$/],
    [{ sub: "a", payrail_role: "merchant" }, "no-business", /the claim payrail_business$/],
    [{ sub: "a", aud: "b" }, "refused", /aud/],
    [{ sub: "a", exp: 1, iat: 1 }, "refused", /exp/],
  ])("that confirms %j leaves the reason in the log", async (claims, problem, reason) => {
    await withGateway({}, async ({ http, config, broker }) => {
      const warn = jest.spyOn(broker.logger, "warn");
      const sent = await http.get("/console/sign-in", atPublicUrl(config));
      const path = other.confirm(sent.headers.location as string, claims);
      await http.get(path, { headers: { cookie: cookieOf(sent) } });
      expect(warn).toHaveBeenCalledWith("A sign-in at the identity provider opened no session", {
        problem,
        reason: expect.stringMatching(reason),
      });
    });
  });

  test("may name its issuer with a slash at the end", async () => {
    const OPENID_ISSUER = `${other.environment.OPENID_ISSUER}/`;
    await withGateway({ OPENID_ISSUER }, async ({ http, config }) => {
      const sent = await http.get("/console/sign-in", atPublicUrl(config));
      const path = other.confirm(sent.headers.location as string, {
        sub: "operator-7",
        payrail_role: "admin",
      });
      const answer = await http.get(path, { headers: { cookie: cookieOf(sent) } });
      // The token is verified; without accounts no sign-in can be recorded.
      expect(answer.headers.location).toBe(FAILED);
    });
  });
});

test("keys of an identity provider with TLS are fetched over TLS", () => {
  expect(isKeysUrl("https://id.example.com/keys", true)).toBe(true);
  expect(isKeysUrl("http://id.example.com/keys", true)).toBe(false);
  expect(isKeysUrl("http://127.0.0.1:8080/keys", false)).toBe(true);
  expect(isKeysUrl("", true)).toBe(false);
});

test.each([
  ["https://pay.example.com", "__Host-payrail", "; Secure"],
  ["HTTPS://pay.example.com", "__Host-payrail", "; Secure"],
  ["http://localhost:3000", "payrail", ""],
])("the cookie of %s", (publicUrl, name, secure) => {
  const { keep, read } = createCookie("payrail", "strict", { publicUrl });
  const set = keep("value", 60.9);
  expect(set).toBe(`${name}=value; Max-Age=60; Path=/; HttpOnly${secure}; SameSite=Strict`);
  expect(read({ cookie: `a=b; ${name}=value` })).toBe("value");
  expect(read({ cookie: "other=value" })).toBeNull();
  expect(keep("x".repeat(3_073), 60)).toBeNull();
});

test("a page of the API's origin cannot call the console's", async () => {
  const { http, stop } = await startProbe({
    environment: { CORS_ORIGIN: "https://app.example.com" },
  });
  try {
    const headers = { origin: "https://app.example.com", "access-control-request-method": "GET" };
    const preflight = (path: string) => http.request("OPTIONS", path, { headers });
    expect((await preflight("/echo/1")).status).toBe(204);
    for (const path of [SESSION, "/console/api/v1/echo/1", "/console"]) {
      expect((await preflight(path)).status).not.toBe(204);
    }
  } finally {
    await stop();
  }
});
