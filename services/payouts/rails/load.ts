// Loads the rails that the configuration names, and the sandbox's rail if SANDBOX is on.

import type { mongo } from "mongoose";
import type { Context, Rail } from "../../../partners/types.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ConfigOf } from "../../../shared/config.ts";
import { loadRails as loadModules } from "../../../shared/partners/load.ts";
import { PAYOUT_METHODS, type PayoutMethod } from "../../../shared/payout-methods.ts";
import { type SandboxPayment, sandboxRail } from "./sandbox.ts";

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
export async function loadRails(
  config: ConfigOf<"payouts">,
  context: Context,
  sandboxBook: mongo.Collection<SandboxPayment>,
  clock: Clock,
): Promise<Rails> {
  const modules = await loadModules(Object.values(config.rails).flat(), context);
  const sandbox = config.sandbox
    ? sandboxRail(sandboxBook, clock, config.sandboxSettleMs)
    : undefined;
  const forMethod: Rails["forMethod"] = {};
  for (const method of PAYOUT_METHODS) {
    const first = config.rails[method]?.[0];
    const rail = first === undefined ? sandbox : modules.get(first);
    if (rail) forMethod[method] = rail;
  }
  const all = [...modules.values(), ...(sandbox ? [sandbox] : [])];
  return { forMethod, named: new Map(all.map((rail) => [rail.name, rail])) };
}
