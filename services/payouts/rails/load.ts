// Which rail serves which method: those that configuration names, else the sandbox where it is on.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { type Config, ConfigError } from "../../../shared/env.ts";
import { METHODS, type Method } from "../../../shared/fees.ts";
import type { Rail } from "./rail.ts";
import { type SandboxPayment, sandboxRail } from "./sandbox.ts";

export interface Rails {
  rails: Partial<Record<Method, Rail>>;
  /** Methods that nothing serves. */
  missing: Method[];
}

/** A rail's module exports by default a function that makes it of the configuration. */
type RailModule = { default: (config: Config) => Rail | Promise<Rail> };

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
    const rail = path === undefined ? sandbox : await loadRail(path, config);
    if (rail) rails[method] = rail;
  }
  return { rails, missing: METHODS.filter((method) => !rails[method]) };
}

async function loadRail(path: string, config: Config): Promise<Rail> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as RailModule;
    return await module.default(config);
  } catch (cause) {
    const reason = (cause as Error).message.split("\n")[0];
    throw new ConfigError(`RAILS: ${path} cannot be loaded (${reason}); correct its path.`, {
      cause,
    });
  }
}
