// Loads the acquirers that the configuration names, and the sandbox's acquirer if SANDBOX is on.

import type { Acquirer } from "../../../partners/types.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import type { ContextOf } from "../../../shared/partners/context.ts";
import { loadAcquirers } from "../../../shared/partners/load.ts";
import { SANDBOX_ACQUIRER } from "../../../shared/partners/sandbox.ts";

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
  contextOf: ContextOf,
): Promise<Acquirers> {
  const paths = [...config.acquirers, ...(config.sandbox ? [SANDBOX_ACQUIRER] : [])];
  const [acquirer = null, ...formerAcquirers] = (
    await loadAcquirers(paths, contextOf, config)
  ).values();
  return { acquirer, formerAcquirers };
}
