// Loads the acquirers that the configuration names, and the sandbox's acquirer if SANDBOX is on.

import type { mongo } from "mongoose";
import type { Acquirer, Context } from "../../../partners/types.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config.ts";
import { loadAcquirers } from "../../../shared/partners/load.ts";
import { type SandboxCharge, sandboxAcquirer } from "./sandbox.ts";
import type { SandboxCard } from "./vault.ts";

export interface Acquirers {
  /** Charges and saves cards; null if none is configured: then payments are refused with 503. */
  acquirer: Acquirer | null;
  /** Asked only about the charges, refunds and saved cards that they already have. */
  formerAcquirers: Acquirer[];
}

/**
 * Loads the acquirers: the first one of the configuration charges, else the sandbox's.
 * @throws ConfigError as `loadAcquirers`
 */
export async function openAcquirers(
  config: ConfigOf<"payment-links">,
  context: Context,
  cards: mongo.Collection<SandboxCard>,
  books: mongo.Collection<SandboxCharge>,
  clock: Clock,
): Promise<Acquirers> {
  const named = await loadAcquirers(config.acquirers, context, config);
  const sandbox = config.sandbox ? [sandboxAcquirer(cards, books, clock)] : [];
  const [acquirer = null, ...formerAcquirers] = [...named.values(), ...sandbox];
  return { acquirer, formerAcquirers };
}
