// npm run start:cluster: a process per service over a real nats-server, as production runs them,
// each started again when it dies and all stopped together.

import type { Variables } from "../../shared/config/env-reader.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { welcome } from "../platform/banner.ts";
import { live, say } from "../platform/lifetime.ts";
import { type Replica, startReplica, stopReplicas } from "../platform/replica.ts";
import { takeNoArguments } from "../platform/usage.ts";
import { prepareStart } from "./start/embedded.ts";

const USAGE = `npm run start:cluster

Starts a process for each service over a real nats-server, and prints what to try.
`;

const STOP_GRACE_MS = 15_000;

process.title = "payrail-cluster";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const { environment, config, natsUrls } = await prepareStart(lifetime, true);
  say(`Starting ${SERVICE_NAMES.length} services`);
  const replicas: Replica[] = [];
  lifetime.onStop(() => stopReplicas(replicas, STOP_GRACE_MS));
  const start = async (name: ServiceName) => {
    const nats = natsUrls ? { NATS_URL: natsUrls[name] } : {};
    const own = { ...environment, ...probePortOf(name, environment), ...nats };
    replicas.push(await startReplica(name, () => ({ environment: own }), { say }));
  };
  await Promise.all(SERVICE_NAMES.map(start));
  await welcome(config, natsUrls ? config.natsUrl : null);
});

/** A port for each process, counted from PROBE_PORT. */
function probePortOf(name: ServiceName, { PROBE_PORT }: Variables): Variables {
  return PROBE_PORT ? { PROBE_PORT: String(Number(PROBE_PORT) + SERVICE_NAMES.indexOf(name)) } : {};
}
