// The configuration of every process; env.ts reads it from the environment. A service has only the
// parts that it uses, so a process that is broken into holds no key of another service.

import type { ServiceName } from "../rpc/service-names.ts";
import type { JwtKey } from "../security/jwt-keys.ts";
import type { EncryptionKey, JwtKeySource, JwtSigner, RateLimit } from "./env-values.ts";
import type { FeeTable } from "./fee-table.ts";
import type { PayoutMethod } from "./payout-methods.ts";

/** The identity provider at which people sign in to the console (OpenID Connect). */
export interface OpenId {
  issuer: string;
  clientId: string;
  /** Null for a client without a secret. */
  clientSecret: string | null;
  /** Before the names of the claims `role`, `business` and `scope` of its ID tokens. */
  claimPrefix: string;
}

export interface Config {
  production: boolean;
  sandbox: boolean;
  host: string;
  port: number;
  /** The port of the probes and metrics of the process; null for none. */
  probePort: number | null;
  /** How long a gateway that is told to stop goes on serving while its probe says so. */
  stopDelayMs: number;
  publicUrl: string;
  /** Proxies by address or range (CIDR), whose X-Forwarded-For or Forwarded alone is believed. */
  trustedProxies: string[];
  dataDir: string;
  mongoUrl: string | null;
  natsUrl: string | null;
  natsCreds: string | null;
  /** The path of a PEM file: the authority of the certificate of NATS. */
  natsCaFile: string | null;
  /** The claims of every access token. */
  jwt: { issuer: string; audience: string };
  /** Verifies access tokens. */
  jwtSource: JwtKeySource;
  openId: OpenId | null;
  /** Signs access tokens; null if another system issues them. */
  jwtSigner: JwtSigner | null;
  /** The first key encrypts, all keys decrypt. */
  encryptionKeys: EncryptionKey[];
  fingerprintKey: Buffer;
  /** Signs the heads of the ledger; null without heads. */
  ledgerHeadKey: JwtKey | null;
  sandboxSettleMs: number;
  /** Requests of each API client to a gateway. */
  apiLimit: RateLimit | null;
  withdrawalLimit: RateLimit | null;
  declineLimit: RateLimit | null;
  fees: FeeTable;
  /**
   * Module paths by payout method. The first module takes new payouts; each rail is asked about its
   * own. The sandbox rail serves the methods without a module.
   */
  rails: Partial<Record<PayoutMethod, string[]>>;
  /** Module paths; the first charges. Without a path the sandbox acquirer charges. */
  acquirers: string[];
  /** The module that screens payouts before their first submit; null without one. */
  screening: string | null;
  defaultRedirectUrl: string | null;
  webhooks: {
    retryScheduleMs: number[];
    timeoutMs: number;
    orderHoldMs: number;
    retentionMs: number;
    allowPrivate: boolean;
  };
  corsOrigin: string | null;
  logLevel: string;
  /** The collector of traces, and the part of the requests that is recorded; null without one. */
  tracing: { endpoint: string; sampleRatio: number } | null;
  /** `point:entityId`: a test has a payouts process die there (services/payouts/deps.ts). */
  crashAt: string | null;
}

type Part = keyof Config;

/** The parts of every service. None is a secret except the credentials of NATS. */
const COMMON = [
  "production",
  "sandbox",
  "host",
  "probePort",
  "stopDelayMs",
  "dataDir",
  "natsUrl",
  "natsCreds",
  "natsCaFile",
  "logLevel",
  "tracing",
  "crashAt",
] as const satisfies Part[];

/** The parts of a command that opens the database, or the one in DATA_DIR. */
const DATABASE = ["production", "sandbox", "dataDir", "mongoUrl"] as const satisfies Part[];

/**
 * The parts that each service and command uses. Variables of other parts are neither demanded nor
 * read, and code that uses another part does not compile (`ConfigOf`).
 */
export const PARTS = {
  gateway: [
    ...COMMON,
    "port",
    "publicUrl",
    "trustedProxies",
    "apiLimit",
    "corsOrigin",
    "jwt",
    "jwtSource",
    "openId",
  ],
  accounts: [...COMMON, "mongoUrl", "encryptionKeys", "fingerprintKey", "jwt", "jwtSigner"],
  "wallet-ledger": [...COMMON, "mongoUrl", "ledgerHeadKey"],
  payouts: [
    ...COMMON,
    "mongoUrl",
    "rails",
    "screening",
    "sandboxSettleMs",
    "fees",
    "withdrawalLimit",
    "declineLimit",
  ],
  "payment-links": [
    ...COMMON,
    "mongoUrl",
    "encryptionKeys",
    "fingerprintKey",
    "acquirers",
    "fees",
    "publicUrl",
    "defaultRedirectUrl",
  ],
  webhooks: [...COMMON, "mongoUrl", "encryptionKeys", "webhooks"],
  verify: [...DATABASE, "rails"],
  compare: [...DATABASE, "rails", "sandboxSettleMs", "acquirers", "publicUrl"],
  demo: ["production", "sandbox", "host", "port", "dataDir", "natsUrl", "jwt", "jwtSigner"],
  "hold-billing": DATABASE,
  migrate: DATABASE,
  repl: COMMON,
  "rotate-keys": [...DATABASE, "encryptionKeys"],
  token: ["production", "dataDir", "jwt", "jwtSigner"],
} as const satisfies Record<ServiceName | Command, readonly Part[]>;

type Command =
  | "compare"
  | "demo"
  | "hold-billing"
  | "migrate"
  | "repl"
  | "rotate-keys"
  | "token"
  | "verify";

/** A service or a command that has its own part of the configuration. */
export type ConfigUser = keyof typeof PARTS;

/** The configuration of a service or a command: the parts that it uses. */
export type ConfigOf<User extends ConfigUser> = Pick<Config, (typeof PARTS)[User][number]>;

/** The configuration that every service has. */
export type CommonConfig = Pick<Config, (typeof COMMON)[number]>;

/** The configuration is wrong. The message names each variable and its remedy, for the operator. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
