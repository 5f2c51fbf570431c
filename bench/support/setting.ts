import type { Lifetime } from "../../scripts/support/lifetime.ts";
import type { Config } from "../../shared/config.ts";

/** The setting of a bench: a separate database and the measured time per figure. */
export interface Setting {
  config: Config;
  environment: Record<string, string | undefined>;
  binaries: string;
  ms: number;
  /** The number of subscriptions that are billed at once. */
  subscriptions: number;
  /** The number of wallets of the row with many. */
  wallets: number;
  say: (line: string) => void;
  /** Registers a stop function; it runs at the end of the run, also after an error or a signal. */
  onStop: Lifetime["onStop"];
}
