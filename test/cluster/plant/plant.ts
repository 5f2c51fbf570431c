// A plant: all of payrail as a cluster runs it, with every link through a proxy of its own
// (network.ts). Faults harm its nodes and links through the handles here; the workload sees the
// Payrail of the contract.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import mongoose from "mongoose";
import { loadConfig } from "../../../shared/config/env.ts";
import { migrateConfigured } from "../../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../../tools/platform/binaries.ts";
import { makeNatsUsers } from "../../../tools/platform/nats-users.ts";
import { createEnds, type OnStop } from "../../support/ends.ts";
import { databaseDirectory } from "../../support/setup.ts";
import { keyedEnvironment, until } from "../../support/system.ts";
import type { Payrail } from "../contract.ts";
import { findLack } from "./health.ts";
import { type NatsCluster, startNatsCluster } from "./nats-cluster.ts";
import { createNetwork, type Network } from "./network.ts";
import { type ReplicaSet, startReplicaSet } from "./replica-set.ts";
import { type ServiceNode, startServices } from "./services.ts";

const READY_WITHIN_MS = 60_000;
const ENVIRONMENT = {
  WITHDRAWAL_LIMIT: "off",
  DECLINE_LIMIT: "off",
  LOG_LEVEL: "warn",
};

export interface Plant extends Payrail {
  network: Network;
  mongo: ReplicaSet;
  nats: NatsCluster;
  services: ServiceNode[];
  /** The folder of all logs. */
  logs: string;
  /** The folder of everything else that ends with the plant. */
  files: string;
  /** Waits until it works as a whole. */
  awaitHealed(withinMs?: number): Promise<void>;
  /** Ends every process and removes every file, except the logs if they are to be kept. */
  stop(options?: { keepLogs?: boolean }): Promise<void>;
}

interface Options {
  /** Extends the environment of every service. */
  environment?: Record<string, string>;
  /** The number of processes of each service. */
  replicas?: number;
  /** Is told at once how to stop the plant, because a signal may come before the start's end. */
  onStart?: (stop: () => Promise<void>) => void;
}

/**
 * Starts a plant; returns when all of it is ready. A start that fails leaves nothing but the logs.
 */
export async function startPlant({
  environment = {},
  replicas = 2,
  onStart = () => {},
}: Options = {}): Promise<Plant> {
  const ends = createEnds();
  const logs = await mkdtemp(join(tmpdir(), "payrail-plant-logs-"));
  let stopped: Promise<void> | undefined;
  const stop: Plant["stop"] = ({ keepLogs = false } = {}) => {
    stopped ??= ends.run().then(async () => {
      if (!keepLogs) await rm(logs, { recursive: true, force: true });
    });
    return stopped;
  };
  onStart(stop);
  try {
    return { ...(await assemble(environment, replicas, logs, ends.onStop)), stop };
  } catch (error) {
    await stop({ keepLogs: true });
    throw new Error(`The plant does not start; its logs are in ${logs}`, { cause: error });
  }
}

async function assemble(
  overrides: Record<string, string>,
  replicas: number,
  logs: string,
  onStop: OnStop,
): Promise<Omit<Plant, "stop">> {
  const binary = async (name: "mongod" | "nats-server") =>
    resolve(await provideBinary(name, binDirectory(), () => {}));
  const files = await databaseDirectory("payrail-plant-");
  onStop(() => rm(files, { recursive: true, force: true, maxRetries: 10 }));
  const network = createNetwork();
  onStop(network.close);
  const users = await makeNatsUsers(files);
  let observer: mongoose.mongo.MongoClient | undefined;
  // After the mongods' end, because a close waits for a frozen one.
  onStop(() => observer?.close());
  const [mongo, nats] = await Promise.all([
    startReplicaSet({ binary: await binary("mongod"), logs, files, network }, onStop),
    startNatsCluster({ binary: await binary("nats-server"), logs, users, network }, onStop),
  ]);

  const urls = { MONGO_URL: mongo.url, DATA_DIR: files };
  const environment = { ...keyedEnvironment(), ...ENVIRONMENT, ...urls, ...overrides };
  const config = loadConfig(environment);
  await migrateConfigured(config);
  const services = await startServices({ environment, replicas, nats, logs }, onStop);
  observer = await mongoose.mongo.MongoClient.connect(mongo.url, {
    appName: "observer",
    readConcernLevel: "majority",
  });
  const parts = { network, mongo, nats, services, logs, files };
  const plant = {
    ...parts,
    gateways: services.map(({ url }) => url).filter((url) => url !== null),
    config,
    db: observer.db(),
    async awaitHealed(within = READY_WITHIN_MS) {
      let lack: string | null = null;
      const isHealed = async () => {
        lack = await findLack(parts);
        return lack === null;
      };
      await until(isHealed, { within, awaited: "the plant's health" }).catch((error: Error) => {
        throw new Error(`${error.message}: ${lack}; its logs are in ${logs}`);
      });
    },
  };
  await plant.awaitHealed();
  return plant;
}
