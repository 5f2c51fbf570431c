// A cluster under test: a process per service (tools/platform/replica.ts), as in production, over
// its own mongod and nats-server, so a test can kill, freeze and stop each of them. All processes
// end with the test.

import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { SERVICE_NAMES, type ServiceName } from "../../shared/rpc/service-names.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startMongod } from "../../tools/platform/mongod.ts";
import { makeNatsUsers, type NatsUser } from "../../tools/platform/nats-users.ts";
import { freePort } from "../../tools/platform/ports.ts";
import { READY_WITHIN_MS, type Replica, startReplica } from "../../tools/platform/replica.ts";
import { createDaemon } from "./daemon.ts";
import { createEnds, type OnStop } from "./ends.ts";
import { type Http, httpClient } from "./http.ts";
import { inherited } from "./inherited.ts";
import { type System, testEnvironment, until } from "./system.ts";
import { buildersOver } from "./world.ts";

const ENVIRONMENT = {
  WITHDRAWAL_LIMIT: "off",
  DECLINE_LIMIT: "off",
  SANDBOX_SETTLE_MS: "100",
  WEBHOOK_TIMEOUT: "1s",
  WEBHOOK_RETRY_SCHEDULE: ["200ms", "500ms", ...Array(20).fill("2s")].join(","),
  LOG_LEVEL: "warn",
};

type Environment = Record<string, string>;

export interface Gateway extends Replica {
  http: Http;
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

/** Starts one replica of every service; returns when all are ready. */
export async function startCluster(environment: Environment = {}) {
  const ends = createEnds();
  try {
    return { ...(await assemble(environment, ends.onStop)), stop: ends.run };
  } catch (error) {
    await ends.run();
    throw error;
  }
}

async function assemble(overrides: Environment, onStop: OnStop) {
  const directory = await mkdtemp(join(tmpdir(), "payrail-cluster-"));
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  const binary = (name: "mongod" | "nats-server") => provideBinary(name, binDirectory(), quiet);
  const mongod = await startMongod({ binary: await binary("mongod"), directory, say: quiet });
  onStop(() => mongod.stop("SIGKILL"));
  const users = await makeNatsUsers(directory);
  const port = await freePort();
  const listen = ["--addr", "127.0.0.1", "--port", String(port), "--config", users.configPath];
  const command = [await binary("nats-server"), ...listen];
  const nats = createDaemon({
    name: "nats-server",
    port,
    command,
    explain: `see ${users.configPath}`,
  });
  onStop(nats.kill);
  await nats.start();

  const urlOf = (user: NatsUser) => users.urlOf(user, port);
  const urls = { MONGO_URL: mongod.url, NATS_URL: urlOf("internal"), DATA_DIR: directory };
  const environment = { ...testEnvironment(), ...ENVIRONMENT, ...urls, ...overrides };
  await migrateConfigured(loadConfig(environment));
  const { start, startGateway, logs } = launcher(directory, environment, urlOf, onStop);
  onStop(() => refuseViolations(logs()));
  const others = SERVICE_NAMES.filter((name) => name !== "gateway");
  const [gateway, ...services] = await Promise.all([
    startGateway(),
    ...others.map((name) => start(name)),
  ]);
  const system = await observer(loadConfig({ ...environment, LOG_LEVEL: "error" }), onStop);
  const { close, ...builders } = buildersOver(system, gateway.http);
  onStop(close);
  const cluster = {
    ...system,
    ...builders,
    mongod,
    nats,
    gateway,
    /** The first replica of each service. */
    replicas: [...services, gateway],
    start,
    startGateway,
    logs,
    /** NATS_URL of a user. */
    natsUrl: urlOf,
    /** Waits until the gateway reports every service ready. */
    ready: () =>
      until(() => isReady(gateway.http), { within: READY_WITHIN_MS, awaited: "readiness" }),
  };
  await cluster.ready();
  return cluster;
}

const quiet = () => {};

/** Fails the test if a service lacked a permission on NATS, whatever else the test has seen. */
function refuseViolations(logs: string): void {
  const [violation] = logs.match(/NATS does not let this node[^"]*/) ?? [];
  if (violation) throw new Error(violation);
}

async function isReady(http: Http): Promise<boolean> {
  const answer = await http.get("/health/ready").catch(() => null);
  return answer?.status === 200 && answer.body.away.length === 0;
}

/**
 * The test's own node among the services, with the services' collections; no service sees all of
 * them.
 */
async function observer(config: Config, onStop: OnStop) {
  const broker = createBroker(config, "test");
  onStop(() => broker.stop());
  await broker.start();
  const database = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  onStop(() => database.close());
  const send: System["call"] = (name, params, options) => call(broker, name, params, options);
  return { config, call: send, db: database.getClient().db(database.name) };
}

function launcher(
  directory: string,
  environment: Environment,
  natsUrl: (user: NatsUser) => string,
  onStop: OnStop,
) {
  const logs: string[] = [];

  async function start(service: ServiceName, extra: Environment = {}): Promise<Replica> {
    const log = join(directory, `${service}-${logs.length}.log`);
    logs.push(log);
    const own = { ...inherited(), ...environment, NATS_URL: natsUrl(service), ...extra };
    const replica = await startReplica(service, () => ({ environment: own }), { log });
    // SIGKILL, because a frozen process cannot end in any other way.
    onStop(() => replica.stop("SIGKILL"));
    return replica;
  }

  return {
    start,
    async startGateway(extra: Environment = {}): Promise<Gateway> {
      const port = await freePort();
      const replica = await start("gateway", { PORT: String(port), ...extra });
      const http = await httpClient(port);
      onStop(http.close);
      return { ...replica, http };
    },
    /** The output of all processes so far. */
    logs: () => logs.map((path) => `${path}:\n${readFileSync(path, "utf8")}`).join("\n"),
  };
}
