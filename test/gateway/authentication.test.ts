// Authentication: tokens of every kind against a route for users with the scope external.apis, for
// each kind of configurable key.

import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from "node:crypto";
import jwt, { type SignOptions } from "jsonwebtoken";
import type { Config } from "../../shared/config/config.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { refusal } from "../support/refusal.ts";
import { settableClock } from "../support/settable-clock.ts";
import { privatePem, publicPem } from "../support/system.ts";

const SUB = randomUUID();
const INVALID = 'Bearer error="invalid_token"';
const nowS = () => Math.floor(Date.now() / 1_000);

interface Claims {
  [claim: string]: unknown;
}

const claims = (changes: Claims = {}): Claims => ({
  iss: "payrail",
  aud: "payrail",
  sub: SUB,
  role: "user",
  scope: "external.apis",
  iat: nowS(),
  exp: nowS() + 3_600,
  ...changes,
});

/** Leaves out undefined claims. */
function sign(key: KeyObject | string, changes: Claims = {}, options: SignOptions = {}): string {
  const payload = Object.fromEntries(
    Object.entries(claims(changes)).filter(([, value]) => value !== undefined),
  );
  const noTimestamp = payload.iat === undefined;
  return jwt.sign(payload, key, { algorithm: "ES256", noTimestamp, ...options });
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function answerTo(probe: Probe, authorization: string | undefined) {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const answer = await probe.http.get("/echo/1", { headers });
  return {
    status: answer.status,
    challenge: answer.headers["www-authenticate"],
    body: answer.body,
  };
}

/** The answer's status for a token with an extension in its header's `crit` (RFC 7515, 4.1.11). */
async function withCrit(probe: Probe, key: KeyObject | string, alg: "RS256" | "HS256") {
  const header = { alg, crit: ["b64"], b64: true } as SignOptions["header"];
  const token = sign(key, {}, { algorithm: alg, header });
  return (await answerTo(probe, `Bearer ${token}`)).status;
}

describe("with a P-256 public key", () => {
  let probe: Probe;
  let config: Config;
  let key: KeyObject;
  const clock = settableClock();
  beforeAll(async () => {
    probe = await startProbe({ clock });
    config = probe.config;
    key = createPrivateKey(privatePem(config));
  });
  afterAll(() => probe?.stop());

  test.each<[string, () => string]>([
    ["its own", () => sign(key)],
    ["of a merchant", () => sign(key, { role: "merchant" })],
    ["with more scopes", () => sign(key, { scope: "a external.apis  b" })],
    ["with an audience list", () => sign(key, { aud: ["other", "payrail"] })],
    ["expired 10 s ago", () => sign(key, { exp: nowS() - 10 })],
    ["valid from in 10 s", () => sign(key, { nbf: nowS() + 10, iat: nowS() + 10 })],
  ])("a token %s is accepted, again and again", async (_, make) => {
    const token = make();
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`, `Bearer   ${token}`]) {
      expect((await answerTo(probe, authorization)).status).toBe(200);
    }
  });

  test.each<[string, string | undefined]>([
    ["nothing", undefined],
    ["an empty header", ""],
    ["only the scheme", "Bearer"],
    ["the scheme and a blank", "Bearer "],
    ["another scheme", "Basic YTpi"],
    ["two tokens", "Bearer a b"],
    ["a token without scheme", "a.b.c"],
    ["quotes", 'Bearer "a.b.c"'],
  ])("%s is a 401 that asks for a token", async (_, authorization) => {
    expect(await answerTo(probe, authorization)).toEqual({
      status: 401,
      challenge: "Bearer",
      body: refusal("Unauthorized"),
    });
  });

  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const signedWithPublicKey = (pem: string) => {
    // By hand, because jsonwebtoken refuses to make such a token.
    const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims())}`;
    return `${unsigned}.${createHmac("sha256", pem).update(unsigned).digest("base64url")}`;
  };
  const unsigned = (alg: string) => `${encode({ alg, typ: "JWT" })}.${encode(claims())}.`;
  const tampered = (token: string) => {
    const [head, , signature] = token.split(".");
    return `${head}.${encode(claims({ sub: randomUUID() }))}.${signature}`;
  };

  test.each<[string, () => string]>([
    ["garbage", () => "garbage"],
    ["three dots", () => "a.b.c"],
    ["JSON that is no header", () => `${encode([])}.${encode(claims())}.YQ`],
    ["alg none", () => unsigned("none")],
    ["alg NONE", () => unsigned("NONE")],
    ["alg none with a signature", () => `${unsigned("none")}${sign(key).split(".")[2]}`],
    ["HS256 with the public key", () => signedWithPublicKey(publicPem(config))],
    ["HS256 with the trimmed public key", () => signedWithPublicKey(publicPem(config).trim())],
    ["HS256 with an empty key", () => signedWithPublicKey("")],
    ["RS256 of another key", () => sign(rsa, {}, { algorithm: "RS256" })],
    ["another key", () => sign(other)],
    ["another key, embedded", () => sign(other, {}, { header: jwkHeader(other) })],
    ["a key at an address", () => sign(other, {}, { header: elsewhere() })],
    ["crit in its header", () => sign(key, {}, { header: critical(["exp"]) })],
    ["crit with an empty list", () => sign(key, {}, { header: critical([]) })],
    ["crit null", () => sign(key, {}, { header: critical(null) })],
    ["another key, as a certificate", () => sign(other, {}, { header: certificates() })],
    ["another key, named by a kid", () => sign(other, {}, { header: kid("other") })],
    ["changed claims", () => tampered(sign(key))],
    ["no signature", () => sign(key).replace(/\.[^.]*$/, ".")],
    ["expired", () => sign(key, { exp: nowS() - 60 })],
    ["no exp", () => sign(key, { exp: undefined })],
    ["a textual exp", () => textual("exp", String(nowS() + 3_600))],
    ["no iat", () => sign(key, { iat: undefined })],
    ["issued in the future", () => sign(key, { iat: nowS() + 120 })],
    ["not valid yet", () => sign(key, { nbf: nowS() + 120 })],
    ["another issuer", () => sign(key, { iss: "other" })],
    ["no issuer", () => sign(key, { iss: undefined })],
    ["another audience", () => sign(key, { aud: "other" })],
    ["no audience", () => sign(key, { aud: undefined })],
    ["no sub", () => sign(key, { sub: undefined })],
    ["a sub that is no UUID", () => sign(key, { sub: "admin" })],
    ["a sub that is a number", () => textual("sub", 17)],
    ["a sub that is a list", () => textual("sub", [SUB])],
    ["no role", () => sign(key, { role: undefined })],
    ["an unknown role", () => sign(key, { role: "root" })],
    ["a list of roles", () => sign(key, { role: ["user"] })],
    ["a role that an object inherits", () => sign(key, { role: "constructor" })],
    ["a role that is not for this route", () => sign(key, { role: "admin" })],
    ["a list of scopes", () => sign(key, { scope: ["external.apis"] })],
    ["scope null", () => sign(key, { scope: null })],
  ])("%s is a 401 without a reason", async (_, make) => {
    expect(await answerTo(probe, `Bearer ${make()}`)).toEqual({
      status: 401,
      challenge: INVALID,
      body: refusal("Unauthorized"),
    });
  });

  /** Claims that jsonwebtoken refuses to sign. */
  function textual(claim: string, value: unknown): string {
    return jwt.sign(JSON.stringify(claims({ [claim]: value })), key, {
      algorithm: "ES256",
      header: { alg: "ES256", typ: "JWT" },
    });
  }

  function jwkHeader(from: KeyObject) {
    const { d: _, ...jwk } = from.export({ format: "jwk" });
    return { alg: "ES256", jwk } as SignOptions["header"];
  }

  const headerWith = (fields: object) => ({ alg: "ES256", ...fields }) as SignOptions["header"];
  const critical = (crit: unknown) => headerWith({ crit, "urn:example": true });
  const certificates = () => headerWith({ x5c: ["MIIB"], x5t: "a" });
  const kid = (name: string) => headerWith({ kid: name });

  function elsewhere() {
    const url = `${probe.http.url}/planted`;
    return { alg: "ES256", kid: "../../dev/null", jku: url, x5u: url } as SignOptions["header"];
  }

  test.each([
    "",
    "external",
    "external.apis.read",
    "xexternal.apis",
    "EXTERNAL.APIS",
    "external.apis,a",
  ])("the scope %p is not external.apis: 401 with the name of the needed scope", async (scope) => {
    expect(await answerTo(probe, `Bearer ${sign(key, { scope })}`)).toEqual({
      status: 401,
      challenge: 'Bearer error="insufficient_scope", scope="external.apis"',
      body: refusal("Unauthorized"),
    });
  });

  test("an accepted token is refused after its expiry", async () => {
    const token = sign(key, { exp: nowS() + 60 });
    expect((await answerTo(probe, `Bearer ${token}`)).status).toBe(200);
    clock.aheadMs = 91_000;
    expect((await answerTo(probe, `Bearer ${token}`)).status).toBe(401);
    clock.aheadMs = 0;
  });

  test("no address in a token is fetched", () => {
    const asked = probe.log.filter(({ fields }) => fields.route === null);
    expect(asked).toEqual([]);
  });
});

describe("with an RSA public key", () => {
  let probe: Probe;
  afterEach(() => probe?.stop());

  test("RS256 is the only accepted algorithm", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const own = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    probe = await startProbe({
      environment: { JWT_PUBLIC_KEY: pem, JWT_PRIVATE_KEY: own },
    });
    const status = async (algorithm: SignOptions["algorithm"]) =>
      (await answerTo(probe, `Bearer ${sign(privateKey, {}, { algorithm })}`)).status;
    expect(await status("RS256")).toBe(200);
    expect(await status("RS512")).toBe(401);
    expect(await status("PS256")).toBe(401);
    expect(await withCrit(probe, privateKey, "RS256")).toBe(401);
  });
});

describe("with a shared secret", () => {
  let probe: Probe;
  afterEach(() => probe?.stop());

  test("HS256 is the only accepted algorithm", async () => {
    const secret = randomBytes(32).toString("base64");
    probe = await startProbe({
      environment: { JWT_PUBLIC_KEY: "", JWT_PRIVATE_KEY: "", JWT_SECRET: secret },
    });
    const status = async (key: string, algorithm: SignOptions["algorithm"]) =>
      (await answerTo(probe, `Bearer ${sign(key, {}, { algorithm })}`)).status;
    expect(await status(secret, "HS256")).toBe(200);
    expect(await status(secret, "HS512")).toBe(401);
    expect(await status("another secret of 32 bytes or more", "HS256")).toBe(401);
    expect(await withCrit(probe, secret, "HS256")).toBe(401);
  });
});

describe("a token of an API client", () => {
  let probe: Probe;
  let key: KeyObject;
  beforeAll(async () => {
    // No accounts service runs, so the gateway cannot learn the disabled clients.
    probe = await startProbe();
    key = createPrivateKey(privatePem(probe.config));
  });
  afterAll(() => probe?.stop());

  test("is a 503 while the gateway cannot check whether the client is disabled", async () => {
    const answer = await answerTo(probe, `Bearer ${sign(key, { client_id: randomUUID() })}`);
    expect(answer).toEqual({
      status: 503,
      challenge: undefined,
      body: refusal("Temporarily unavailable. Please try again."),
    });
  });

  test.each([undefined, "backend", 17, null])(
    "with an unknown form of client id (%p) needs no check",
    async (id) => {
      expect((await answerTo(probe, `Bearer ${sign(key, { client_id: id })}`)).status).toBe(200);
    },
  );
});
