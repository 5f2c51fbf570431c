// The default export of service files, which our scripts, the tests and moleculer-runner call.

import moleculer, { type ServiceBroker, type ServiceSchema } from "moleculer";
import type { Config } from "./config/config.ts";
import { loadConfig } from "./config/env.ts";

/**
 * Makes a service file's default export. Our scripts and tests call it with a configuration;
 * moleculer-runner calls it with its broker, and then the configuration comes from the environment.
 * @param create makes the service's schema; tests replace parts of the service by the second
 *   argument
 */
export function defineService<Extras extends unknown[]>(
  create: (config: Config, ...extras: Extras) => ServiceSchema,
) {
  return (host: Config | ServiceBroker, ...extras: Extras): ServiceSchema =>
    create(host instanceof moleculer.ServiceBroker ? loadConfig(process.env) : host, ...extras);
}
