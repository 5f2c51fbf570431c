// Prometheus' reading of a process. The gauges are read when it asks, at most every 15 seconds,
// because some of them cost queries. A gauge that cannot be read is left out, so that no old value
// hides an outage.

import type { ServiceBroker } from "moleculer";
import { LATE, within } from "../clock.ts";
import { type Gauge, METRICS } from "./metrics.ts";
import { metricsText } from "./metrics-text.ts";
import { watchProcess } from "./process-gauges.ts";

export interface Scrape {
  text(): Promise<string>;
  close(): void;
}

/** Gauges that are shown or left out together. Those that need no query are a part of their own. */
type Part = Gauge[] | Promise<Gauge[]>;

/** The part of a service that is read; a mixin may have the second method. */
interface Measured {
  name: string;
  gauges?(): Part[];
  poolGauges?(): Gauge[];
}

export const GAUGES_KEPT_MS = 15_000;
const READ_WITHIN_MS = 5_000;

/** @param broker with metrics */
export function createScrape(broker: ServiceBroker, gaugesKeptMs = GAUGES_KEPT_MS): Scrape {
  const watched = watchProcess(broker);
  let read: { at: number; done: Promise<void> } | null = null;

  async function readGauges(): Promise<void> {
    const services: Measured[] = broker.services;
    const all = await Promise.all(services.map((service) => gaugesOf(service)));
    for (const [name, { type }] of Object.entries(METRICS)) {
      if (type === "gauge") broker.metrics.getMetric(name)?.clear();
    }
    for (const { name, value, labels } of [...watched.read(), ...all.flat()]) {
      broker.metrics.set(name, value, labels);
    }
  }

  async function gaugesOf(service: Measured): Promise<Gauge[]> {
    try {
      const parts = [...(service.gauges?.() ?? []), service.poolGauges?.() ?? []];
      const gauges = await Promise.all(parts.map((part) => readPart(service, part)));
      return gauges.flat();
    } catch {
      // It has not opened its database yet.
      return [];
    }
  }

  async function readPart({ name }: Measured, part: Part): Promise<Gauge[]> {
    try {
      const gauges = await within(Promise.resolve(part), READ_WITHIN_MS);
      return gauges === LATE ? [] : gauges;
    } catch (error) {
      broker.logger.debug(`A gauge of ${name} cannot be read`, error);
      return [];
    }
  }

  return {
    async text() {
      if (!read || performance.now() - read.at >= gaugesKeptMs) {
        read = { at: performance.now(), done: readGauges() };
      }
      await read.done;
      return metricsText(broker);
    },
    close: watched.close,
  };
}
