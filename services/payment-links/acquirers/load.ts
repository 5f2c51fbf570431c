// Which acquirer charges: the one that configuration names, else the sandbox where it is on.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/env.ts";
import { loadModule } from "../../../shared/load-module.ts";
import type { Acquirer } from "../acquirer.ts";
import { type SandboxCharge, sandboxAcquirer } from "./sandbox.ts";
import type { SandboxCard } from "./vault.ts";

/** Its name is the path under which it is configured, unless it has one. */
type OwnAcquirer = Omit<Acquirer, "name"> & Partial<Pick<Acquirer, "name">>;

/**
 * Null where nothing charges: payments are refused before anything is written.
 * @throws ConfigError where the module that configuration names cannot be loaded
 */
export async function loadAcquirer(
  config: Config,
  cards: mongo.Collection<SandboxCard>,
  books: mongo.Collection<SandboxCharge>,
  clock: Clock,
): Promise<Acquirer | null> {
  const { acquirer: path, sandbox } = config;
  if (path === null) return sandbox ? sandboxAcquirer(cards, books, clock) : null;
  const own = await loadModule<OwnAcquirer>("ACQUIRER", path, config);
  return {
    name: own.name ?? path,
    tokenInfo: (token) => own.tokenInfo(token),
    charge: (charge) => own.charge(charge),
    void: (id) => own.void(id),
    refund: (refund) => own.refund(refund),
  };
}
