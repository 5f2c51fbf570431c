// Loads, starts and stops services on one broker.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import type { CommonConfig, ConfigOf } from "../../shared/config/config.ts";
import { startProbes } from "../../shared/observability/probes.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import type { ServiceName } from "../../shared/rpc/service-names.ts";
import type { Lifetime } from "./lifetime.ts";
import { pause } from "./processes.ts";

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
  const { host, probePort: port } = config;
  const probes = port === null ? null : await startProbes({ host, port }, broker);
  if (probes) lifetime.onStop(probes.close);
  for (const name of names) broker.createService(await loadService(name, config));
  lifetime.onStop(async () => {
    probes?.leave();
    await leave(broker, config);
    await stopServices(broker, names);
  });
  await broker.start();
}

/** The other nodes know by then that the process leaves, even if they had no CPU meanwhile. */
const LEAVES_WITHIN_MS = 1_000;

/**
 * Serves on for a while before the stop. Load balancers send a gateway requests until they have
 * seen its probe. The other services tell the nodes over NATS, in `broker.stop`, and the broker
 * refuses calls that come more than `stopDelay` later.
 */
async function leave(broker: ServiceBroker, { stopDelayMs }: CommonConfig): Promise<void> {
  if (!broker.started || stopDelayMs === 0) return;
  const gateway = broker.getLocalService("gateway") as unknown as { leave(): void } | undefined;
  if (gateway) {
    gateway.leave();
    await pause(stopDelayMs);
  } else {
    const { registry } = broker.options;
    Object.assign(registry as object, { stopDelay: Math.min(stopDelayMs, LEAVES_WITHIN_MS) });
  }
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
