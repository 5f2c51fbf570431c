// A gateway alone with routes made for the test: they call actions of a real broker that echo, fail
// or never answer. It tests the gateway's own behaviour, independent of the services behind it.

import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { connect } from "node:net";
import type { ServiceBroker } from "moleculer";
import gateway from "../../services/gateway/gateway.service.ts";
import {
  composed,
  EXTERNAL,
  EXTERNAL_APIS,
  PUBLIC,
  type Route,
  route,
} from "../../services/gateway/http/route.ts";
import { CONNECTION_LIMITS, type ConnectionLimits } from "../../services/gateway/http/server.ts";
import { type Clock, machineClock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { action } from "../../shared/contracts/contract.ts";
import { optional } from "../../shared/contracts/field.ts";
import { anything, id, text } from "../../shared/contracts/fields.ts";
import { type ErrorData, type ErrorType, fail } from "../../shared/errors.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { type Http, httpClient } from "./http.ts";
import { testEnvironment } from "./system.ts";

export interface LogLine {
  level: "info" | "warn" | "error";
  fields: Record<string, unknown>;
}

export interface Probe {
  config: Config;
  http: Http;
  port: number;
  broker: ServiceBroker;
  server: Server;
  /** The parameters of each run of the echo action. */
  echoed: unknown[];
  log: LogLine[];
  /** The number of waiting actions. */
  waiting(): number;
  /** Lets the waiting actions answer. */
  release(): void;
  /** Sends bytes, and returns everything that comes back until the other side closes. */
  raw(bytes: string): Promise<string>;
  stop(): Promise<void>;
  /** Stops the gateway only. */
  stopGateway(): Promise<void>;
}

const echo = action({
  does: "Answers its parameters",
  params: { id: id(), name: optional(text()), other: optional(text()) },
  result: anything(),
  errors: ["RATE_LIMITED"],
});
const nothing = action({ does: "Takes nothing", params: { id: id() }, result: anything() });
const brief = action({ does: "Has little time", params: {}, result: anything(), timeoutMs: 100 });

interface ProbeOptions {
  environment?: Record<string, string>;
  /** The error of POST /fail. */
  failure?: () => never;
  /** Replaces the machine's clock. */
  clock?: Clock;
  /** Replaces the server's own limits. */
  limits?: Partial<ConnectionLimits>;
}

/**
 * Routes: POST, GET and PATCH /echo/:id for a token with external.apis, POST /public/:id and POST
 * /nothing/:id without a token, GET /unavailable/:currency (its action does not run), POST /fail,
 * POST /wait (until released), POST /silent (times out) and POST /silent-money (the same for a call
 * that moves money).
 */
export async function startProbe({
  environment = {},
  failure,
  clock = machineClock,
  limits = {},
}: ProbeOptions = {}): Promise<Probe> {
  const config = loadConfig(testEnvironment(environment));
  const broker = createBroker(config, "probe", `probe-${randomUUID()}`);
  const echoed: unknown[] = [];
  const waiting: (() => void)[] = [];
  const wait = () =>
    new Promise((resolve) => {
      waiting.push(() => resolve({}));
    });
  broker.createService({
    name: "probe",
    actions: {
      echo: async ({ params }) => {
        echoed.push(params);
        return params;
      },
      fail: async () => failure?.(),
      wait,
    },
  });
  broker.createService({
    name: "accounts",
    actions: { changedControls: async () => ({ controls: [], isWhole: true }) },
  });
  const log: LogLine[] = [];
  const service = broker.createService(
    gateway(
      { ...config, port: 0 },
      {
        clock,
        table: probeRoutes(broker),
        limits: { ...CONNECTION_LIMITS, ...limits },
      },
    ),
  );
  Object.assign(service.logger, collector(log));
  await broker.start();
  const { server, settings } = service as unknown as { server: Server; settings: { port: number } };
  const { port } = settings;
  const http = await httpClient(port);
  const release = () => {
    for (const go of waiting.splice(0)) go();
  };
  return {
    config,
    http,
    port,
    broker,
    server,
    echoed,
    log,
    waiting: () => waiting.length,
    release,
    raw: (bytes) => exchangeRaw(port, bytes),
    async stop() {
      release();
      http.close();
      await broker.stop();
    },
    stopGateway: () => broker.destroyService(service),
  };
}

function probeRoutes(broker: ServiceBroker): Route[] {
  const run = (name: string) => (params: unknown) => broker.call(name, params as object);
  const brieflyAsk = () => broker.call("probe.wait", {}, { timeout: brief.timeoutMs });
  return [
    composed("POST /echo/:id", EXTERNAL_APIS, "echo", echo, run("probe.echo")),
    composed("GET /echo/:id", EXTERNAL_APIS, "read", echo, run("probe.echo")),
    composed("PATCH /echo/:id", EXTERNAL_APIS, "change", echo, run("probe.echo")),
    composed("POST /public/:id", PUBLIC, "public", echo, run("probe.echo")),
    composed("POST /nothing/:id", PUBLIC, "nothing", nothing, run("probe.echo")),
    route("GET /unavailable/:currency", EXTERNAL, "unavailable", "accounts.externalLinkedAccounts"),
    composed("POST /fail", PUBLIC, "fail", { ...echo, params: {} }, run("probe.fail")),
    composed("POST /wait", PUBLIC, "wait", { ...nothing, params: {} }, run("probe.wait")),
    composed("POST /silent", PUBLIC, "silent", brief, brieflyAsk),
    composed("POST /silent-money", PUBLIC, "money", brief, brieflyAsk, {
      unknownAs: "OUTCOME_UNKNOWN",
    }),
  ];
}

function collector(log: LogLine[]) {
  const at = (level: LogLine["level"]) => (fields: LogLine["fields"]) => {
    log.push({ level, fields });
  };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

function exchangeRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

/** Throws that error of the table, as a service does. */
export function failing(type: ErrorType, message?: string, data?: ErrorData): () => never {
  return () => fail(type, message, data);
}
