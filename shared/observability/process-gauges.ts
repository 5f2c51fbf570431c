// The metrics of a process itself: its event loop, its processor time and its connection to NATS.

import { monitorEventLoopDelay } from "node:perf_hooks";
import type { ServiceBroker } from "moleculer";
import { Events, type NatsConnection } from "nats";
import { type Gauge, gauge, metricsOf } from "./metrics.ts";

export interface ProcessGauges {
  read(): Gauge[];
  close(): void;
}

const RESOLUTION_MS = 20;
const NS_PER_S = 1e9;
const US_PER_S = 1e6;

/** Begins to watch the process. @param broker is not connected yet */
export function watchProcess(broker: ServiceBroker): ProcessGauges {
  const metrics = metricsOf(broker);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let cpu = process.cpuUsage();
  let isConnected = false;
  const { transit } = broker;
  if (transit) {
    metrics.count("payrail_nats_reconnects_total", {}, 0);
    broker.localBus.on("$transporter.connected", () => {
      isConnected = true;
      void follow((transit.tx as unknown as { client: NatsConnection }).client);
    });
  }

  async function follow(client: NatsConnection): Promise<void> {
    for await (const { type } of client.status()) {
      if (type === Events.Disconnect) isConnected = false;
      if (type !== Events.Reconnect) continue;
      isConnected = true;
      metrics.count("payrail_nats_reconnects_total", {});
    }
    isConnected = false;
  }

  function countCpu(): void {
    const used = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const seconds = (used.user + used.system) / US_PER_S;
    metrics.count("payrail_process_cpu_seconds_total", {}, seconds);
  }

  return {
    read() {
      countCpu();
      const lags = { p50: delay.percentile(50), p99: delay.percentile(99), max: delay.max };
      delay.reset();
      return [
        ...Object.entries(lags).map(([statistic, ns]) =>
          gauge("payrail_event_loop_lag_seconds", lagOf(ns), { statistic }),
        ),
        ...(transit ? [gauge("payrail_nats_connected", isConnected ? 1 : 0, {})] : []),
      ];
    },
    close: () => void delay.disable(),
  };
}

/** Without the timer's own interval, which the histogram includes. */
function lagOf(ns: number): number {
  return Math.max(0, ns / NS_PER_S - RESOLUTION_MS / 1_000);
}
