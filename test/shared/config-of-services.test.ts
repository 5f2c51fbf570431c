// The configuration of each service alone: it demands and reads only its own
// variables, and names each problem without its value. Secrets may come from files.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { withDevelopmentKeys } from "../../tools/platform/environment.ts";

type Environment = Record<string, string>;

const random = () => randomBytes(32).toString("base64");

function pair(kind: "ec" | "rsa" = "ec") {
  const { publicKey, privateKey } =
    kind === "ec"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
const own = pair();

const URLS = {
  MONGO_URL: "mongodb://ada:secret@db.example/payrail?tls=true",
  NATS_URL: "tls://ada:secret@nats.example:4222",
};
const { NATS_URL } = URLS;
const ENCRYPTION_KEYS = `k1:${random()}`;
const FINGERPRINT_KEY = random();
const PUBLIC_URL = "https://pay.example";

/** All that production demands of each service. */
const LEAST: Record<ServiceName, Environment> = {
  gateway: { NATS_URL, PUBLIC_URL, JWT_PUBLIC_KEY: own.publicKey },
  accounts: { ...URLS, ENCRYPTION_KEYS, FINGERPRINT_KEY },
  "wallet-ledger": URLS,
  payouts: URLS,
  "payment-links": { ...URLS, ENCRYPTION_KEYS, FINGERPRINT_KEY, PUBLIC_URL },
  webhooks: { ...URLS, ENCRYPTION_KEYS },
};

/** The parts that hold secrets, with the services that may have each. */
const HOLDERS: Partial<Record<keyof Config, ServiceName[]>> = {
  mongoUrl: ["accounts", "wallet-ledger", "webhooks", "payouts", "payment-links"],
  encryptionKeys: ["accounts", "webhooks", "payment-links"],
  fingerprintKey: ["accounts", "payment-links"],
  jwtSource: ["gateway"],
  jwtSigner: ["accounts"],
  ledgerHeadKey: ["wallet-ledger"],
};

function complaint(service: ServiceName, environment: Environment): string {
  try {
    loadConfig(environment, service);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message } = error as Error;
    expect(message).not.toContain("\n");
    return message;
  }
  throw new Error("The configuration was accepted");
}

test.each(SERVICE_NAMES)("%s starts in production with only what it uses", (service) => {
  const config = loadConfig({ NODE_ENV: "production", ...LEAST[service] }, service);
  expect(config).toMatchObject({ production: true, sandbox: false, natsUrl: NATS_URL });
});

test.each(SERVICE_NAMES)("%s names each variable that it lacks, and no other", (service) => {
  const all = new Set(SERVICE_NAMES.flatMap((name) => Object.keys(LEAST[name])));
  for (const environment of [{ NODE_ENV: "production" }, { NODE_ENV: "development" }]) {
    const message = complaint(service, environment);
    expect(message).toContain(`${service} needs NATS_URL`);
    const asked = [...all].filter((name) => message.includes(name));
    // Outside production the public address has a default.
    const isAsked = (name: string) =>
      name !== "PUBLIC_URL" || environment.NODE_ENV === "production";
    expect(new Set(asked)).toEqual(new Set(Object.keys(LEAST[service]).filter(isAsked)));
  }
});

test.each(SERVICE_NAMES)("%s writes no development keys if it has its own", (service) => {
  const environment: Environment = { DATA_DIR: "/dev/null", ...LEAST[service] };
  if (service === "accounts") environment.JWT_PRIVATE_KEY = own.privateKey;
  if (service === "wallet-ledger") environment.LEDGER_HEAD_KEY = own.privateKey;
  const completed = withDevelopmentKeys(environment, service);
  expect(loadConfig(completed, service)).toEqual(loadConfig(environment, service));
});

test.each(SERVICE_NAMES)("%s neither reads nor keeps the secrets of others", (service) => {
  const wrong: Environment = {
    MONGO_URL: "wrong",
    ENCRYPTION_KEYS: "wrong",
    FINGERPRINT_KEY_FILE: "/nowhere",
    JWT_PUBLIC_KEY: service === "accounts" ? "" : "wrong",
    JWT_PRIVATE_KEY: service === "accounts" ? "" : "wrong",
    LEDGER_HEAD_KEY: service === "wallet-ledger" ? "" : "wrong",
    RAILS: service === "payouts" ? "" : "wrong",
    PUBLIC_URL: "wrong",
    WEBHOOK_TIMEOUT: service === "webhooks" ? "" : "wrong",
  };
  if (LEAST[service].FINGERPRINT_KEY) delete wrong.FINGERPRINT_KEY_FILE;
  const config = loadConfig({ ...wrong, ...LEAST[service] }, service);
  for (const [part, holders] of Object.entries(HOLDERS)) {
    expect([part, part in config]).toEqual([part, holders.includes(service)]);
  }
});

test("accounts signs with a private key alone, with a shared secret, or not at all", () => {
  const signer = (more: Environment) => {
    return loadConfig({ ...LEAST.accounts, ...more }, "accounts").jwtSigner;
  };
  const JWT_SECRET = random();
  expect(signer({})).toBeNull();
  expect(signer({ JWT_JWKS_URL: "https://id.example/keys" })).toBeNull();
  expect(signer({ JWT_PRIVATE_KEY: own.privateKey })).toMatchObject({ kind: "privateKey" });
  expect(signer({ JWT_SECRET })).toEqual({ kind: "secret", secret: JWT_SECRET });
});

test("production refuses a weak secret of the service that has it, and of no other", () => {
  const ENCRYPTION_KEYS_OF_ZEROS = `k1:${Buffer.alloc(32).toString("base64")}`;
  const environment = {
    ...LEAST.accounts,
    NODE_ENV: "production",
    ENCRYPTION_KEYS: ENCRYPTION_KEYS_OF_ZEROS,
    JWT_SECRET: "x".repeat(40),
  };
  const message = complaint("accounts", environment);
  expect(message).toContain("The key k1 of ENCRYPTION_KEYS must be random");
  expect(message).toContain("JWT_SECRET must be random");
  expect(loadConfig(environment, "payouts")).toMatchObject({ production: true });
  expect(complaint("payouts", { ...environment, MONGO_URL: "mongodb://db.example/x" })).toContain(
    "MONGO_URL must have tls=true",
  );
});

describe("a secret in a file", () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "payrail-secrets-"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  /** A file with that text, and the line end that editors and `echo` add. */
  function file(name: string, text: string): string {
    const path = join(directory, name);
    writeFileSync(path, `${text}\n`);
    return path;
  }

  /** The environment with each secret in a file. */
  function inFiles(environment: Environment): Environment {
    return Object.fromEntries(
      Object.entries(environment).map(([name, value]) => {
        return name === "PUBLIC_URL" ? [name, value] : [`${name}_FILE`, file(name, value)];
      }),
    );
  }

  test.each(SERVICE_NAMES)("configures %s as its variable does", (service) => {
    const NODE_ENV = "production";
    const fromFiles = loadConfig({ NODE_ENV, ...inFiles(LEAST[service]) }, service);
    expect(fromFiles).toEqual(loadConfig({ NODE_ENV, ...LEAST[service] }, service));
  });

  test("is refused beside its variable", () => {
    const both = { ...LEAST.webhooks, ENCRYPTION_KEYS_FILE: file("both", ENCRYPTION_KEYS) };
    expect(complaint("webhooks", both)).toBe(
      "Only one of ENCRYPTION_KEYS and ENCRYPTION_KEYS_FILE may be set; unset the other.",
    );
  });

  test.each<[string, () => string, string]>([
    ["missing", () => join(directory, "missing"), "cannot be read (ENOENT)"],
    ["a directory", () => directory, "cannot be read (EISDIR)"],
    ["empty", () => file("empty", ""), "is empty"],
  ])("that is %s is named with its path, once", (_case, path, problem) => {
    const { ENCRYPTION_KEYS: _, ...rest } = LEAST.webhooks;
    const ENCRYPTION_KEYS_FILE = path();
    expect(complaint("webhooks", { ...rest, ENCRYPTION_KEYS_FILE })).toBe(
      `ENCRYPTION_KEYS_FILE names ${ENCRYPTION_KEYS_FILE}, which ${problem}.`,
    );
  });

  test.each<[ServiceName, string, string]>([
    ["webhooks", "ENCRYPTION_KEYS", "k1:Zm9yZ290dGVu"],
    ["accounts", "FINGERPRINT_KEY", "Zm9yZ290dGVu"],
    ["accounts", "JWT_PRIVATE_KEY", "Zm9yZ290dGVu"],
    ["accounts", "JWT_SECRET", "Zm9yZ290dGVu"],
    ["wallet-ledger", "LEDGER_HEAD_KEY", "Zm9yZ290dGVu"],
    ["gateway", "JWT_PUBLIC_KEY", "Zm9yZ290dGVu"],
    ["payouts", "MONGO_URL", "mongodb:/ada:Zm9yZ290dGVu@db.example"],
    ["payouts", "NATS_URL", "nats.example?Zm9yZ290dGVu"],
  ])("of %s that is a wrong %s is named without its content", (service, name, text) => {
    for (const set of [{ [name]: text }, { [`${name}_FILE`]: file("wrong", text) }]) {
      const { [name]: _, ...rest } = LEAST[service];
      const message = complaint(service, { ...rest, ...set });
      expect(message).toContain(`${name} must`);
      expect(message).not.toContain("Zm9yZ290dGVu");
    }
  });
});

describe("several public keys", () => {
  const [second, rsa] = [pair(), pair("rsa")];
  const both = `${own.publicKey}\n${second.publicKey}`;

  test("are accepted, with the private key of one of them", () => {
    expect(loadConfig({ ...LEAST.gateway, JWT_PUBLIC_KEY: both }, "gateway").jwtSource).toEqual({
      kind: "publicKey",
      pem: both.trim(),
    });
    const environment = { ...LEAST.accounts, JWT_PUBLIC_KEY: both };
    for (const { privateKey: JWT_PRIVATE_KEY } of [own, second]) {
      loadConfig({ ...environment, JWT_PRIVATE_KEY }, "accounts");
    }
    const message = complaint("accounts", { ...environment, JWT_PRIVATE_KEY: pair().privateKey });
    expect(message).toContain("JWT_PRIVATE_KEY must be the private key of JWT_PUBLIC_KEY");
  });

  test.each<[string, string, string]>([
    ["of two kinds", `${own.publicKey}${rsa.publicKey}`, "must have keys of one kind"],
    ["with a private key", `${own.publicKey}${second.privateKey}`, "must be a PEM public key"],
    [
      "with a damaged one",
      `${own.publicKey}${second.publicKey.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA")}`,
      "must be a PEM public key",
    ],
    ["with one that is cut off", `${own.publicKey}-----BEGIN PUBLIC KEY-----`, "must be a PEM"],
  ])("%s are refused", (_case, JWT_PUBLIC_KEY, part) => {
    const message = complaint("gateway", { ...LEAST.gateway, JWT_PUBLIC_KEY });
    expect(message).toContain(`JWT_PUBLIC_KEY ${part}`);
  });
});
