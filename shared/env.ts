// Configuration: the one place that reads the environment. Everything is checked at boot, and one
// error names all problems, each with its remedy. `npm start` adds development keys
// (scripts/support/keys.ts) before this check; production has to bring its own keys, and
// env-production.ts lists the other settings that production refuses.

import { type Config, ConfigError } from "./config.ts";
import { wrongInProduction } from "./env-production.ts";
import {
  ENCRYPTION_KEYS_FORM,
  isUrl,
  type JwtKeySource,
  PORT_FORM,
  parseDuration,
  parseEncryptionKeys,
  parseKey,
  parseLimit,
  parseMongoUrl,
  parsePort,
  parseProxies,
  parseRails,
  parseSchedule,
  RAILS_FORM,
  type RateLimit,
  splitList,
  TRUST_PROXY_FORM,
} from "./env-values.ts";
import { isKnown, readFees } from "./fee-table.ts";
import { wrongKeys } from "./jwt-keys.ts";
import { PAYOUT_METHODS } from "./payout-methods.ts";

type Environment = Record<string, string | undefined>;

/** Each wait of the webhooks' retry schedule is changed at random by up to this part of it. */
export const RETRY_JITTER = 0.2;
const DAY_MS = 86_400_000;
/** The whole stop takes less than 30 s (scripts/support/lifetime.ts). */
const STOP_DELAY_AT_MOST_MS = 8_000;
const RETENTION_DAYS = { least: 7, most: 3_650, usual: 90 };

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"];

/** Reads and checks the whole configuration. @throws ConfigError one error with all problems */
export function loadConfig(environment: Environment): Config {
  const wrong: string[] = [];
  const text = (name: string) => environment[name]?.trim() || null;

  /** The parsed variable; the fallback if it is unset. Null from `parse` is a problem. */
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
  const port = read("PORT", 3000, PORT_FORM, parsePort);
  const probePort = read("PROBE_PORT", null, PORT_FORM, parsePort);
  if (probePort === port) wrong.push("PROBE_PORT must differ from PORT");

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
  const mongoUrl = read(
    "MONGO_URL",
    null,
    "a mongodb:// or mongodb+srv:// URL, each option known and given once",
    (v) => (parseMongoUrl(v) ? v : null),
  );
  const natsUrl = read("NATS_URL", null, "a nats:// or tls:// URL, or several with commas", (v) =>
    ["nats:", "tls:"].some((kind) => v.split(",").every((url) => isUrl(url, [kind]))) ? v : null,
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
  const config: Config = {
    production,
    sandbox: flag("SANDBOX", !production),
    host: text("HOST") ?? (production ? "0.0.0.0" : "127.0.0.1"),
    port,
    probePort,
    stopDelayMs: read("STOP_DELAY", 0, "a duration up to 8s", (v) => {
      const ms = parseDuration(v);
      return ms !== null && ms <= STOP_DELAY_AT_MOST_MS ? ms : null;
    }),
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
    acquirers: splitList(text("ACQUIRER") ?? ""),
    defaultRedirectUrl: read("DEFAULT_REDIRECT_URL", null, "an https URL", (v) =>
      isUrl(v, ["https:"]) ? v : null,
    ),
    rails: read("RAILS", {}, RAILS_FORM, parseRails),
    webhooks: {
      retryScheduleMs: read(
        "WEBHOOK_RETRY_SCHEDULE",
        parseSchedule("5s,5m,30m,2h,5h,10h,14h,20h,24h") as number[],
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
  wrong.push(...wrongRetention(config.webhooks), ...wrongRails(config));
  const allowPlaintext = flag("ALLOW_PLAINTEXT", false);
  if (production) wrong.push(...wrongInProduction(config, allowPlaintext));
  if (wrong.length > 0) throw new ConfigError(`${wrong.join(". ")}.`);
  return config;
}

/** The retention must be longer than all attempts at an event together. */
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

/**
 * Refuses a key that is no payout method, because payouts of the intended method would not be sent.
 */
function wrongRails({ rails }: Config): string[] {
  const wrong: string[] = [];
  for (const key of Object.keys(rails)) isKnown("RAILS", key, PAYOUT_METHODS, wrong);
  return wrong;
}
