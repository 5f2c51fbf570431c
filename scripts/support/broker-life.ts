// A broker with services on it, from its start to its stop.

import type { ServiceBroker } from "moleculer";
import { createBroker } from "../../shared/broker.ts";
import type { Config } from "../../shared/env.ts";
import type { Lifetime } from "./lifetime.ts";
import { loadService, type ServiceName } from "./services.ts";

/**
 * Starts the services on one broker.
 * @param node names the broker among others
 */
export async function startServices(
  config: Config,
  node: string,
  names: readonly ServiceName[],
  lifetime: Lifetime,
): Promise<void> {
  const broker = createBroker(config, node);
  for (const name of names) broker.createService(await loadService(name, config));
  lifetime.onStop(() => stopServices(broker, names));
  await broker.start();
}

/**
 * Callers before callees, so that what was let in can be finished. Where there is a gateway it lets
 * nobody in from here on; elsewhere the broker first tells the other nodes to call others.
 */
async function stopServices(broker: ServiceBroker, names: readonly ServiceName[]): Promise<void> {
  const inOrder = names.includes("gateway") ? names.toReversed() : [];
  for (const name of inOrder) await broker.destroyService(name);
  await broker.stop();
}
