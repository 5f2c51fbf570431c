// Configuration: what is wrong is named with its variable and remedy, all of it at once.

import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { ConfigError, loadConfig } from "../shared/env.ts";
import { testEnvironment } from "./support/system.ts";

type Overrides = Record<string, string | undefined>;

function complaint(overrides: Overrides): string {
  try {
    loadConfig({ ...testEnvironment(), ...overrides });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error("The configuration was accepted");
}

function pems(pair: { publicKey: KeyObject; privateKey: KeyObject }) {
  return {
    JWT_PUBLIC_KEY: pair.publicKey.export({ format: "pem", type: "spki" }).toString(),
    JWT_PRIVATE_KEY: pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}
const p256 = pems(generateKeyPairSync("ec", { namedCurve: "P-256" }));
/** Right at both ends, and no key between them. */
const broken = (pem: string) => pem.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA");

const key = Buffer.alloc(32, 7).toString("base64");

test("a complete environment is accepted, with the documented defaults", () => {
  const config = loadConfig(testEnvironment({ LOG_LEVEL: "", SANDBOX_SETTLE_MS: "" }));
  expect(config).toMatchObject({
    production: false,
    sandbox: true,
    host: "127.0.0.1",
    port: 3000,
    publicUrl: "http://localhost:3000",
    dataDir: ".data",
    sandboxSettleMs: 2_000,
    withdrawalLimit: { count: 1, windowMs: 60_000 },
    declineLimit: { count: 20, windowMs: 60_000 },
    logLevel: "info",
  });
  expect(config.webhooks.retryScheduleMs).toHaveLength(9);
  expect(config.webhooks.retentionMs).toBe(90 * 86_400_000);
});

test.each<[string, Overrides, string[]]>([
  ["a port that is no port", { PORT: "http" }, ["PORT", "1 and 65535"]],
  ["a port out of range", { PORT: "70000" }, ["PORT", "1 and 65535"]],
  ["an unknown mode", { NODE_ENV: "staging" }, ["NODE_ENV", "production, development or test"]],
  ["an unknown limit", { WITHDRAWAL_LIMIT: "often" }, ["WITHDRAWAL_LIMIT", "1/60s, or off"]],
  ["a limit of zero", { DECLINE_LIMIT: "0/60s" }, ["DECLINE_LIMIT", "1/60s, or off"]],
  ["a duration without a unit", { WEBHOOK_TIMEOUT: "15" }, ["WEBHOOK_TIMEOUT", "15s"]],
  ["a schedule with a gap", { WEBHOOK_RETRY_SCHEDULE: "5s,,1m" }, ["WEBHOOK_RETRY_SCHEDULE"]],
  ["a retention of less than a week", { WEBHOOK_RETENTION: "6d" }, ["WEBHOOK_RETENTION", "7d"]],
  ["a retention without end", { WEBHOOK_RETENTION: "99999d" }, ["WEBHOOK_RETENTION", "3650d"]],
  ["a retention that is none", { WEBHOOK_RETENTION: "long" }, ["WEBHOOK_RETENTION", "1d"]],
  [
    "a retention that ends before the last attempt, jitter included",
    { WEBHOOK_RETENTION: "12d", WEBHOOK_RETRY_SCHEDULE: "5d,5d" },
    ["WEBHOOK_RETENTION must be more than 12d", "WEBHOOK_RETRY_SCHEDULE"],
  ],
  ["a flag that is neither", { SANDBOX: "yes" }, ["SANDBOX", "true or false"]],
  ["a database that is none", { MONGO_URL: "postgres://x" }, ["MONGO_URL", "mongodb://"]],
  ["a NATS that is none", { NATS_URL: "http://x" }, ["NATS_URL", "nats://"]],
  ["a NATS half encrypted", { NATS_URL: "tls://a.example,nats://b.example" }, ["NATS_URL"]],
  ["a public address that is none", { PUBLIC_URL: "pay.example" }, ["PUBLIC_URL", "http"]],
  ["an origin with a path", { CORS_ORIGIN: "https://a.example/x" }, ["CORS_ORIGIN", "origin"]],
  ["a log level that is none", { LOG_LEVEL: "loud" }, ["LOG_LEVEL", "debug"]],
  ["fees that are no JSON", { FEES: "{" }, ["FEES"]],
  ["rails that are no table", { RAILS: "[]" }, ["RAILS", "JSON"]],
  ["a settling time below zero", { SANDBOX_SETTLE_MS: "-1" }, ["SANDBOX_SETTLE_MS"]],
  [
    "a public key that is broken inside",
    { JWT_PUBLIC_KEY: broken(p256.JWT_PUBLIC_KEY) },
    ["JWT_PUBLIC_KEY", "PEM"],
  ],
  [
    "a private key that is broken inside",
    { JWT_PRIVATE_KEY: broken(p256.JWT_PRIVATE_KEY) },
    ["JWT_PRIVATE_KEY", "PEM"],
  ],
  [
    "a private key in the public one's place",
    { JWT_PUBLIC_KEY: p256.JWT_PRIVATE_KEY },
    ["JWT_PUBLIC_KEY", "public"],
  ],
  [
    "a private key of another pair",
    { JWT_PRIVATE_KEY: p256.JWT_PRIVATE_KEY },
    ["JWT_PRIVATE_KEY must be the private key of JWT_PUBLIC_KEY"],
  ],
  [
    "keys of another curve",
    pems(generateKeyPairSync("ec", { namedCurve: "P-384" })),
    ["JWT_PUBLIC_KEY", "JWT_PRIVATE_KEY", "P-256"],
  ],
  ["keys of another kind", pems(generateKeyPairSync("ed25519")), ["JWT_PUBLIC_KEY", "P-256"]],
  [
    "RSA keys that are short",
    pems(generateKeyPairSync("rsa", { modulusLength: 1024 })),
    ["JWT_PUBLIC_KEY", "JWT_PRIVATE_KEY", "2048"],
  ],
  ["a number of proxies", { TRUST_PROXY: "1" }, ["TRUST_PROXY", "addresses"]],
  ["all the world as proxies", { TRUST_PROXY: "0.0.0.0/0" }, ["TRUST_PROXY", "addresses"]],
  ["a proxy's name", { TRUST_PROXY: "10.0.0.1,ingress" }, ["TRUST_PROXY", "addresses"]],
  ["a range that is none", { TRUST_PROXY: "10.0.0.0/33" }, ["TRUST_PROXY", "addresses"]],
  ["a public key that is none", { JWT_PUBLIC_KEY: "abc" }, ["JWT_PUBLIC_KEY", "PEM"]],
  ["a private key that is none", { JWT_PRIVATE_KEY: "abc" }, ["JWT_PRIVATE_KEY", "PEM"]],
  [
    "a short secret",
    { JWT_PUBLIC_KEY: "", JWT_PRIVATE_KEY: "", JWT_SECRET: "short" },
    ["JWT_SECRET", "32 bytes"],
  ],
  ["a short encryption key", { ENCRYPTION_KEYS: "a:AAAA" }, ["ENCRYPTION_KEYS", "32 bytes"]],
  [
    "encryption keys with one id",
    { ENCRYPTION_KEYS: `a:${key},a:${key}` },
    ["ENCRYPTION_KEYS", "distinct"],
  ],
  ["a short fingerprint key", { FINGERPRINT_KEY: "AAAA" }, ["FINGERPRINT_KEY", "32 bytes"]],
])("%s is refused by name and with the remedy", (_what, overrides, parts) => {
  const message = complaint(overrides);
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toContain("\n");
});

test.each(["test", "production"])("more than one JWT key is refused in %s", (NODE_ENV) => {
  const message = complaint({ NODE_ENV, JWT_SECRET: "s".repeat(32) });
  expect(message).toContain("Only one of JWT_PUBLIC_KEY, JWT_JWKS_URL and JWT_SECRET");
});

test("production names all that is missing at once", () => {
  const names = ["MONGO_URL", "NATS_URL", "JWT_PUBLIC_KEY", "ENCRYPTION_KEYS", "FINGERPRINT_KEY"];
  const message = complaint({
    ...Object.fromEntries(names.map((name) => [name, ""])),
    NODE_ENV: "production",
  });
  for (const name of names) expect(message).toContain(name);
});

test("production refuses plain connections unless a mesh encrypts them", () => {
  const plain = {
    NODE_ENV: "production",
    MONGO_URL: "mongodb://db.example/payrail",
    NATS_URL: "nats://nats.example:4222",
  };
  const message = complaint(plain);
  expect(message).toContain("NATS_URL must be tls://");
  expect(message).toContain("MONGO_URL must have tls=true");
  expect(message).toContain("ALLOW_PLAINTEXT=true");
  const meshed = loadConfig({ ...testEnvironment(), ...plain, ALLOW_PLAINTEXT: "true" });
  expect(meshed).toMatchObject({ production: true, sandbox: false, host: "0.0.0.0" });
});

test.each([
  ["an acquirer", { ACQUIRER: "./acquirer.js" }],
  ["rails", { RAILS: '{"ACH":"./rails/ach.js"}' }],
])("production refuses a sandbox beside %s, which move real money", (_what, real) => {
  const production = {
    NODE_ENV: "production",
    MONGO_URL: "mongodb://db.example/payrail?tls=true",
    NATS_URL: "tls://nats.example:4222",
  };
  expect(complaint({ ...production, ...real, SANDBOX: "true" })).toContain("SANDBOX must be false");
  expect(loadConfig({ ...testEnvironment(), ...production, ...real }).sandbox).toBe(false);
  expect(loadConfig({ ...testEnvironment(), ...real }).sandbox).toBe(true);
});

test.each([
  ["10.0.0.0/8, 192.0.2.1", ["10.0.0.0/8", "192.0.2.1"]],
  ["fd00::/8", ["fd00::/8"]],
  ["", []],
])("the proxies %p are trusted", (TRUST_PROXY, expected) => {
  expect(loadConfig({ ...testEnvironment(), TRUST_PROXY }).trustedProxies).toEqual(expected);
});

test("a database of several hosts is accepted", () => {
  const MONGO_URL = "mongodb://user:p%40ss@a.example:27017,b.example:27017/payrail?replicaSet=rs";
  expect(loadConfig({ ...testEnvironment(), MONGO_URL }).mongoUrl).toBe(MONGO_URL);
});

test("a NATS of several servers is accepted", () => {
  const NATS_URL = "nats://ada:secret@a.example:4222,nats://b.example:4222";
  expect(loadConfig({ ...testEnvironment(), NATS_URL }).natsUrl).toBe(NATS_URL);
});

test("several wrong variables are named together", () => {
  const message = complaint({ PORT: "x", LOG_LEVEL: "x" });
  expect(message).toContain("PORT");
  expect(message).toContain("LOG_LEVEL");
});
