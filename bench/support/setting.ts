import type { Lifetime } from "../../scripts/support/lifetime.ts";
import type { Config } from "../../shared/env.ts";

/** What a bench works with: a database of its own, and how long each figure is measured. */
export interface Setting {
  config: Config;
  environment: Record<string, string | undefined>;
  binaries: string;
  ms: number;
  /** How many are billed at once. */
  subscriptions: number;
  say: (line: string) => void;
  /** Registers how to stop what was started; done at the end, whatever ends the run. */
  onStop: Lifetime["onStop"];
}
