// Configuration: each error has its variable and its remedy, and all errors come at once.

import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../shared/config/config.ts";
import { findMisspelt, loadConfig } from "../../shared/config/env.ts";
import { PAYOUT_METHODS } from "../../shared/config/payout-methods.ts";
import { developmentKeys, developmentLedgerKey } from "../../tools/platform/keys.ts";
import { testEnvironment } from "../support/system.ts";

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
/** A PEM with valid first and last lines, and no key between them. */
const broken = (pem: string) => pem.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA");

const key = Buffer.alloc(32, 7).toString("base64");
const random = () => randomBytes(32).toString("base64");
const fees = (table: object) => ({ FEES: JSON.stringify(table) });

const withSecret = (secret: string) => ({
  JWT_PUBLIC_KEY: "",
  JWT_PRIVATE_KEY: "",
  JWT_SECRET: secret,
});
const X509 = "mongodb://db.example/?tls=true&authMechanism=MONGODB-X509";

/** A configuration that production accepts. */
const PRODUCTION = {
  NODE_ENV: "production",
  PUBLIC_URL: "https://pay.example",
  MONGO_URL: "mongodb://ada:secret@db.example/payrail?tls=true",
  NATS_URL: "tls://ada:secret@nats.example:4222",
};

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
    tracing: null,
  });
  expect(config.webhooks.retryScheduleMs).toHaveLength(9);
  expect(config.webhooks.retentionMs).toBe(90 * 86_400_000);
});

test.each<[string, Overrides, string[]]>([
  ["an invalid port", { PORT: "http" }, ["PORT", "1 and 65535"]],
  ["a port out of range", { PORT: "70000" }, ["PORT", "1 and 65535"]],
  ["a probe on the port of the gateway", { PROBE_PORT: "3000" }, ["PROBE_PORT", "PORT"]],
  ["a pause longer than the stop", { STOP_DELAY: "9s" }, ["STOP_DELAY", "8s"]],
  ["an unknown mode", { NODE_ENV: "staging" }, ["NODE_ENV", "production, development or test"]],
  ["an unknown limit", { WITHDRAWAL_LIMIT: "often" }, ["WITHDRAWAL_LIMIT", "1/60s, or off"]],
  ["a limit of zero", { DECLINE_LIMIT: "0/60s" }, ["DECLINE_LIMIT", "1/60s, or off"]],
  ["a duration without a unit", { WEBHOOK_TIMEOUT: "15" }, ["WEBHOOK_TIMEOUT", "15s"]],
  ["a schedule with a gap", { WEBHOOK_RETRY_SCHEDULE: "5s,,1m" }, ["WEBHOOK_RETRY_SCHEDULE"]],
  ["a retention of less than a week", { WEBHOOK_RETENTION: "6d" }, ["WEBHOOK_RETENTION", "7d"]],
  ["a retention without end", { WEBHOOK_RETENTION: "99999d" }, ["WEBHOOK_RETENTION", "3650d"]],
  ["an invalid retention", { WEBHOOK_RETENTION: "long" }, ["WEBHOOK_RETENTION", "1d"]],
  [
    "a retention that ends before the last attempt, jitter included",
    { WEBHOOK_RETENTION: "12d", WEBHOOK_RETRY_SCHEDULE: "5d,5d" },
    ["WEBHOOK_RETENTION must be more than 12d", "WEBHOOK_RETRY_SCHEDULE"],
  ],
  ["an invalid flag", { SANDBOX: "yes" }, ["SANDBOX", "true or false"]],
  ["an invalid database address", { MONGO_URL: "postgres://x" }, ["MONGO_URL", "mongodb://"]],
  ["an invalid NATS address", { NATS_URL: "http://x" }, ["NATS_URL", "nats://"]],
  [
    "a NATS with TLS for one of two servers",
    { NATS_URL: "tls://a.example,nats://b.example" },
    ["NATS_URL"],
  ],
  ["an invalid public address", { PUBLIC_URL: "pay.example" }, ["PUBLIC_URL", "http"]],
  ["an origin with a path", { CORS_ORIGIN: "https://a.example/x" }, ["CORS_ORIGIN", "origin"]],
  ["an unknown log level", { LOG_LEVEL: "loud" }, ["LOG_LEVEL", "debug"]],
  ["a collector without a scheme", { OTEL_EXPORTER_OTLP_ENDPOINT: "otel:4318" }, ["http"]],
  ["a sample ratio above 1", { TRACE_SAMPLE_RATIO: "1.5" }, ["TRACE_SAMPLE_RATIO", "0 to 1"]],
  ["fees in malformed JSON", { FEES: "{" }, ["FEES"]],
  ["a fee of an unknown method", fees({ CASH: {} }), ["FEES names CASH", "ACH"]],
  ["a fee in an unknown currency", fees({ ACH: { JPY: {} } }), ["FEES names ACH.JPY", "USD"]],
  ["a fee of null", fees({ ACH: { USD: null } }), ["FEES has a wrong entry ACH.USD"]],
  ["a list in place of a fee", fees({ ACH: { USD: [] } }), ["FEES has a wrong entry ACH.USD"]],
  ...Object.entries({
    "of the whole": { basisPoints: 10_000 },
    "of more than the whole": { basisPoints: 25_000 },
    "below zero": { fixed: -1 },
    "above every amount": { fixed: 1_000_000_000_000 },
    "that is at least more than any amount": { min: 1_000_000_000_000 },
    "that is at most more than any amount": { max: 1_000_000_000_000 },
    "with a minimum above its maximum": { min: 2, max: 1 },
    "in parts of a cent": { fixed: 0.5 },
    "with an unknown field": { percent: 1 },
  }).map(([kind, fee]): [string, Overrides, string[]] => [
    `a fee ${kind}`,
    fees({ CARD_COLLECTION: { EUR: fee } }),
    ["FEES has a wrong entry CARD_COLLECTION.EUR", "less than 10000"],
  ]),
  ["an unknown option of the database", { MONGO_URL: "mongodb://a/?tsl=true" }, ["MONGO_URL"]],
  [
    "an option of the database in two values",
    { MONGO_URL: "mongodb://a/?tls=true&tls=false" },
    ["MONGO_URL", "given once"],
  ],
  ["TLS both on and off", { MONGO_URL: "mongodb://a/?tls=true&ssl=false" }, ["MONGO_URL"]],
  ["rails without a table", { RAILS: "[]" }, ["RAILS", "JSON"]],
  ["rails without paths", { RAILS: '{"ACH":[]}' }, ["RAILS", "JSON"]],
  [
    "a rail of an unknown payout method",
    { RAILS: '{"CASH":"./x.js","ACH":"./y.js"}' },
    [`RAILS names CASH; it may name ${PAYOUT_METHODS.join(", ")}`],
  ],
  ["a settling time below zero", { SANDBOX_SETTLE_MS: "-1" }, ["SANDBOX_SETTLE_MS"]],
  [
    "a damaged public key",
    { JWT_PUBLIC_KEY: broken(p256.JWT_PUBLIC_KEY) },
    ["JWT_PUBLIC_KEY", "PEM"],
  ],
  [
    "a damaged private key",
    { JWT_PRIVATE_KEY: broken(p256.JWT_PRIVATE_KEY) },
    ["JWT_PRIVATE_KEY", "PEM"],
  ],
  [
    "a private key in place of the public one",
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
    "short RSA keys",
    pems(generateKeyPairSync("rsa", { modulusLength: 1024 })),
    ["JWT_PUBLIC_KEY", "JWT_PRIVATE_KEY", "2048"],
  ],
  ["a number of proxies", { TRUST_PROXY: "1" }, ["TRUST_PROXY", "addresses"]],
  ["all addresses as proxies", { TRUST_PROXY: "0.0.0.0/0" }, ["TRUST_PROXY", "addresses"]],
  ["a proxy's name", { TRUST_PROXY: "10.0.0.1,ingress" }, ["TRUST_PROXY", "addresses"]],
  ["an invalid range", { TRUST_PROXY: "10.0.0.0/33" }, ["TRUST_PROXY", "addresses"]],
  ["an invalid public key", { JWT_PUBLIC_KEY: "abc" }, ["JWT_PUBLIC_KEY", "PEM"]],
  ["an invalid private key", { JWT_PRIVATE_KEY: "abc" }, ["JWT_PRIVATE_KEY", "PEM"]],
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
])("%s is refused by name and with the remedy", (_case, overrides, parts) => {
  const message = complaint(overrides);
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toContain("\n");
});

test.each(["test", "production"])("more than one JWT key is refused in %s", (NODE_ENV) => {
  const message = complaint({ NODE_ENV, JWT_SECRET: "s".repeat(32) });
  expect(message).toContain("Only one of JWT_PUBLIC_KEY, JWT_JWKS_URL and JWT_SECRET");
});

test.each([
  [{ OPENID_ISSUER: "https://id.example.com" }, "OPENID_CLIENT_ID"],
  [{ OPENID_CLIENT_ID: "payrail" }, "OPENID_ISSUER"],
  [{ OPENID_CLIENT_SECRET: "secret" }, "OPENID_ISSUER, OPENID_CLIENT_ID"],
  [{ OPENID_ISSUER: "id.example.com", OPENID_CLIENT_ID: "payrail" }, "OPENID_ISSUER must be"],
])("an identity provider that is half configured is refused (%j)", (overrides, part) => {
  expect(complaint(overrides)).toContain(part);
});

test("an identity provider has TLS in production", () => {
  const overrides = { OPENID_ISSUER: "http://id.example.com", OPENID_CLIENT_ID: "payrail" };
  expect(complaint({ ...overrides, NODE_ENV: "production" })).toContain(
    "OPENID_ISSUER must be an https URL",
  );
});

test("production names all missing variables at once", () => {
  const names = [
    "PUBLIC_URL",
    "MONGO_URL",
    "NATS_URL",
    "JWT_PUBLIC_KEY",
    "ENCRYPTION_KEYS",
    "FINGERPRINT_KEY",
  ];
  const message = complaint({
    ...Object.fromEntries(names.map((name) => [name, ""])),
    NODE_ENV: "production",
  });
  for (const name of names) expect(message).toContain(name);
});

const TLS = ["MONGO_URL must have tls=true", "ALLOW_PLAINTEXT=true"];
const CERTIFICATES = ["MONGO_URL must not switch off the check of certificates", "tlsCAFile"];
const CREDENTIALS = ["MONGO_URL must have a user and a password", "MONGODB-X509"];
const NATS_CREDENTIALS = ["NATS_URL must have a user and a password", "NATS_CREDS"];
const SRV = "mongodb+srv://ada:secret@db.example/payrail";

test.each<[string, Overrides, string[]]>([
  ["no public address", { PUBLIC_URL: "" }, ["PUBLIC_URL must be the https://"]],
  ["a plain public address", { PUBLIC_URL: "http://pay.example" }, ["PUBLIC_URL must be the"]],
  ["its own machine", { PUBLIC_URL: "http://localhost:3000" }, ["PUBLIC_URL must be the https://"]],
  ["a plain database", { MONGO_URL: "mongodb://ada:secret@db.example/payrail" }, TLS],
  ["a database without TLS", { MONGO_URL: "mongodb://ada:secret@db.example/?tls=false" }, TLS],
  ["a database without SSL", { MONGO_URL: "mongodb://ada:secret@db.example/?ssl=false" }, TLS],
  ["tls=true in a password", { MONGO_URL: "mongodb://ada:%3Ftls=true@db.example/payrail" }, TLS],
  [
    "tls=true in a name",
    { MONGO_URL: "mongodb://ada:secret@db.example/x?appName=%26tls=true" },
    TLS,
  ],
  ["SRV without TLS", { MONGO_URL: `${SRV}?tls=false` }, TLS],
  ["SRV without SSL", { MONGO_URL: `${SRV}?ssl=false` }, TLS],
  ["TLS to any server", { MONGO_URL: `${PRODUCTION.MONGO_URL}&tlsInsecure=true` }, CERTIFICATES],
  ["SRV to any server", { MONGO_URL: `${SRV}?tlsInsecure=true` }, CERTIFICATES],
  [
    "any certificate",
    { MONGO_URL: `${PRODUCTION.MONGO_URL}&tlsAllowInvalidCertificates=true` },
    CERTIFICATES,
  ],
  [
    "any name in a certificate",
    { MONGO_URL: `${PRODUCTION.MONGO_URL}&TLSAllowInvalidHostnames=true` },
    CERTIFICATES,
  ],
  [
    "any certificate behind a mesh",
    { ALLOW_PLAINTEXT: "true", MONGO_URL: `${PRODUCTION.MONGO_URL}&tlsInsecure=true` },
    CERTIFICATES,
  ],
  ["a database without credentials", { MONGO_URL: "mongodb://db.example/?tls=true" }, CREDENTIALS],
  ["a user without a password", { MONGO_URL: "mongodb://a@db.example/?tls=true" }, CREDENTIALS],
  ["SRV without credentials", { MONGO_URL: "mongodb+srv://db.example/payrail" }, CREDENTIALS],
  [
    "a database without credentials behind a mesh",
    { ALLOW_PLAINTEXT: "true", MONGO_URL: "mongodb://db.example/payrail" },
    CREDENTIALS,
  ],
  ["a plain NATS", { NATS_URL: "nats://ada:secret@nats.example" }, ["NATS_URL must be tls://"]],
  ["a NATS without credentials", { NATS_URL: "tls://nats.example" }, NATS_CREDENTIALS],
  ["a NATS with a user but no password", { NATS_URL: "tls://ada@nats.example" }, NATS_CREDENTIALS],
  [
    "a NATS without credentials behind a mesh",
    { ALLOW_PLAINTEXT: "true", NATS_URL: "nats://nats.example" },
    NATS_CREDENTIALS,
  ],
  [
    "a NATS with credentials only for its second server",
    { NATS_URL: "tls://a.example,tls://ada:secret@b.example" },
    NATS_CREDENTIALS,
  ],
  [
    "a key of zeros",
    { ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString("base64")}` },
    ["The key k1 of ENCRYPTION_KEYS must be random", "openssl rand -base64 32"],
  ],
  [
    "an older key of one byte",
    { ENCRYPTION_KEYS: `k1:${random()},k0:${Buffer.alloc(32, 9).toString("base64")}` },
    ["The key k0 of ENCRYPTION_KEYS must be random"],
  ],
  ["a fingerprint key of one byte", { FINGERPRINT_KEY: key }, ["FINGERPRINT_KEY must be random"]],
  [
    "a fingerprint key of two halves",
    { FINGERPRINT_KEY: Buffer.from("0123456789abcdef".repeat(2)).toString("base64") },
    ["FINGERPRINT_KEY must be random"],
  ],
  ["a secret of one letter", withSecret("x".repeat(40)), ["JWT_SECRET must be random"]],
  ["a repeated secret", withSecret("password!".repeat(5)), ["JWT_SECRET must be random"]],
  [
    "one key for encryption and fingerprints",
    ((both) => ({ ENCRYPTION_KEYS: `k1:${both}`, FINGERPRINT_KEY: both }))(random()),
    ["FINGERPRINT_KEY must be another than the key k1 of ENCRYPTION_KEYS"],
  ],
  [
    "one key under two ids",
    ((both) => ({ ENCRYPTION_KEYS: `k1:${both},k2:${both}` }))(random()),
    ["The key k2 of ENCRYPTION_KEYS must be another than the key k1"],
  ],
  [
    "one key for encryption and tokens",
    ((both) => ({ ENCRYPTION_KEYS: `k1:${both}`, ...withSecret(both) }))(random()),
    ["JWT_SECRET must be another than the key k1 of ENCRYPTION_KEYS"],
  ],
  [
    "a key under the development key's id",
    { ENCRYPTION_KEYS: `development:${random()}` },
    ["ENCRYPTION_KEYS must not be a development key"],
  ],
])("production refuses %s by name and with the remedy", (_case, overrides, parts) => {
  const message = complaint({ ...PRODUCTION, ...overrides });
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toContain("secret@");
  // Development still accepts it.
  if (!overrides.MONGO_URL) loadConfig({ ...testEnvironment(), ...overrides, NODE_ENV: "test" });
});

test("production refuses the keys that a development start generated", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "payrail-keys-"));
  try {
    const generated = developmentKeys(dataDir);
    const own = {
      JWT_PUBLIC_KEY: generated.jwtPublicKey,
      // The same key with the line ends of Windows.
      JWT_PRIVATE_KEY: generated.jwtPrivateKey.replaceAll("\n", "\r\n"),
      ENCRYPTION_KEYS: generated.encryptionKeys.replace("development", "k1"),
      FINGERPRINT_KEY: generated.fingerprintKey,
      LEDGER_HEAD_KEY: developmentLedgerKey(dataDir).ledgerHeadKey,
    };
    const known = (message: string) =>
      Object.keys(own).filter((name) => message.includes(`${name} must not be a development key`));
    expect(known(complaint({ ...PRODUCTION, ...own, DATA_DIR: dataDir }))).toEqual(
      Object.keys(own),
    );
    // On another machine production still refuses the keys that encrypt data.
    expect(known(complaint({ ...PRODUCTION, ...own, DATA_DIR: "/nowhere" }))).toEqual([
      "ENCRYPTION_KEYS",
      "FINGERPRINT_KEY",
    ]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test("production names all wrong variables at once", () => {
  const message = complaint({
    NODE_ENV: "production",
    PUBLIC_URL: "",
    MONGO_URL: "mongodb://db.example/payrail",
    NATS_URL: "nats://nats.example:4222",
    FINGERPRINT_KEY: key,
    FEES: '{"CASH":{}}',
  });
  for (const part of [
    ...TLS,
    ...CREDENTIALS,
    ...NATS_CREDENTIALS,
    "PUBLIC_URL must be",
    "NATS_URL must be tls://",
    "FINGERPRINT_KEY must be random",
    "FEES names CASH",
  ]) {
    expect(message).toContain(part);
  }
});

test.each<[string, Overrides]>([
  ["TLS and credentials", {}],
  ["SRV, which implies TLS", { MONGO_URL: SRV }],
  ["a certificate as the credentials", { MONGO_URL: X509 }],
  ["several hosts", { MONGO_URL: "mongodb://ada:p%40ss@a.example:1,b.example:2/x?tls=true" }],
  ["an explicit check of certificates", { MONGO_URL: `${SRV}?tlsInsecure=false` }],
  ["a credentials file", { NATS_URL: "tls://nats.example", NATS_CREDS: "/etc/nats.creds" }],
  ["a secret of hexadecimal digits", withSecret(randomBytes(32).toString("hex"))],
  [
    "a mesh that encrypts",
    {
      ALLOW_PLAINTEXT: "true",
      MONGO_URL: "mongodb://ada:secret@db.example/payrail",
      NATS_URL: "nats://ada:secret@nats.example:4222",
    },
  ],
])("production accepts %s", (_case, overrides) => {
  const config = loadConfig({ ...testEnvironment(), ...PRODUCTION, ...overrides });
  expect(config).toMatchObject({ production: true, sandbox: false, host: "0.0.0.0" });
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

test("a misspelt variable is named with its neighbour, variables of other programs are not", () => {
  const named = findMisspelt({
    ...testEnvironment(),
    WEBHOOK_RETRY_SHEDULE: "5s",
    MONGO_URI: "mongodb://a.example",
    MONGO_URL_FILE: "/run/secrets/mongo",
    NODE_OPTIONS: "",
    NODE_VERSION: "24",
    PUBLIC_IP: "192.0.2.1",
    NATS_PORT_4222_TCP: "",
    OTEL_EXPORTER_OTLP_HEADERS: "",
    STRIPE_SECRET_KEY: "",
    PATH: "",
  });
  expect(named.toSorted()).toEqual([
    "MONGO_URI is no variable of payrail; did you mean MONGO_URL?",
    "WEBHOOK_RETRY_SHEDULE is no variable of payrail; did you mean WEBHOOK_RETRY_SCHEDULE?",
  ]);
});
