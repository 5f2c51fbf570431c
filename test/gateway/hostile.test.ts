// Hostile input on every endpoint, generated from the table of routes: operators, patterns,
// prototype keys, megabytes, ids of other parties, every kind of token, method tricks. The values
// of single fields are in hostile-values.deep.test.ts. Each request is refused with a 4xx that
// names the error, and the database stays the same to the byte.

import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import { ORDINARY_ERRORS } from "../../services/gateway/http/refusal.ts";
import type { Route } from "../../services/gateway/http/route.ts";
import { listRefusal, refusal, withoutId } from "../support/refusal.ts";
import {
  type Changes,
  fillPath,
  IN_PATH_NO_ID,
  named,
  sendSample,
  TABLE,
  withBody,
} from "../support/sampled-routes.ts";
import { makeThings, type Sample, samplesOf, type Things } from "../support/samples.ts";
import { allStored, type Stored, settledStored } from "../support/stored.ts";
import { privatePem, publicPem, served } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

const guarded = TABLE.filter(({ access }) => access !== null);
const withQuery = TABLE.filter(({ inQuery }) => inQuery.length > 0);

let world: World;
let mine: Things;
let theirs: Things;
let samples: Record<string, Sample>;
let before: Stored;

beforeAll(async () => {
  world = await startWorld({ erasesAtOnce: true });
  mine = await makeThings(world);
  theirs = await makeThings(world);
  samples = samplesOf(world, mine);
  before = await settledStored(world);
});
afterAll(async () => {
  await world?.verifyBooks();
  await world?.stop();
});

const sampleOf = ({ name }: Route): Sample => samples[name] as Sample;

const send = (route: Route, changes?: Changes) =>
  sendSample(world, route, sampleOf(route), changes);

test("every route has a sample", () => {
  expect(Object.keys(samples).toSorted()).toEqual(TABLE.map(({ name }) => name).toSorted());
});

describe("tokens", () => {
  const nowS = Math.floor(Date.now() / 1_000);

  /** The changed tokens by sample and change: signing one takes as long as a refused request. */
  const signed = new Map<string, string>();

  /** A token of the route's role, changed. */
  function changed(route: Route, changes: Record<string, unknown>, key?: string): string {
    const { token } = sampleOf(route);
    const entry = JSON.stringify([token, Object.entries(changes), key]);
    const made = signed.get(entry) ?? signChanged(token, changes, key);
    signed.set(entry, made);
    return made;
  }

  function signChanged(token: string, changes: Record<string, unknown>, key?: string): string {
    const { sub, role, scope } = jwt.decode(token) as jwt.JwtPayload;
    const claims = {
      iss: "payrail",
      aud: "payrail",
      sub,
      role,
      scope,
      iat: nowS,
      exp: nowS + 3_600,
    };
    const kept = Object.entries({ ...claims, ...changes }).filter(
      ([, value]) => value !== undefined,
    );
    const own = privatePem(world.config);
    return jwt.sign(Object.fromEntries(kept), key ?? own, { algorithm: "ES256" });
  }

  function forged(route: Route, alg: string, sign: (unsigned: string) => string): string {
    const [, claims] = sampleOf(route).token.split(".");
    const unsigned = `${Buffer.from(JSON.stringify({ alg })).toString("base64url")}.${claims}`;
    return `${unsigned}.${sign(unsigned)}`;
  }

  const publicKey = () => publicPem(world.config);
  const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const otherPem = otherKey.export({ format: "pem", type: "pkcs8" }).toString();

  const BAD: [string, (route: Route) => string][] = [
    ["garbage", () => "garbage"],
    ["alg none", (route) => forged(route, "none", () => "")],
    [
      "HS256 with the public key",
      (route) =>
        forged(route, "HS256", (unsigned) =>
          createHmac("sha256", publicKey()).update(unsigned).digest("base64url"),
        ),
    ],
    ["another key", (route) => changed(route, {}, otherPem)],
    ["expired", (route) => changed(route, { exp: nowS - 3_600 })],
    ["no exp", (route) => changed(route, { exp: undefined })],
    ["wrong issuer", (route) => changed(route, { iss: "other" })],
    ["wrong audience", (route) => changed(route, { aud: "other" })],
    ["not valid yet", (route) => changed(route, { nbf: nowS + 3_600 })],
    ["no sub", (route) => changed(route, { sub: undefined })],
    ["unknown role", (route) => changed(route, { role: "owner" })],
  ];
  /**
   * The two lists of linked accounts have a form of their own (docs/integrate/rest-api.md, Errors).
   */
  const unauthorized = ({ errorForm }: Route) =>
    errorForm === ORDINARY_ERRORS ? refusal("Unauthorized") : listRefusal("Unauthorized");

  test.each(named(guarded))("%s refuses every bad token in the same way", async (_, route) => {
    const none = await send(route, { token: "" });
    expect([none.status, none.body]).toEqual([401, unauthorized(route)]);
    expect(none.headers["www-authenticate"]).toBe("Bearer");
    for (const [kind, make] of BAD) {
      const { status, body, headers } = await send(route, { token: make(route) });
      expect([kind, status, body]).toEqual([kind, 401, unauthorized(route)]);
      expect(headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    }
  });

  test.each(named(guarded))("%s refuses other roles", async (_, route) => {
    const roles = (["user", "merchant", "admin"] as const).filter(
      (role) => !route.access?.roles.includes(role),
    );
    expect(roles.length).toBeGreaterThan(0);
    for (const role of roles) {
      const { status, body } = await send(route, { token: changed(route, { role }) });
      expect([role, status, body]).toEqual([role, 401, unauthorized(route)]);
    }
  });

  test.each(named(guarded.filter(({ access }) => access?.scope)))(
    "%s refuses a token without its scope",
    async (_, route) => {
      for (const scope of [undefined, "", "external", `x${route.access?.scope}`]) {
        const answer = await send(route, { token: changed(route, { scope }) });
        expect([answer.status, answer.body]).toEqual([401, unauthorized(route)]);
        expect(answer.headers["www-authenticate"]).toContain('error="insufficient_scope"');
      }
    },
  );
});

describe("things of another party", () => {
  /** A valid token of the right kind for another party. */
  const stranger = (route: Route) =>
    route.access?.roles.includes("user") ? theirs.user.token : theirs.business.token;
  const shared = guarded.filter(
    ({ inPath, access }) =>
      inPath.some((param) => !IN_PATH_NO_ID[param]) && !access?.roles.includes("admin"),
  );
  const ids = (things: Things): Record<string, string> => ({
    businessId: things.business.id,
    walletId: things.wallet.id,
    linkedAccountId: things.bank.id,
    token: things.applicationToken,
    entityId: things.user.id,
    clientId: things.clientId,
    transactionId: things.payoutId,
    id: things.payoutId,
    deliveryId: things.deliveryId,
    invoiceId: things.invoiceId,
  });
  const idOf = (route: Route, param: string, things: Things): string => {
    if (param !== "id") return ids(things)[param] as string;
    if (route.path.includes("/webhooks/")) return things.webhookId;
    if (route.path.includes("/payment-links/")) return things.linkId;
    if (route.path.includes("/payments/")) return things.paymentId;
    if (route.path.includes("/subscriptions/")) return things.subscriptionId;
    if (route.path.includes("/collection-accounts/")) return things.collectionAccountId;
    return things.payoutId;
  };

  test.each(named(shared))(
    "%s of another party is answered like an unknown one",
    async (_, route) => {
      const token = stranger(route);
      const { path } = sampleOf(route);
      const absent = Object.fromEntries(
        Object.keys(path).map((param) => [param, IN_PATH_NO_ID[param] ?? randomUUID()]),
      );
      const others = await send(route, { token });
      const unknown = await send(route, { token, path: absent });
      expect(others.status).toBe(404);
      expect(withoutId(others.body)).toEqual(withoutId(unknown.body));
      expect(others.status).toBe(unknown.status);
    },
  );

  const inner = shared.flatMap((route) =>
    route.inPath
      .filter((param) => param !== "businessId" && !IN_PATH_NO_ID[param])
      .map((param): [string, string, Route] => [route.name, param, route]),
  );
  test.each(inner)(
    "%s with another party's %s is answered like an unknown one",
    async (_, param, route) => {
      const { path } = sampleOf(route);
      const answerTo = (id: string) => send(route, { path: { ...path, [param]: id } });
      const others = await answerTo(idOf(route, param, theirs));
      const unknown = await answerTo(randomUUID());
      expect([others.status, withoutId(others.body)]).toEqual([404, withoutId(unknown.body)]);
      expect(unknown.status).toBe(404);
    },
  );

  const inBody = withBody.flatMap((route) =>
    ["entityId", "walletId"]
      .filter((field) => route.inBody.includes(field))
      .map((field): [string, string, Route] => [route.name, field, route]),
  );
  test.each(inBody)(
    "%s with another party's %s in its body is answered like an unknown one",
    async (_, field, route) => {
      const withMerchantWallet =
        route.name === "createApplicationToken" && field === "walletId"
          ? { withdrawalSource: "MERCHANT_WALLET" }
          : {};
      const answerTo = (id: string) =>
        send(route, { body: { ...sampleOf(route).body, ...withMerchantWallet, [field]: id } });
      const others = await answerTo(ids(theirs)[field] as string);
      const unknown = await answerTo(randomUUID());
      expect([others.status, withoutId(others.body)]).toEqual([404, withoutId(unknown.body)]);
      expect(unknown.status).toBe(404);
    },
  );

  const read = guarded.filter(
    ({ method, access }) => method === "GET" && access?.roles.some((role) => role !== "admin"),
  );
  test.each(named(read))("%s shows only the caller's own things", async (_, route) => {
    const { status, body, text } = await served(() => send(route));
    expect(status).toBe(200);
    // An empty list would show nothing of another party with any filter.
    if (Array.isArray(body.data)) expect(body.data).not.toEqual([]);
    const foreign = Object.values<string | { id: string }>({ ...theirs });
    for (const thing of foreign) {
      expect(text).not.toContain(typeof thing === "string" ? thing : thing.id);
    }
  });

  test("a token for another business's user is refused like one for an unknown user", async () => {
    const route = TABLE.find(({ name }) => name === "createToken") as Route;
    for (const subject of [theirs.user.id, randomUUID(), "1"]) {
      const { status, body } = await send(route, { body: { ...sampleOf(route).body, subject } });
      expect([status, body]).toEqual([400, { error: "invalid_grant" }]);
    }
  });
});

describe("bodies", () => {
  test.each(named(withBody))("%s refuses a body without a required field", async (_, route) => {
    for (const [field, { optional }] of Object.entries(route.body ?? {})) {
      if (optional || route.method === "PATCH") continue;
      const { [field]: _left, ...rest } = sampleOf(route).body ?? {};
      const { status, text } = await send(route, { body: rest });
      expect([field, status, text]).toEqual([field, 400, text]);
    }
  });

  test.each(named(TABLE.filter(({ method, takesText }) => method !== "GET" && !takesText)))(
    "%s refuses a body that is no JSON object, too large, or names a prototype",
    async (_, route) => {
      const { body = {}, token } = sampleOf(route);
      const text = JSON.stringify(body);
      const json = { "content-type": "application/json" };
      const raw = (bytes: string | Buffer, headers: Record<string, string> = json) =>
        world.http.request(route.method, fillPath(route, sampleOf(route)), {
          token,
          raw: bytes,
          headers,
        });
      for (const wrong of [
        `[${text}]`,
        '"a"',
        "1",
        "null",
        "{",
        `${text}x`,
        Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
        text.replace(/\}$/, `${text === "{}" ? "" : ","}"__proto__":{"isAdmin":true}}`),
        text.replace(/\}$/, `${text === "{}" ? "" : ","}"constructor":{"prototype":{"a":1}}}`),
        `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
      ]) {
        const answer = await raw(wrong);
        expect([wrong.slice(0, 40), answer.status]).toEqual([wrong.slice(0, 40), 400]);
      }
      expect((await raw(JSON.stringify({ ...body, filler: "a".repeat(2 ** 20) }))).status).toBe(
        413,
      );
      for (const type of ["text/plain", "application/xml", "multipart/form-data; boundary=x"]) {
        expect((await raw(text, { "content-type": type })).status).toBe(415);
      }
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );
});

describe("queries", () => {
  test.each(named(withQuery))(
    "%s refuses wrong, repeated and bracketed parameters",
    async (_, route) => {
      for (const param of route.inQuery) {
        for (const query of [
          `${param}=a&${param}=b`,
          `${param}[]=a`,
          `${param}[$ne]=a`,
          `${param}[$regex]=.*`,
          `${param}%5B%24gt%5D=`,
          `${param}=%00`,
          `${param}=a%0Ab`,
          `${param}=${"a".repeat(10_000)}`,
        ]) {
          const { status, text } = await send(route, { query });
          expect([query.slice(0, 60), status, text]).toEqual([query.slice(0, 60), 400, text]);
        }
      }
    },
  );

  test.each(named(withQuery))("%s takes an empty parameter as none", async (_, route) => {
    const left = route.inQuery.filter((param) => !sampleOf(route).query?.includes(`${param}=`));
    const query = left.map((param) => `${param}=`).join("&");
    const [asked, plain] = [await send(route, { query }), await send(route)];
    expect([asked.status, asked.body]).toEqual([200, plain.body]);
  });

  test.each(named(withQuery))("%s ignores unknown parameters", async (_, route) => {
    const query = "$where=1&a[$ne]=1&__proto__[x]=1&constructor=1&query[$gt]=&populate=secret";
    const [asked, plain] = [await send(route, { query }), await send(route)];
    expect([asked.status, asked.body]).toEqual([200, plain.body]);
  });
});

test.each(named(TABLE))("%s refuses unknown names if it is asked to", async (_, route) => {
  const headers = { prefer: "handling=strict" };
  const { body } = sampleOf(route);
  const inQuery = await send(route, { query: "zzzzzzzzzz=1", options: { headers } });
  const wrong = { ...body, zzzzzzzzzz: { constructr: 1 } };
  const inBody =
    route.method === "GET" || route.takesText
      ? []
      : [await send(route, { body: wrong, options: { headers } })];
  for (const { status, body: answer, headers: answered } of [inQuery, ...inBody]) {
    expect([status, answered["preference-applied"]]).toEqual([400, "handling=strict"]);
    const isToken = route.path === "/v1/oauth/token";
    expect(isToken ? answer.error_description : answer.message).toBe("zzzzzzzzzz is unknown");
  }
});

/** A field of the body that may not be true. */
const notTrue = ({ body }: Route) =>
  Object.entries(body ?? {}).find(([, { schema }]) =>
    ["string", "number"].includes(schema.type as string),
  )?.[0];

const withField = TABLE.filter((route) => notTrue(route) && route.path !== "/v1/oauth/token");
test.each(named(withField))("%s names a wrong field beside an unknown one", async (_, route) => {
  const wrong = notTrue(route) as string;
  const body = { ...sampleOf(route).body, zzzzzzzzzz: 1, [wrong]: true };
  const headers = { prefer: "handling=strict" };
  const { status, body: answer } = await send(route, { body, options: { headers } });
  const fields = (answer.errors as { field: string }[]).map(({ field }) => field);
  expect([status, fields]).toEqual([400, ["zzzzzzzzzz", wrong]]);
});

test.each(named(TABLE.filter(({ method }) => method === "GET")))(
  "%s answers HEAD as GET, without a body, and refuses it to others",
  async (_, route) => {
    const [head, get] = await Promise.all([
      served(() => send(route, { method: "HEAD" })),
      served(() => send(route)),
    ]);
    expect([head.status, head.text]).toEqual([get.status, ""]);
    const { "content-length": length, "content-type": type } = head.headers;
    expect(type).toBe(get.headers["content-type"]);
    // A balance or a state may change between the two.
    expect(Math.abs(Number(length) - Buffer.byteLength(get.text))).toBeLessThan(64);
    if (route.access === null) return;
    const stranger = await send(route, { method: "HEAD", token: "" });
    expect([stranger.status, stranger.text]).toEqual([401, ""]);
  },
);

test.each(named(TABLE))("%s runs only for its own method", async (_, route) => {
  const known = TABLE.filter(({ path }) => path === route.path).map(({ method }) => method);
  const tricks = {
    "x-http-method-override": route.method,
    "x-http-method": route.method,
    "access-control-request-method": route.method,
    origin: "https://evil.example.com",
  };
  const methods = ["HEAD", "OPTIONS", "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"];
  for (const method of methods) {
    if ((known as string[]).includes(method === "HEAD" ? "GET" : method)) continue;
    const { status, headers } = await send(route, { method, options: { headers: tricks } });
    expect([method, status, headers.allow]).toEqual([
      method,
      405,
      expect.stringContaining(route.method),
    ]);
  }
});

test("no hostile request has changed the database", async () => {
  expect(await allStored(world)).toEqual(before);
});

const last = ({ method }: Route) => (method === "DELETE" ? 1 : 0);
test.each(named(TABLE.toSorted((a, b) => last(a) - last(b))))(
  "%s works with its sample and the right token",
  async (_, route) => {
    // A service that answers slowly is unavailable for a moment.
    // Strictly, so that no field of a sample counts as unknown.
    const ask = () => send(route, { options: { headers: { prefer: "handling=strict" } } });
    const { status, text } = await (route.method === "GET" ? served(ask) : ask());
    expect([status, text]).toEqual([sampleOf(route).status, text]);
  },
);
