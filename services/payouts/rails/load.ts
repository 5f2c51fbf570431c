// Which rail serves which method: those that configuration names, else the sandbox where it is on.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/env.ts";
import { METHODS, type Method } from "../../../shared/fees.ts";
import { loadModule } from "../../../shared/load-module.ts";
import type { Rail } from "./rail.ts";
import { type SandboxPayment, sandboxRail } from "./sandbox.ts";

export interface Rails {
  rails: Partial<Record<Method, Rail>>;
  /** Methods that nothing serves. */
  missing: Method[];
}

/** @throws ConfigError where a module that configuration names cannot be loaded */
export async function loadRails(
  config: Config,
  sandboxBook: mongo.Collection<SandboxPayment>,
  clock: Clock,
): Promise<Rails> {
  const sandbox = config.sandbox
    ? sandboxRail(sandboxBook, clock, config.sandboxSettleMs)
    : undefined;
  const rails: Rails["rails"] = {};
  for (const method of METHODS) {
    const path = config.rails[method];
    const rail = path === undefined ? sandbox : await loadModule<Rail>("RAILS", path, config);
    if (rail) rails[method] = rail;
  }
  return { rails, missing: METHODS.filter((method) => !rails[method]) };
}
