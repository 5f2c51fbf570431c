// Faults of processes: kill -9, and freezes, which stop a process without ending its connections.

import type { Random } from "../../../tools/simulate/random.ts";
import type { Daemon } from "../../support/daemon.ts";
import type { Plant } from "../plant/plant.ts";
import type { ServiceNode } from "../plant/services.ts";
import type { Begun, Fault } from "./fault.ts";

const anyService = ({ services }: Plant, random: Random) => random.pick(services);

async function anySecondary({ mongo }: Plant, random: Random) {
  const primary = await mongo.primary();
  return random.pick(mongo.members.filter((member) => member !== primary));
}

/** Kills processes of services, which are started again by themselves. */
function killServices(nodes: ServiceNode[]): Begun {
  for (const node of nodes) signal(node, "SIGKILL");
  return { target: nodes.map(({ name }) => name).join(", "), heal: async () => {} };
}

export async function killDaemon(daemon: Daemon): Promise<Begun> {
  await daemon.kill();
  return { target: daemon.name, heal: () => startAgain(daemon) };
}

/**
 * Starts a daemon. It ends again if another fault still holds, such as a full disk, which starts it
 * in its turn.
 */
export async function startAgain(daemon: Daemon): Promise<void> {
  await daemon.start().catch(() => {});
}

export function freeze(node: ServiceNode | Daemon): Begun {
  signal(node, "SIGSTOP");
  return { target: node.name, heal: async () => signal(node, "SIGCONT") };
}

/** Another fault may have ended the process. */
function signal(node: ServiceNode | Daemon, name: NodeJS.Signals): void {
  if ("pid" in node && node.pid() === undefined) return;
  node.signal(name);
}

export const PROCESS_FAULTS: Fault[] = [
  {
    name: "a process is killed",
    weight: 2,
    begin: async (plant, random) => killServices([anyService(plant, random)]),
  },
  {
    name: "all processes of a service are killed",
    async begin(plant, random) {
      const { service } = anyService(plant, random);
      return killServices(plant.services.filter((node) => node.service === service));
    },
  },
  {
    name: "a process is frozen",
    weight: 2,
    begin: async (plant, random) => freeze(anyService(plant, random)),
  },
  {
    name: "a secondary is killed",
    begin: async (plant, random) => killDaemon(await anySecondary(plant, random)),
  },
  {
    name: "a secondary is frozen",
    begin: async (plant, random) => freeze(await anySecondary(plant, random)),
  },
  {
    name: "a nats-server is killed",
    begin: async ({ nats }, random) => killDaemon(random.pick(nats.servers)),
  },
  {
    name: "a nats-server is frozen",
    begin: async ({ nats }, random) => freeze(random.pick(nats.servers)),
  },
];
