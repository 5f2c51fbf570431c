// Configuration: the one place that reads the environment. Everything that a process uses is
// checked at boot, and one error names all problems, each with its remedy. `npm start` adds
// development keys (tools/platform/keys.ts) before this check; production has to bring its own
// keys, and env-production.ts lists the other settings that production refuses.

import { nearestOf } from "../nearest-name.ts";
import { SANDBOX_SCREENING } from "../partners/sandbox.ts";
import { SERVICE_NAMES } from "../rpc/service-names.ts";
import {
  PRIVATE_KEY_FORM,
  readPrivateKey,
  wrongPair,
  wrongPublicKeys,
} from "../security/jwt-keys.ts";
import { type Config, ConfigError, type ConfigOf, type ConfigUser, PARTS } from "./config.ts";
import { wrongInProduction } from "./env-production.ts";
import { environmentReader, isSet, type Variables } from "./env-reader.ts";
import {
  ENCRYPTION_KEYS_FORM,
  isUrl,
  type JwtKeySource,
  type JwtSigner,
  PORT_FORM,
  parseDuration,
  parseEncryptionKeys,
  parseKey,
  parseMongoUrl,
  parsePort,
  parseProxies,
  parseRails,
  parseRatio,
  parseSchedule,
  RAILS_FORM,
  splitList,
  TRUST_PROXY_FORM,
} from "./env-values.ts";
import { isKnown, readFees } from "./fee-table.ts";
import { PAYOUT_METHODS } from "./payout-methods.ts";

/** Each wait of the webhooks' retry schedule is changed at random by up to this part of it. */
export const RETRY_JITTER = 0.2;
const DAY_MS = 86_400_000;
/** The whole stop takes less than 30 s (tools/platform/lifetime.ts). */
const STOP_DELAY_AT_MOST_MS = 8_000;
const RETENTION_DAYS = { least: 7, most: 3_650, usual: 90 };

/**
 * The part of the requests that is recorded: one of ten shows the same as all ten, at a tenth
 * of the cost.
 */
const SAMPLE_RATIO = 0.1;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"];

/**
 * Reads and checks the configuration.
 * @param user the service or command whose parts are read (config.ts, PARTS); without it, all parts
 * @throws ConfigError one error with all problems
 */
export function loadConfig(environment: Variables): Config;
export function loadConfig<User extends ConfigUser>(
  environment: Variables,
  user: User,
): ConfigOf<User>;
export function loadConfig(environment: Variables, user?: ConfigUser): Partial<Config> {
  const wrong: string[] = [];
  const missing: string[] = [];
  const { text, flag } = environmentReader(environment, wrong);
  const mode = text("NODE_ENV");
  if (mode !== null && !["production", "development", "test"].includes(mode)) {
    wrong.push("NODE_ENV must be production, development or test");
  }
  const production = mode === "production";
  const isAlone = SERVICE_NAMES.some((name) => name === user);
  const need = (variables: string[], named = variables.join()) => {
    if (!variables.some((name) => isSet(environment, name))) missing.push(named);
  };
  const readers = partReaders(environment, wrong, { mode, isAlone, need });
  const parts = user ? PARTS[user] : (Object.keys(readers) as (keyof Config)[]);
  const config: Partial<Config> = Object.fromEntries(parts.map((part) => [part, readers[part]()]));
  if (missing.length > 0) {
    const needs = user ? `${user} needs` : production ? "Production needs" : "Missing:";
    wrong.push(`${needs} ${missing.join(", ")}`);
  }
  const allowPlaintext = flag("ALLOW_PLAINTEXT", false);
  if (production) {
    const dataDir = config.dataDir ?? readers.dataDir();
    wrong.push(...wrongInProduction(config, { allowPlaintext, dataDir }));
  }
  // Two parts may read one variable.
  if (wrong.length > 0) throw new ConfigError(`${[...new Set(wrong)].join(". ")}.`);
  return config;
}

/** More edits would find variables of other programs. */
const MAX_EDITS = 2;

/**
 * Names the variables that are probably misspelt: payrail knows none of that name, and one that is
 * nearly the same and begins with the same word.
 */
export function findMisspelt(environment: Variables): string[] {
  const known = knownVariables();
  const begins = new Set(known.map(firstWord).filter((word) => word !== null));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !begins.has(firstWord(name) ?? "")) return [];
    const meant = nearestOf(name, known, MAX_EDITS);
    return meant === null ? [] : [`${name} is no variable of payrail; did you mean ${meant}?`];
  });
}

const firstWord = (name: string) => /^[A-Z]+_/.exec(name)?.[0] ?? null;

/** The names of all variables: those that the readers ask an environment for. */
function knownVariables(): string[] {
  const asked = new Set(["NODE_ENV", "ALLOW_PLAINTEXT"]);
  const environment = new Proxy<Variables>({}, { get: (_, name) => void asked.add(String(name)) });
  const readers = partReaders(environment, [], { mode: "test", isAlone: false, need: () => {} });
  for (const read of Object.values(readers)) read();
  return [...asked];
}

interface Circumstances {
  mode: string | null;
  /** Whether the configuration is that of one service in its own process. */
  isAlone: boolean;
  /** Notes that one of the variables is needed, if none is set. */
  need: (variables: string[], named?: string) => void;
}

/** How each part is read. A problem goes to `wrong`, and the result is any value then. */
function partReaders(
  environment: Variables,
  wrong: string[],
  { mode, isAlone, need }: Circumstances,
): { [Part in keyof Config]: () => Config[Part] } {
  const { text, read, flag, duration, limit } = environmentReader(environment, wrong);
  const production = mode === "production";
  const port = () => read("PORT", 3000, PORT_FORM, parsePort);

  const readers: ReturnType<typeof partReaders> = {
    production: () => production,
    sandbox: () => flag("SANDBOX", !production),
    host: () => text("HOST") ?? (production ? "0.0.0.0" : "127.0.0.1"),
    port,
    probePort() {
      const probePort = read("PROBE_PORT", null, PORT_FORM, parsePort);
      if (probePort === port()) wrong.push("PROBE_PORT must differ from PORT");
      return probePort;
    },
    stopDelayMs: () =>
      read("STOP_DELAY", 0, "a duration up to 8s", (v) => {
        const ms = parseDuration(v);
        return ms !== null && ms <= STOP_DELAY_AT_MOST_MS ? ms : null;
      }),
    publicUrl: () =>
      read("PUBLIC_URL", `http://localhost:${port()}`, "an http or https URL", (v) =>
        isUrl(v, ["http:", "https:"]) ? v.replace(/\/+$/, "") : null,
      ),
    trustedProxies: () => read("TRUST_PROXY", [], TRUST_PROXY_FORM, parseProxies),
    dataDir: () => text("DATA_DIR") ?? ".data",
    mongoUrl() {
      if (production || isAlone) need(["MONGO_URL"]);
      const form = "a mongodb:// or mongodb+srv:// URL, each option known and given once";
      return read("MONGO_URL", null, form, (v) => (parseMongoUrl(v) ? v : null));
    },
    natsUrl() {
      if (production || isAlone) need(["NATS_URL"]);
      return read("NATS_URL", null, "a nats:// or tls:// URL, or several with commas", (v) =>
        ["nats:", "tls:"].some((kind) => v.split(",").every((url) => isUrl(url, [kind])))
          ? v
          : null,
      );
    },
    natsCreds: () => text("NATS_CREDS"),
    natsCaFile: () => text("NATS_CA_FILE"),
    jwt: () => ({
      issuer: text("JWT_ISSUER") ?? "payrail",
      audience: text("JWT_AUDIENCE") ?? "payrail",
    }),
    jwtSource() {
      const names = ["JWT_PUBLIC_KEY", "JWT_JWKS_URL", "JWT_SECRET"];
      need(names, "one of JWT_PUBLIC_KEY, JWT_JWKS_URL or JWT_SECRET");
      const [pem, url, secret] = names.map(text) as [string | null, string | null, string | null];
      const sources: JwtKeySource[] = [];
      if (pem) sources.push({ kind: "publicKey", pem });
      if (url) sources.push({ kind: "jwks", url });
      if (secret) sources.push({ kind: "secret", secret });
      if (sources.length > 1) {
        wrong.push(
          "Only one of JWT_PUBLIC_KEY, JWT_JWKS_URL and JWT_SECRET may be set; unset the others",
        );
      }
      if (url && !isUrl(url, production ? ["https:"] : ["https:", "http:"])) {
        wrong.push("JWT_JWKS_URL must be an https URL");
      }
      wrong.push(...wrongPublicKeys(pem), ...wrongSecret(secret));
      return sources[0] as JwtKeySource;
    },
    openId() {
      const secure = production ? ["https:"] : ["https:", "http:"];
      const must = `an ${production ? "https" : "http or https"} URL`;
      const issuer = read("OPENID_ISSUER", null, must, (v) => (isUrl(v, secure) ? v : null));
      const clientId = text("OPENID_CLIENT_ID");
      const clientSecret = text("OPENID_CLIENT_SECRET");
      const claimPrefix = text("OPENID_CLAIM_PREFIX") ?? "payrail_";
      if ((issuer ?? clientId ?? clientSecret) === null) return null;
      need(["OPENID_ISSUER"]);
      need(["OPENID_CLIENT_ID"]);
      return { issuer: issuer ?? "", clientId: clientId ?? "", clientSecret, claimPrefix };
    },
    jwtSigner(): JwtSigner | null {
      const [pem, secret] = [text("JWT_PRIVATE_KEY"), text("JWT_SECRET")];
      wrong.push(...wrongPair(pem, text("JWT_PUBLIC_KEY")), ...wrongSecret(secret));
      if (secret) return { kind: "secret", secret };
      return pem === null ? null : { kind: "privateKey", pem };
    },
    encryptionKeys() {
      need(["ENCRYPTION_KEYS"], "ENCRYPTION_KEYS (id:base64 of 32 bytes)");
      return read("ENCRYPTION_KEYS", [], ENCRYPTION_KEYS_FORM, parseEncryptionKeys);
    },
    fingerprintKey() {
      need(["FINGERPRINT_KEY"], "FINGERPRINT_KEY (base64 of 32 bytes)");
      return read("FINGERPRINT_KEY", Buffer.alloc(0), "32 bytes in base64", parseKey);
    },
    ledgerHeadKey: () => read("LEDGER_HEAD_KEY", null, PRIVATE_KEY_FORM, readPrivateKey),
    sandboxSettleMs: () =>
      read("SANDBOX_SETTLE_MS", 2_000, "milliseconds, 0 to 86400000", (v) =>
        /^\d{1,8}$/.test(v) && Number(v) <= 86_400_000 ? Number(v) : null,
      ),
    withdrawalLimit: () => limit("WITHDRAWAL_LIMIT", { count: 1, windowMs: 60_000 }),
    apiLimit: () => limit("API_LIMIT", null),
    declineLimit: () => limit("DECLINE_LIMIT", { count: 20, windowMs: 60_000 }),
    fees: () => readFees(text("FEES"), wrong),
    acquirers: () => splitList(text("ACQUIRER") ?? ""),
    screening() {
      const path = text("SCREENING");
      return path === "off" ? null : (path ?? (readers.sandbox() ? SANDBOX_SCREENING : null));
    },
    defaultRedirectUrl: () =>
      read("DEFAULT_REDIRECT_URL", null, "an https URL", (v) => (isUrl(v, ["https:"]) ? v : null)),
    rails() {
      const rails = read("RAILS", {}, RAILS_FORM, parseRails);
      // Payouts of the intended method would not be sent.
      for (const key of Object.keys(rails)) isKnown("RAILS", key, PAYOUT_METHODS, wrong);
      return rails;
    },
    webhooks() {
      const settings = {
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
      };
      wrong.push(...wrongRetention(settings));
      return settings;
    },
    corsOrigin: () =>
      read("CORS_ORIGIN", null, "an origin such as https://app.example.com", (v) =>
        isUrl(v, ["http:", "https:"]) && new URL(v).origin === v ? v : null,
      ),
    logLevel: () =>
      read("LOG_LEVEL", "info", `one of ${LOG_LEVELS.join(", ")}`, (v) =>
        LOG_LEVELS.includes(v) ? v : null,
      ),
    tracing() {
      const endpoint = read(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        null,
        "the http or https URL of an OpenTelemetry collector",
        (v) => (isUrl(v, ["http:", "https:"]) ? v.replace(/\/+$/, "") : null),
      );
      const must = "a number from 0 to 1";
      const sampleRatio = read("TRACE_SAMPLE_RATIO", SAMPLE_RATIO, must, parseRatio);
      return endpoint === null ? null : { endpoint, sampleRatio };
    },
    crashAt: () => (mode === "test" ? text("PAYRAIL_CRASH_AT") : null),
  };
  return readers;
}

function wrongSecret(secret: string | null): string[] {
  const isShort = secret !== null && Buffer.byteLength(secret) < 32;
  return isShort ? ["JWT_SECRET must have at least 32 bytes"] : [];
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
