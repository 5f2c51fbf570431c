// The configuration of every process; env.ts reads it from the environment.

import type { EncryptionKey, JwtKeySource, RateLimit } from "./env-values.ts";
import type { FeeTable } from "./fee-table.ts";
import type { PayoutMethod } from "./payout-methods.ts";

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
  /** The addresses and ranges (CIDR) of proxies; only their X-Forwarded-For is believed. */
  trustedProxies: string[];
  dataDir: string;
  mongoUrl: string | null;
  natsUrl: string | null;
  natsCreds: string | null;
  jwt: { source: JwtKeySource; privateKey: string | null; issuer: string; audience: string };
  /** The first key encrypts, all keys decrypt. */
  encryptionKeys: EncryptionKey[];
  fingerprintKey: Buffer;
  sandboxSettleMs: number;
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
  /** `point:entityId`: a test has a payouts process die there (services/payouts/deps.ts). */
  crashAt: string | null;
}

/** The configuration is wrong. The message names each variable and its remedy, for the operator. */
export class ConfigError extends Error {
  override name = "ConfigError";
}
