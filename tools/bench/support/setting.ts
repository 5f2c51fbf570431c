import type { Config } from "../../../shared/config/config.ts";
import type { Lifetime } from "../../platform/lifetime.ts";

/** The setting of a bench: a separate database and the measured time per figure. */
export interface Setting {
  config: Config;
  environment: Record<string, string | undefined>;
  ms: number;
  /** The number of subscriptions that are billed at the same time. */
  subscriptions: number;
  /** The number of wallets of the row with many. */
  wallets: number;
  say: (line: string) => void;
  /** Registers a stop function; it runs at the end of the run, also after an error or a signal. */
  onStop: Lifetime["onStop"];
}

/** The URL of a further database of the bench. @param name the end of the database's name */
export function urlOf({ config }: Pick<Setting, "config">, name: string): string {
  const url = new URL(config.mongoUrl as string);
  url.pathname += `_${name}`;
  return url.href;
}
