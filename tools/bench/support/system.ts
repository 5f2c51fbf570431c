// The measured system: payrail's services in processes of their own, and a client of their HTTP.

import { join } from "node:path";
import { createConnection, type mongo } from "mongoose";
import { Pool } from "undici";
import type { Config } from "../../../shared/config/config.ts";
import { loadConfig } from "../../../shared/config/env.ts";
import { SERVICE_NAMES, type ServiceName } from "../../../shared/rpc/service-names.ts";
import { database } from "../../../shared/storage/database.ts";
import { migrateConfigured } from "../../migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../platform/binaries.ts";
import { startNats } from "../../platform/nats.ts";
import { freePort } from "../../platform/ports.ts";
import { pause } from "../../platform/processes.ts";
import { type Replica, startReplica, stopReplicas } from "../../platform/replica.ts";
import { verify } from "../../verify/verify.ts";
import { type Cpu, mongodCpuUs, usageOf } from "./cpu.ts";
import { type Setting, urlOf } from "./setting.ts";

const SERVER = join(import.meta.dirname, "server.ts");
const CONNECTIONS = 256;
const READY_WITHIN_MS = 60_000;

/** Resident memory in MB, by the process's name: services, mongod, nats-server. */
export type Memory = Record<string, number>;

export interface System {
  config: Config;
  db: mongo.Db;
  pool: Pool;
  /** A process per service, or the one process of all. */
  servers: Replica[];
  /** CPU of all processes and of mongod since their start. */
  cpu(): Promise<Cpu>;
  /** The resident memory of each process in MB, by its name. */
  memory(): Promise<Memory>;
  /** Verifies the books and ends the processes. @throws if verification finds a violation */
  close(): Promise<void>;
}

export interface SystemOptions {
  /** The end of the database's name. */
  name: string;
  /** True: a process per service over a NATS of its own; false: one process. */
  overNats?: boolean;
  variables?: Setting["environment"];
}

/** Starts payrail on a database of its own. */
export async function startSystem(
  setting: Setting,
  { name, overNats = false, variables = {} }: SystemOptions,
): Promise<System> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (let last = stops.pop(); last; last = stops.pop()) await last();
  };
  setting.onStop(stop);
  const port = await freePort();
  const mongoUrl = urlOf(setting, name);
  const environment: Setting["environment"] = {
    ...setting.environment,
    PORT: String(port),
    MONGO_URL: mongoUrl,
    WITHDRAWAL_LIMIT: "off",
    DECLINE_LIMIT: "off",
    ...variables,
  };
  let natsPid: number | undefined;
  if (overNats) {
    const binary = await provideBinary("nats-server", binDirectory(), setting.say);
    const nats = await startNats({ binary, say: setting.say });
    stops.push(() => nats.stop());
    environment.NATS_URL = nats.url;
    natsPid = nats.pid();
  }
  const config = loadConfig(environment);
  await migrateConfigured(config);
  const connection = await createConnection(mongoUrl).asPromise();
  stops.push(() => connection.close());
  const db = connection.getClient().db(connection.name);
  const start = (service: ServiceName, names: readonly ServiceName[] = [service]) =>
    startReplica(service, () => ({ environment, args: [SERVER, ...names] }), setting);
  const servers = overNats
    ? await Promise.all(SERVICE_NAMES.map((each) => start(each)))
    : [await start("gateway", SERVICE_NAMES)];
  stops.push(() => stopReplicas(servers));
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS });
  stops.push(() => pool.close());
  await untilReady(pool);
  return {
    config,
    db,
    pool,
    servers,
    async cpu() {
      const used = await Promise.all(servers.map(({ pid }) => usageOf(pid())));
      const nodeUs = used.reduce((sum, { cpuUs }) => sum + cpuUs, 0);
      return { nodeUs, mongodUs: await mongodCpuUs(db) };
    },
    memory: () => memoryOf(servers, db, natsPid),
    async close() {
      await verifyBooks(config);
      await stop();
    },
  };
}

async function memoryOf(servers: Replica[], db: mongo.Db, natsPid?: number): Promise<Memory> {
  const memory: Memory = {};
  const residentMb = async (pid?: number) => (await usageOf(pid)).rssBytes / 1e6;
  for (const { service, pid } of servers) {
    memory[servers.length === 1 ? "payrail" : service] = await residentMb(pid());
  }
  if (natsPid !== undefined) memory["nats-server"] = await residentMb(natsPid);
  const { mem } = await db.command({ serverStatus: 1 });
  return { ...memory, mongod: Number(mem.resident) };
}

async function untilReady(pool: Pool): Promise<void> {
  const end = Date.now() + READY_WITHIN_MS;
  while (Date.now() < end) {
    const { statusCode, body } = await pool.request({ method: "GET", path: "/health/ready" });
    const { away } = (await body.json()) as { away: string[] };
    if (statusCode === 200 && away.length === 0) return;
    await pause(50);
  }
  throw new Error(`The services are not ready after ${READY_WITHIN_MS / 1_000} s`);
}

/** Posts a body. @returns `data` of the answer @throws on any other status than 200 and 201 */
export async function post<T>(pool: Pool, path: string, token: string, body: object): Promise<T> {
  const headers = {
    "content-type": "application/json",
    ...(token !== "" && { authorization: `Bearer ${token}` }),
  };
  const sent = JSON.stringify(body);
  const answer = await pool.request({ method: "POST", path, headers, body: sent });
  const text = await answer.body.text();
  if (answer.statusCode > 201) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** @throws if verification finds a violation */
export async function verifyBooks(config: Config): Promise<void> {
  const db = database(config, "bench", {});
  await db.open();
  const { ok, violations } = await verify(db.connection);
  await db.close();
  if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
}
