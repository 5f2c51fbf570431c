// npm run start:cluster: a process per service over a real nats-server, as production runs them,
// each started again when it dies and all stopped together.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Variables } from "../../shared/config/env-reader.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { welcome } from "../platform/banner.ts";
import { prepareStart } from "../platform/embedded.ts";
import { live, say } from "../platform/lifetime.ts";
import { SetupError } from "../platform/processes.ts";
import { type Supervised, supervise } from "../platform/supervisor.ts";
import { takeNoArguments } from "../platform/usage.ts";

const USAGE = `npm run start:cluster

Starts a process for each service over a real nats-server, and prints what to try.
`;

const READY_WITHIN_MS = 60_000;
const STOP_GRACE_MS = 15_000;

process.title = "payrail-cluster";

await live(async (lifetime) => {
  await takeNoArguments(USAGE, lifetime);
  const { environment, config, natsUrls } = await prepareStart(lifetime, true);
  say(`Starting ${SERVICE_NAMES.length} services`);
  const services: Supervised[] = [];
  lifetime.onStop(() => stopServices(services));
  const start = async (name: ServiceName) => {
    const own = natsUrls ? { ...environment, NATS_URL: natsUrls[name] } : environment;
    services.push(await superviseService(name, own));
  };
  await Promise.all(SERVICE_NAMES.map(start));
  await welcome(config, natsUrls ? config.natsUrl : null);
});

function superviseService(name: ServiceName, environment: Variables): Promise<Supervised> {
  const script = join(import.meta.dirname, "service.ts");
  return supervise({
    name,
    spawn: () =>
      spawn(process.execPath, [script, name], {
        env: { ...environment, ...probePortOf(name, environment) },
        // The channel says when it is ready, and ends it should this process be killed.
        stdio: ["ignore", "inherit", "inherit", "ipc"],
        // Ctrl-C reaches the whole process group; they are stopped in order instead.
        detached: true,
      }),
    ready: (child, died) => awaitReady(name, child, died),
    say,
  });
}

/** A port for each process, counted from PROBE_PORT. */
function probePortOf(name: ServiceName, { PROBE_PORT }: Variables): Variables {
  return PROBE_PORT ? { PROBE_PORT: String(Number(PROBE_PORT) + SERVICE_NAMES.indexOf(name)) } : {};
}

async function awaitReady(name: string, child: ChildProcess, died: AbortSignal): Promise<void> {
  const bound = AbortSignal.any([died, AbortSignal.timeout(READY_WITHIN_MS)]);
  try {
    await once(child, "message", { signal: bound });
  } catch (error) {
    const seconds = READY_WITHIN_MS / 1_000;
    throw new SetupError(`${name} is not ready after ${seconds} s`, { cause: error });
  }
}

/**
 * Stops the gateway first, so that its running requests find the other services; then the others.
 */
async function stopServices(services: Supervised[]): Promise<void> {
  const stop = (service: Supervised) => service.stop("SIGTERM", STOP_GRACE_MS);
  await Promise.all(services.filter(({ name }) => name === "gateway").map(stop));
  await Promise.all(services.filter(({ name }) => name !== "gateway").map(stop));
}
