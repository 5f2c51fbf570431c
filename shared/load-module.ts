// Modules that configuration names: rails, an acquirer. Each exports by default a function that makes
// its part of the configuration.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Config, ConfigError } from "./env.ts";

/**
 * What a module makes of the configuration.
 * @param variable the one that names the module, for whoever has to correct it
 * @param path from the working directory
 * @throws ConfigError where the module cannot be loaded
 */
export async function loadModule<T>(variable: string, path: string, config: Config): Promise<T> {
  try {
    const module = (await import(pathToFileURL(resolve(path)).href)) as {
      default: (config: Config) => T | Promise<T>;
    };
    return await module.default(config);
  } catch (cause) {
    const reason = (cause as Error).message.split("\n")[0];
    throw new ConfigError(`${variable}: ${path} cannot be loaded (${reason}); correct its path.`, {
      cause,
    });
  }
}
