// Whether a plant works as a whole: every node runs, the members of the replica set are in sync,
// every process is ready, and the gateways reach every service.

import type { NatsCluster } from "./nats-cluster.ts";
import type { ReplicaSet } from "./replica-set.ts";
import type { ServiceNode } from "./services.ts";

interface Nodes {
  mongo: ReplicaSet;
  nats: NatsCluster;
  services: ServiceNode[];
}

const ANSWERS_WITHIN_MS = 3_000;

/** The reason why it does not work as a whole; null if it does. */
export async function findLack({ mongo, nats, services }: Nodes): Promise<string | null> {
  const down = [...mongo.members, ...nats.servers].filter((daemon) => !daemon.isRunning());
  if (down.length > 0) return `${down.map(({ name }) => name).join(", ")} down`;
  const lack = await mongo.whyNotWhole();
  if (lack) return lack;
  const unready = await Promise.all(services.map(reasonOf));
  return unready.find((reason) => reason !== null) ?? null;
}

/** The reason why a process does not serve; null if it does. */
async function reasonOf({ name, isReady, url }: ServiceNode): Promise<string | null> {
  if (!(await isReady())) return `${name} is not ready`;
  return url === null ? null : reportOf(name, url);
}

/** What a gateway lacks, by its own report. */
async function reportOf(name: string, url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const answer = await fetch(`${url}/health/ready`, { signal });
    const { away } = (await answer.json()) as { away: string[] };
    const isWhole = answer.ok && away.length === 0;
    return isWhole ? null : `${name} reports ${answer.status}, away: ${away.join(", ")}`;
  } catch (error) {
    return `${name} does not answer (${(error as Error).message})`;
  }
}
