// Loads, starts and stops services on one broker.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import { createBroker } from "../../shared/broker.ts";
import type { CommonConfig, ConfigOf } from "../../shared/config.ts";
import type { ServiceName } from "../../shared/service-names.ts";
import type { Lifetime } from "./lifetime.ts";

/** Loads the schema of one service, and no code of the others. */
export async function loadService<Name extends ServiceName>(
  name: Name,
  config: ConfigOf<Name>,
): Promise<ServiceSchema> {
  const module: { default: (config: ConfigOf<Name>) => ServiceSchema } = await import(
    `../../services/${name}/${name}.service.ts`
  );
  return module.default(config);
}

/**
 * Starts the services on one broker.
 * @param node the name of the broker among the other nodes
 */
export async function startServices<Name extends ServiceName>(
  config: ConfigOf<Name> & CommonConfig,
  node: string,
  names: readonly Name[],
  lifetime: Lifetime,
): Promise<void> {
  const broker = createBroker(config, node);
  for (const name of names) broker.createService(await loadService(name, config));
  lifetime.onStop(() => stopServices(broker, names));
  await broker.start();
}

/**
 * Stops callers before callees, so that running requests can finish. A gateway takes no new
 * requests from now on; without a gateway, the broker first tells the other nodes to call others.
 */
async function stopServices(broker: ServiceBroker, names: readonly ServiceName[]): Promise<void> {
  const inOrder = names.includes("gateway") ? names.toReversed() : [];
  for (const name of inOrder) await broker.destroyService(name);
  await broker.stop();
}
