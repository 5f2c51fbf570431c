// The rotation of the pair that signs tokens: with both public keys configured no token ends, and
// each key verifies only its own tokens. The public keys are published.

import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, jwtVerify } from "jose";
import jwt from "jsonwebtoken";
import { signToken } from "../../shared/security/jwt.ts";
import { type Probe, startProbe } from "../support/probe.ts";
import { keyPair } from "../support/system.ts";

const [old, fresh, other] = [keyPair(), keyPair(), keyPair()];
const grant = { sub: randomUUID(), role: "user" as const, scope: "external.apis", expiresInS: 60 };

function issued({ privateKey: pem }: typeof old): string {
  const settings = { issuer: "payrail", audience: "payrail" };
  return signToken({ jwt: settings, jwtSigner: { kind: "privateKey", pem } }, grant);
}

/** A token of another issuer with the same claims. */
function signedElsewhere({ privateKey }: typeof old, keyid?: string): string {
  const claims = jwt.decode(issued(old)) as object;
  return jwt.sign(claims, privateKey, { algorithm: "ES256", ...(keyid && { keyid }) });
}

const kidOf = (token: string) => jwt.decode(token, { complete: true })?.header.kid as string;
const statusOf = async ({ http }: Probe, token: string) =>
  (await http.get("/echo/1", { token })).status;

async function withKeys(keys: string, work: (probe: Probe) => Promise<void>): Promise<void> {
  const probe = await startProbe({ environment: { JWT_PUBLIC_KEY: keys, JWT_PRIVATE_KEY: "" } });
  try {
    await work(probe);
  } finally {
    await probe.stop();
  }
}

test("a rotation of the signing pair ends no token before the old key is removed", async () => {
  await withKeys(`${old.publicKey}${fresh.publicKey}`, async (probe) => {
    for (const token of [
      issued(old),
      issued(fresh),
      signedElsewhere(old),
      signedElsewhere(fresh),
      signedElsewhere(fresh, "a name of the issuer's"),
    ]) {
      expect(await statusOf(probe, token)).toBe(200);
    }
    for (const token of [
      issued(other),
      signedElsewhere(other),
      signedElsewhere(other, kidOf(issued(old))),
      // The named key decides, not another configured one.
      signedElsewhere(old, kidOf(issued(fresh))),
    ]) {
      expect(await statusOf(probe, token)).toBe(401);
    }
  });
  await withKeys(fresh.publicKey, async (probe) => {
    expect(await statusOf(probe, issued(fresh))).toBe(200);
    expect(await statusOf(probe, issued(old))).toBe(401);
  });
});

test("the public keys are published, each under the id that tokens carry", async () => {
  await withKeys(`${old.publicKey}${fresh.publicKey}`, async ({ http }) => {
    const { status, headers, text } = await http.get("/.well-known/jwks.json");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "application/jwk-set+json",
      "cache-control": "public, max-age=300",
    });
    const published = JSON.parse(text) as { keys: (JWK & { kid: string })[] };
    expect(published.keys).toHaveLength(2);
    for (const key of published.keys) {
      expect(key).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" });
      expect(key).not.toHaveProperty("d");
      expect(key.kid).toBe(await calculateJwkThumbprint(key));
    }
    const { payload } = await jwtVerify(issued(fresh), createLocalJWKSet(published));
    expect(payload.sub).toBe(grant.sub);
  });
});

test("the key id of an RSA pair is its thumbprint too", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const token = issued({ publicKey: "", privateKey: pem });
  expect(kidOf(token)).toBe(await calculateJwkThumbprint(publicKey.export({ format: "jwk" })));
});

test.each<Record<string, string>>([
  { JWT_SECRET: randomBytes(32).toString("base64") },
  { JWT_JWKS_URL: "http://127.0.0.1:9/keys" },
])("no keys are published with another source of keys", async (source) => {
  const probe = await startProbe({
    environment: { JWT_PUBLIC_KEY: "", JWT_PRIVATE_KEY: "", ...source },
  });
  try {
    expect((await probe.http.get("/.well-known/jwks.json")).status).toBe(404);
  } finally {
    await probe.stop();
  }
});
