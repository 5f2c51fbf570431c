// Loads the rails that the configuration names, and the sandbox's rail if SANDBOX is on.

import type { Rail } from "../../../partners/types.ts";
import type { ConfigOf } from "../../../shared/config/config.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../../shared/config/payout-methods.ts";
import type { ContextOf } from "../../../shared/partners/context.ts";
import { loadRails as loadModules } from "../../../shared/partners/load.ts";
import { SANDBOX_RAIL } from "../../../shared/partners/sandbox.ts";

export interface Rails {
  /** The rail that takes new payouts of a method. */
  forMethod: Partial<Record<PayoutMethod, Rail>>;
  /** Every configured rail, by its name: each is asked about the payouts that name it. */
  named: ReadonlyMap<string, Rail>;
}

/**
 * Loads the rails. The sandbox serves the methods without a module if SANDBOX is on.
 * @throws ConfigError if a module cannot be loaded, is no rail, or is not of the system's mode
 */
export async function loadRails(config: ConfigOf<"payouts">, contextOf: ContextOf): Promise<Rails> {
  const paths = Object.values(config.rails).flat();
  const all = await loadModules([...paths, ...(config.sandbox ? [SANDBOX_RAIL] : [])], contextOf);
  const forMethod: Rails["forMethod"] = {};
  for (const method of PAYOUT_METHODS) {
    const rail = all.get(config.rails[method]?.[0] ?? SANDBOX_RAIL);
    if (rail) forMethod[method] = rail;
  }
  return { forMethod, named: new Map(all.values().map((rail) => [rail.name, rail])) };
}
