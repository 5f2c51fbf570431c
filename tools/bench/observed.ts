// The price of being watched: the CPU of all six processes for a withdrawal with metrics and with
// traces, against the same withdrawal without. The systems run beside each other, each with its own
// database and NATS, and take turns, because the machine's speed changes within seconds.

import { createServer } from "node:http";
import { listen } from "../../shared/observability/listen.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { startSystem } from "./support/system.ts";
import { createUsers } from "./support/users.ts";

const CALLERS = 64;
const ROUNDS = 6;

/** Measures the CPU of a withdrawal, in microseconds, for each way to watch payrail. */
export async function benchObserved(setting: Setting): Promise<Row[]> {
  const collector = await startCollector();
  setting.onStop(collector.stop);
  const traces = (ratio: number) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    TRACE_SAMPLE_RATIO: String(ratio),
  });
  // The port is not used: only a process with probes counts.
  const ways = {
    "not watched": {},
    metrics: { PROBE_PORT: "9090" },
    "traces of 1 %": traces(0.01),
    "traces of all": traces(1),
  };
  const systems = [];
  for (const [what, variables] of Object.entries(ways)) {
    systems.push({ what, made: 0, ...(await startOwn(what, variables, setting)) });
  }
  for (const system of systems) await rateOf(CALLERS, setting.ms, system.withdraw);
  const before = await Promise.all(systems.map(({ usedUs }) => usedUs()));
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates, because the work that a system does after its turn slows the next one.
    for (const system of round % 2 === 0 ? systems : systems.toReversed()) {
      await rateOf(CALLERS, setting.ms, async () => {
        await system.withdraw();
        system.made += 1;
      });
    }
  }
  const cpuUs = await Promise.all(
    systems.map(async ({ made, usedUs }, i) => ((await usedUs()) - (before[i] ?? 0)) / made),
  );
  for (const system of systems) await system.close();
  const [baseline = 0] = cpuUs;
  return systems.map(({ what, made }, i) => ({
    what,
    withdrawals: made,
    cpuUs: Math.round(cpuUs[i] ?? 0),
    ratio: (cpuUs[i] ?? 0) / baseline,
  }));
}

/** A system with its own database and NATS. */
async function startOwn(what: string, variables: Record<string, string>, setting: Setting) {
  const name = what.replaceAll(/\W/g, "");
  const system = await startSystem(setting, { name, overNats: true, variables });
  const { withdraw } = await createUsers(system);
  return { withdraw, close: system.close, usedUs: async () => (await system.cpu()).nodeUs };
}

/** Accepts spans and reads none. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"));
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0, variable: "PORT" });
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}
