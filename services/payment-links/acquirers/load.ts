// Which acquirers are there: those that configuration names, and the sandbox's where it is on.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/env.ts";
import type { Acquirer } from "../../../shared/partners/acquirer.ts";
import { loadAcquirers } from "../../../shared/partners/load.ts";
import { type SandboxCharge, sandboxAcquirer } from "./sandbox.ts";
import type { SandboxCard } from "./vault.ts";

/** The partners that payments and refunds are asked of. */
export interface Acquirers {
  /** Saves cards and charges; null where none does: payments are refused before anything is written. */
  acquirer: Acquirer | null;
  /** Asked only about charges and refunds that they already have, and cards in their vaults. */
  formerAcquirers: Acquirer[];
}

/**
 * Loads the acquirers: the first of the configuration charges, else the sandbox's where it is on.
 * @throws ConfigError as `loadAcquirers`
 */
export async function openAcquirers(
  config: Config,
  cards: mongo.Collection<SandboxCard>,
  books: mongo.Collection<SandboxCharge>,
  clock: Clock,
): Promise<Acquirers> {
  const named = await loadAcquirers(config.acquirers, config);
  const sandbox = config.sandbox ? [sandboxAcquirer(cards, books, clock)] : [];
  const [acquirer = null, ...formerAcquirers] = [...named.values(), ...sandbox];
  return { acquirer, formerAcquirers };
}
