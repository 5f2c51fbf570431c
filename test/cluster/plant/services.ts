// The services of a plant: some processes of each, with a name, a clock and a release of their own.
// Each is started again when it dies, and faults choose how it starts then.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SERVICE_NAMES, type ServiceName } from "../../../shared/rpc/service-names.ts";
import { freePort } from "../../../tools/platform/ports.ts";
import { type Launch, type Replica, startReplica } from "../../../tools/platform/replica.ts";
import { inherited } from "../../support/inherited.ts";
import { until } from "../../support/system.ts";
import type { NatsCluster } from "./nats-cluster.ts";
import type { NodeName } from "./rules.ts";

const PRELOAD = join(import.meta.dirname, "preload.ts");
const ANSWERS_WITHIN_MS = 3_000;
const REPLACED_WITHIN_MS = 30_000;

/** How the next process starts. */
export interface Version {
  /** How far its clock is ahead; negative if it is behind. */
  clockOffsetMs: number;
  /** The folder of the code; null for this repository. */
  code: string | null;
}

export interface ServiceNode extends Replica {
  name: NodeName;
  /** Its URL; null if it is no gateway. */
  url: string | null;
  /** Kills it and starts it so; returns when the new process runs. */
  restartAs(version: Partial<Version>): Promise<void>;
  /** Whether its probe says that it is ready. */
  isReady(): Promise<boolean>;
}

interface Options {
  environment: Record<string, string>;
  /** The number of processes of each service. */
  replicas: number;
  nats: NatsCluster;
  /** The folder of the logs. */
  logs: string;
}

/** Starts them all; returns when each has started. */
export function startServices(
  { environment, replicas, nats, logs }: Options,
  onStop: (stop: () => Promise<unknown>) => void,
): Promise<ServiceNode[]> {
  const start = async (service: ServiceName, index: number): Promise<ServiceNode> => {
    const name = `${service}-${index}`;
    const [probePort, port] = [await freePort(), await freePort()];
    const version: Version = { clockOffsetMs: 0, code: null };
    const own = {
      ...inherited(),
      ...environment,
      NATS_URL: await nats.urlFor(name, service),
      PROBE_PORT: String(probePort),
      ...(service === "gateway" && { PORT: String(port) }),
      PLANT_NODE: name,
    };
    const launch = (): Launch => {
      const { clockOffsetMs, code } = version;
      const cwd = code ?? ".";
      return {
        environment: { ...own, PLANT_CLOCK_OFFSET_MS: String(clockOffsetMs) },
        args: ["--import", PRELOAD, programIn(cwd), service],
        cwd,
      };
    };
    const log = join(logs, `${name}.log`);
    const replica = await startReplica(service, launch, { log });
    // A frozen process cannot end in any other way.
    onStop(() => replica.stop("SIGKILL"));
    return {
      ...replica,
      name,
      url: service === "gateway" ? `http://127.0.0.1:${port}` : null,
      async restartAs(wanted) {
        Object.assign(version, wanted);
        const before = replica.pid();
        if (before !== undefined) replica.signal("SIGKILL");
        const isReplaced = () => ![undefined, before].includes(replica.pid());
        await until(isReplaced, { within: REPLACED_WITHIN_MS, awaited: `a new ${name}` });
      },
      isReady: () => isReady(probePort),
    };
  };
  const all = SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: replicas }, (_, index) => start(service, index)),
  );
  return Promise.all(all);
}

/** The program of `npm run start:service`; releases differ in its place. */
function programIn(code: string): string {
  const { scripts } = JSON.parse(readFileSync(join(code, "package.json"), "utf8"));
  return scripts["start:service"].split(" ").at(-1);
}

async function isReady(probePort: number): Promise<boolean> {
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  const url = `http://127.0.0.1:${probePort}/ready`;
  return fetch(url, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
