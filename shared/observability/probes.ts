// The probes of a process, for Kubernetes, compose and Prometheus: a small HTTP server on a port of
// its own, so that none of it is public. It starts before the services, because a process that
// waits for its database is live and not ready.
//
// A service with conditions of its own for readiness has a method `notReady`, which returns the
// reasons.

import { createServer, type ServerResponse } from "node:http";
import type { ServiceBroker } from "moleculer";
import type { NatsConnection } from "nats";
import { LATE, within } from "../clock.ts";
import { listen } from "./listen.ts";
import { createScrape, GAUGES_KEPT_MS } from "./scrape.ts";

export interface Probes {
  port: number;
  /** From now on the process is not ready. */
  leave(): void;
  close(): Promise<void>;
}

/** The part of a service that probes use. */
interface Probed {
  name: string;
  notReady?(): Promise<string[]>;
}

/** Reasons are asked for at most once in this time, however often the probe is called. */
const KEPT_MS = 1_000;
const ANSWERED_WITHIN_MS = 1_000;
/** A gateway asks the other services for up to a second itself. */
const SERVICE_ANSWERS_WITHIN_MS = 1_500;
/** Node looks for connections that exceed the other two only at the last one's interval. */
const LIMITS = { requestTimeout: 3_000, headersTimeout: 3_000, connectionsCheckingInterval: 1_000 };
const MAX_CONNECTIONS = 64;

/**
 * Serves /live (200 while the event loop runs), /ready (200, or 503 with the reasons) and /metrics.
 * @param broker may start later
 * @throws ConfigError if the port cannot be used
 */
export async function startProbes(
  address: { host: string; port: number },
  broker: ServiceBroker,
  gaugesKeptMs = GAUGES_KEPT_MS,
): Promise<Probes> {
  let leaves = false;
  let asked: { at: number; reasons: Promise<string[]> } | null = null;

  async function reasonsNow(): Promise<string[]> {
    if (leaves) return ["it is stopping"];
    if (!asked || performance.now() - asked.at > KEPT_MS) {
      asked = { at: performance.now(), reasons: findReasons(broker) };
    }
    return asked.reasons;
  }

  const scrape = createScrape(broker, gaugesKeptMs);
  const pages: Record<string, (response: ServerResponse) => Promise<void>> = {
    async "/live"(response) {
      answer(response, 200, { status: "live" });
    },
    async "/ready"(response) {
      const reasons = await reasonsNow();
      if (reasons.length === 0) answer(response, 200, { status: "ready", reasons });
      else answer(response, 503, { status: "unavailable", reasons });
    },
    async "/metrics"(response) {
      const text = await scrape.text();
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
      response.end(text);
    },
  };

  const server = createServer(LIMITS, (request, response) => {
    const { method = "", url = "" } = request;
    const page = ["GET", "HEAD"].includes(method) ? pages[url] : undefined;
    if (!page) return answer(response, 404, { status: "not found" });
    page(response).catch((error: unknown) => {
      broker.logger.warn("A probe failed", error);
      response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, { ...address, variable: "PROBE_PORT" });
  return {
    port,
    leave() {
      leaves = true;
    },
    async close() {
      scrape.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(body));
}

/** The reasons why the process cannot serve; none if it is ready. */
async function findReasons(broker: ServiceBroker): Promise<string[]> {
  const started = broker.started ? [] : ["its services have not started"];
  const services: Probed[] = broker.services;
  const [nats, ...reasons] = await Promise.all([
    natsAnswers(broker),
    ...services.map((service) => reasonsOf(service)),
  ]);
  return [...started, ...(nats ? [] : ["NATS does not answer"]), ...reasons.flat()];
}

async function reasonsOf(service: Probed): Promise<string[]> {
  if (!service.notReady) return [];
  const reasons = await within(service.notReady(), SERVICE_ANSWERS_WITHIN_MS);
  const named = reasons === LATE ? ["no answer in time"] : reasons;
  return named.map((reason) => `${service.name}: ${reason}`);
}

/** Whether a round trip to NATS succeeds; true without NATS. */
async function natsAnswers({ transit }: ServiceBroker): Promise<boolean> {
  if (!transit) return true;
  const { client } = transit.tx as { client?: NatsConnection | null };
  if (!client) return false;
  const trip = client.flush().then(
    () => true,
    () => false,
  );
  return (await within(trip, ANSWERED_WITHIN_MS)) === true;
}
