// Configuration: the one place that reads the environment. Everything is checked at boot, and all
// that is wrong is named at once, each with its remedy. `npm start` fills in development keys
// (scripts/support/keys.ts) before it comes here; production has to bring its own.

import { isIP } from "node:net";
import { type FeeTable, readFees } from "./fees.ts";
import { isPair, readPrivateKey, readPublicKey } from "./jwt-keys.ts";

export interface RateLimit {
  count: number;
  windowMs: number;
}

/** Where the keys that verify access tokens come from; exactly one. */
export type JwtKeySource =
  | { kind: "publicKey"; pem: string }
  | { kind: "jwks"; url: string }
  | { kind: "secret"; secret: string };

export interface EncryptionKey {
  id: string;
  key: Buffer;
}

export interface Config {
  production: boolean;
  sandbox: boolean;
  host: string;
  port: number;
  publicUrl: string;
  /** Addresses and ranges (CIDR) whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  dataDir: string;
  mongoUrl: string | null;
  natsUrl: string | null;
  natsCreds: string | null;
  jwt: { source: JwtKeySource; privateKey: string | null; issuer: string; audience: string };
  /** The first encrypts, all decrypt. */
  encryptionKeys: EncryptionKey[];
  fingerprintKey: Buffer;
  sandboxSettleMs: number;
  withdrawalLimit: RateLimit | null;
  declineLimit: RateLimit | null;
  fees: FeeTable;
  /** Module paths by payout method; the sandbox rail serves the methods that have none. */
  rails: Record<string, string>;
  /** Module path; the sandbox acquirer where there is none. */
  acquirer: string | null;
  /** Where customers go after paying, where a link does not say. */
  defaultRedirectUrl: string | null;
  webhooks: {
    /** Waits before the attempts after the first, in milliseconds. */
    retryScheduleMs: number[];
    timeoutMs: number;
    orderHoldMs: number;
    /** How long events and their deliveries are kept. */
    retentionMs: number;
    allowPrivate: boolean;
  };
  corsOrigin: string | null;
  logLevel: string;
  /** `point:entityId`, where a test has a payouts process die (services/payouts/deps.ts). */
  crashAt: string | null;
}

/** Says which variables are wrong and what to do; the message is for the operator, whole. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

type Environment = Record<string, string | undefined>;

/** Each wait of the webhooks' retry schedule is changed by up to that part of it. */
export const RETRY_JITTER = 0.2;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = { least: 7, most: 3_650, usual: 90 };

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"];
const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `15s`, `1h`: an integer with ms, s, m, h or d, as milliseconds; null where it is none. */
export function parseDuration(text: string): number | null {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (UNITS[match[2] as string] as number) : null;
}

/** Reads and checks the whole configuration; throws one ConfigError that names all that is wrong. */
export function loadConfig(environment: Environment): Config {
  const wrong: string[] = [];
  const text = (name: string) => environment[name]?.trim() || null;

  /** The variable through `parse`, or its default where it is unset; null from `parse` is wrong. */
  function read<T>(name: string, fallback: T, must: string, parse: (value: string) => T | null): T {
    const value = text(name);
    if (value === null) return fallback;
    const parsed = parse(value);
    if (parsed !== null) return parsed;
    wrong.push(`${name} must be ${must}`);
    return fallback;
  }

  const flag = (name: string, fallback: boolean) =>
    read(name, fallback, "true or false", (v) =>
      v === "true" ? true : v === "false" ? false : null,
    );
  const duration = (name: string, fallback: number) =>
    read(
      name,
      fallback,
      "a duration such as 500ms, 15s, 5m, 2h or 1d",
      (v) => parseDuration(v) || null,
    );
  const limit = (name: string, fallback: RateLimit) =>
    read<{ limit: RateLimit | null }>(
      name,
      { limit: fallback },
      "a count and a duration such as 1/60s, or off",
      parseLimit,
    ).limit;

  const mode = text("NODE_ENV");
  if (mode !== null && !["production", "development", "test"].includes(mode)) {
    wrong.push("NODE_ENV must be production, development or test");
  }
  const production = mode === "production";
  const port = read("PORT", 3000, "a port between 1 and 65535", (v) =>
    /^\d{1,5}$/.test(v) && Number(v) >= 1 && Number(v) <= 65535 ? Number(v) : null,
  );

  const sources: JwtKeySource[] = [];
  const pem = text("JWT_PUBLIC_KEY");
  const jwksUrl = text("JWT_JWKS_URL");
  const secret = text("JWT_SECRET");
  if (pem) sources.push({ kind: "publicKey", pem });
  if (jwksUrl) sources.push({ kind: "jwks", url: jwksUrl });
  if (secret) sources.push({ kind: "secret", secret });
  if (sources.length > 1) {
    wrong.push(
      "Only one of JWT_PUBLIC_KEY, JWT_JWKS_URL and JWT_SECRET may be set; unset the others",
    );
  }
  if (jwksUrl && !isUrl(jwksUrl, production ? ["https:"] : ["https:", "http:"])) {
    wrong.push("JWT_JWKS_URL must be an https URL");
  }
  if (secret && Buffer.byteLength(secret) < 32)
    wrong.push("JWT_SECRET must have at least 32 bytes");
  const privateKey = text("JWT_PRIVATE_KEY");
  wrong.push(...wrongKeys(pem, privateKey));

  const encryptionKeys = read("ENCRYPTION_KEYS", [], ENCRYPTION_KEYS_FORM, parseEncryptionKeys);
  const fingerprintKey = read("FINGERPRINT_KEY", Buffer.alloc(0), "32 bytes in base64", parseKey);
  const mongoUrl = read("MONGO_URL", null, "a mongodb:// or mongodb+srv:// URL", (v) =>
    isUrl(firstHostOf(v), ["mongodb:", "mongodb+srv:"]) ? v : null,
  );
  const natsUrl = read("NATS_URL", null, "a nats:// or tls:// URL, or several with commas", (v) =>
    areUrls(v.split(","), ["nats:"]) || areUrls(v.split(","), ["tls:"]) ? v : null,
  );

  const missing: string[] = [];
  const need = (present: unknown, name: string) => present || missing.push(name);
  if (production) need(mongoUrl, "MONGO_URL");
  if (production) need(natsUrl, "NATS_URL");
  need(sources.length, "one of JWT_PUBLIC_KEY, JWT_JWKS_URL or JWT_SECRET");
  if (!text("ENCRYPTION_KEYS")) missing.push("ENCRYPTION_KEYS (id:base64 of 32 bytes)");
  if (!text("FINGERPRINT_KEY")) missing.push("FINGERPRINT_KEY (base64 of 32 bytes)");
  if (missing.length > 0) {
    wrong.push(`${production ? "Production needs" : "Missing:"} ${missing.join(", ")}`);
  }
  if (production && !flag("ALLOW_PLAINTEXT", false)) {
    if (natsUrl && !natsUrl.startsWith("tls:")) {
      wrong.push(
        "NATS_URL must be tls:// in production, or ALLOW_PLAINTEXT=true where a mesh encrypts",
      );
    }
    if (mongoUrl?.startsWith("mongodb:") && !/[?&](tls|ssl)=true/.test(mongoUrl)) {
      wrong.push(
        "MONGO_URL must have tls=true in production, or ALLOW_PLAINTEXT=true where a mesh encrypts",
      );
    }
  }

  const config: Config = {
    production,
    sandbox: flag("SANDBOX", !production),
    host: text("HOST") ?? (production ? "0.0.0.0" : "127.0.0.1"),
    port,
    publicUrl: read("PUBLIC_URL", `http://localhost:${port}`, "an http or https URL", (v) =>
      isUrl(v, ["http:", "https:"]) ? v.replace(/\/+$/, "") : null,
    ),
    trustedProxies: read("TRUST_PROXY", [], TRUST_PROXY_FORM, parseProxies),
    dataDir: text("DATA_DIR") ?? ".data",
    mongoUrl,
    natsUrl,
    natsCreds: text("NATS_CREDS"),
    jwt: {
      source: sources[0] as JwtKeySource,
      privateKey,
      issuer: text("JWT_ISSUER") ?? "payrail",
      audience: text("JWT_AUDIENCE") ?? "payrail",
    },
    encryptionKeys,
    fingerprintKey,
    sandboxSettleMs: read("SANDBOX_SETTLE_MS", 2_000, "milliseconds, 0 to 86400000", (v) =>
      /^\d{1,8}$/.test(v) && Number(v) <= 86_400_000 ? Number(v) : null,
    ),
    withdrawalLimit: limit("WITHDRAWAL_LIMIT", { count: 1, windowMs: 60_000 }),
    declineLimit: limit("DECLINE_LIMIT", { count: 20, windowMs: 60_000 }),
    fees: readFees(text("FEES"), wrong),
    acquirer: text("ACQUIRER"),
    defaultRedirectUrl: read("DEFAULT_REDIRECT_URL", null, "an https URL", (v) =>
      isUrl(v, ["https:"]) ? v : null,
    ),
    rails: read("RAILS", {}, 'JSON such as {"ACH":"./rails/x.js"}', parseRails),
    webhooks: {
      retryScheduleMs: read(
        "WEBHOOK_RETRY_SCHEDULE",
        ["5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"].map(durationOf),
        "durations separated by commas, such as 5s,5m,30m",
        parseSchedule,
      ),
      timeoutMs: duration("WEBHOOK_TIMEOUT", 15_000),
      orderHoldMs: duration("WEBHOOK_ORDER_HOLD", 3_600_000),
      retentionMs: duration("WEBHOOK_RETENTION", RETENTION_DAYS.usual * DAY_MS),
      allowPrivate: flag("WEBHOOK_ALLOW_PRIVATE", !production),
    },
    corsOrigin: read("CORS_ORIGIN", null, "an origin such as https://app.example.com", (v) =>
      isUrl(v, ["http:", "https:"]) && new URL(v).origin === v ? v : null,
    ),
    logLevel: read("LOG_LEVEL", "info", `one of ${LOG_LEVELS.join(", ")}`, (v) =>
      LOG_LEVELS.includes(v) ? v : null,
    ),
    crashAt: mode === "test" ? text("PAYRAIL_CRASH_AT") : null,
  };
  wrong.push(...wrongRetention(config.webhooks), ...wrongSandbox(config));
  if (wrong.length > 0) throw new ConfigError(`${wrong.join(". ")}.`);
  return config;
}

/** What is wrong with the PEM texts, whose first lines may look right. */
function wrongKeys(publicPem: string | null, privatePem: string | null): string[] {
  const kinds = "RSA of at least 2048 bits or P-256";
  const wrong: string[] = [];
  // A private key would do, as it has the public one in it, and is no text to be handed about.
  const isPublic = publicPem?.includes("BEGIN PUBLIC KEY");
  const publicKey = publicPem && isPublic ? readPublicKey(publicPem) : null;
  if (publicPem && !publicKey) wrong.push(`JWT_PUBLIC_KEY must be a PEM public key, ${kinds}`);
  const privateKey = privatePem ? readPrivateKey(privatePem) : null;
  if (privatePem && !privateKey) {
    wrong.push(`JWT_PRIVATE_KEY must be a PEM private key without a passphrase, ${kinds}`);
  }
  if (publicKey && privateKey && !isPair(privateKey, publicKey)) {
    wrong.push("JWT_PRIVATE_KEY must be the private key of JWT_PUBLIC_KEY");
  }
  return wrong;
}

/** In production nothing that is only tried moves real money: fundings, nor a clock that bills years. */
function wrongSandbox({ production, sandbox, acquirer, rails }: Config): string[] {
  const isReal = acquirer !== null || Object.keys(rails).length > 0;
  return production && sandbox && isReal
    ? ["SANDBOX must be false in production where RAILS or ACQUIRER is set"]
    : [];
}

/** What is wrong with a time to keep events that may end before they were tried to the end. */
function wrongRetention({ retentionMs, retryScheduleMs }: Config["webhooks"]): string[] {
  const { least, most } = RETENTION_DAYS;
  if (retentionMs < least * DAY_MS || retentionMs > most * DAY_MS) {
    return [`WEBHOOK_RETENTION must be between ${least}d and ${most}d`];
  }
  const triedForMs = retryScheduleMs.reduce((sum, waitMs) => sum + waitMs, 0) * (1 + RETRY_JITTER);
  if (retentionMs > triedForMs) return [];
  const days = Math.ceil(triedForMs / DAY_MS);
  return [
    `WEBHOOK_RETENTION must be more than ${days}d, as long as WEBHOOK_RETRY_SCHEDULE may take`,
  ];
}

// Not how many they are: whoever gets past them could then say what they like (so Fastify has it).
const TRUST_PROXY_FORM = "the addresses of the proxies before us, such as 10.0.0.0/8,192.0.2.1";

function parseProxies(value: string): string[] | null {
  const addresses = value.split(",").map((part) => part.trim());
  return addresses.every(isAddressOrRange) ? addresses : null;
}

/** An IP address, or a range of them (CIDR), but not all there are: that would trust everybody. */
function isAddressOrRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] as number;
  const isRange = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
  return most > 0 && rest.length === 0 && isRange;
}

const ENCRYPTION_KEYS_FORM = "id:base64[,id:base64…] with keys of 32 bytes and distinct ids";

function parseEncryptionKeys(value: string): EncryptionKey[] | null {
  const keys = value.split(",").map((part) => {
    const [id, base64] = [
      part.slice(0, part.indexOf(":")).trim(),
      part.slice(part.indexOf(":") + 1),
    ];
    const key = parseKey(base64.trim());
    return key && /^[\w-]{1,32}$/.test(id) ? { id, key } : null;
  });
  const valid = keys.filter((key) => key !== null);
  const distinct = new Set(valid.map((key) => key.id)).size === keys.length;
  return distinct ? valid : null;
}

function parseKey(base64: string): Buffer | null {
  const key = Buffer.from(base64, "base64");
  return key.length === 32 ? key : null;
}

function parseLimit(value: string): { limit: RateLimit | null } | null {
  if (value === "off") return { limit: null };
  const [count, window] = value.split("/");
  const windowMs = window ? parseDuration(window) : null;
  if (!count || !/^[1-9]\d{0,5}$/.test(count) || !windowMs) return null;
  return { limit: { count: Number(count), windowMs } };
}

function parseSchedule(value: string): number[] | null {
  const waits = value.split(",").map((part) => parseDuration(part.trim()));
  return waits.every((wait) => wait !== null) ? waits : null;
}

function durationOf(value: string): number {
  return parseDuration(value) as number;
}

function parseRails(value: string): Record<string, string> | null {
  try {
    const parsed: unknown = JSON.parse(value);
    const isTable = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    if (!isTable || !Object.values(parsed).every((path) => typeof path === "string")) return null;
    return parsed as Record<string, string>;
  } catch {
    return null;
  }
}

/** A replica set's URL lists its hosts, which no other URL does. */
function firstHostOf(url: string): string {
  return url.replace(/,[^/?]*/, "");
}

function areUrls(values: string[], protocols: string[]): boolean {
  return values.every((value) => isUrl(value, protocols));
}

function isUrl(value: string, protocols: string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}
