// The embedded MongoDB: one real mongod, a replica set of one member, only on this machine, with
// its files in a directory that one owner at a time uses. The directory holds its address
// (mongod.json), so that `npm run verify` finds it and the next start ends a process that was left
// over after a kill.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import mongoose from "mongoose";
import { makeDirectory } from "./data-dir.ts";
import { explainMongod, logSize } from "./mongod-failure.ts";
import { freePort, isFree, isListening } from "./ports.ts";
import { endProcess, guard, pause, readCommand, type Say, SetupError } from "./processes.ts";
import { type Server, supervise } from "./supervisor.ts";

const ADDRESS_FILE = "mongod.json";
const READY_WITHIN_MS = 25_000;
const LEFT_OVER_GRACE_MS = 10_000;
const REPLICA_SET = "rs0";
const CACHE_GB = 0.5;
const OPLOG_MB = 512;
const ALREADY_INITIALIZED = 23;

interface Address {
  url: string;
  port: number;
  pid: number | undefined;
  /** The process that started mongod and will stop it. */
  owner: number;
}

interface Options {
  binary: string;
  /** The directory of the database's files, log and address; it is kept. */
  directory: string;
  say: Say;
  database?: string;
}

/**
 * Starts mongod, waits until it takes writes, and starts it again whenever it dies.
 * @throws SetupError if the directory is in use or the database does not start
 */
export async function startMongod(options: Options): Promise<Server> {
  const directory = resolve(options.directory);
  const files = join(directory, "db");
  makeDirectory(files);
  const last = await readAddress(directory);
  if (last) await endLeftOver(last, directory, files, options.say);

  const port = last && (await isFree(last.port)) ? last.port : await freePort();
  const url = `mongodb://127.0.0.1:${port}/${options.database ?? "payrail"}?replicaSet=${REPLICA_SET}`;
  const log = join(directory, "mongod.log");
  let logged = 0;
  const start = () => {
    logged = logSize(log);
    const child = spawn(options.binary, flags(files, log, port), {
      stdio: "ignore",
      // Ctrl-C signals the whole process group, but the database must stop last.
      detached: true,
    });
    if (child.pid) guard(child);
    const address: Address = { url, port, pid: child.pid, owner: process.pid };
    writeFileSync(join(directory, ADDRESS_FILE), JSON.stringify(address));
    return child;
  };
  const supervised = await supervise({
    name: "mongod",
    spawn: start,
    ready: (_child, died) => becomePrimary(port, log, died),
    explain: (reason) => explainMongod(reason, log, logged),
    say: options.say,
  });
  return {
    ...supervised,
    url,
    async stop(signal) {
      await supervised.stop(signal);
      await rm(join(directory, ADDRESS_FILE), { force: true });
    },
  };
}

/** The URL of the mongod that runs on a directory; null if none runs. */
export async function runningMongod(directory: string): Promise<string | null> {
  const address = await readAddress(resolve(directory));
  if (!address?.pid) return null;
  const command = await readCommand(address.pid);
  return command?.includes(join(resolve(directory), "db")) ? address.url : null;
}

async function readAddress(directory: string): Promise<Address | null> {
  try {
    return JSON.parse(await readFile(join(directory, ADDRESS_FILE), "utf8")) as Address;
  } catch {
    return null;
  }
}

/**
 * Ends a mongod if its owner was killed; refuses while the owner lives. Systems reuse process ids.
 */
async function endLeftOver(
  { pid, owner }: Address,
  directory: string,
  files: string,
  say: Say,
): Promise<void> {
  const isOurs = pid !== undefined && (await readCommand(pid))?.includes(files);
  if (!isOurs) return;
  if (owner !== process.pid && /payrail|node|jest/.test((await readCommand(owner)) ?? "")) {
    throw new SetupError(
      `DATA_DIR ${directory} is in use by process ${owner}; stop it or set another DATA_DIR.`,
    );
  }
  say(`Ending the mongod that an earlier run left behind (process ${pid})`);
  await endProcess(pid, LEFT_OVER_GRACE_MS);
}

function flags(files: string, log: string, port: number): string[] {
  return [
    ...["--dbpath", files, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    ...["--replSet", REPLICA_SET, "--oplogSize", String(OPLOG_MB)],
    ...["--wiredTigerCacheSizeGB", String(CACHE_GB)],
    ...["--logpath", log, "--logappend", "--quiet"],
    ...["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // The set has no other members, so there is nothing to wait for before it stops.
    ...["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=100"],
  ];
}

/** Makes it a replica set of one at its present address, and waits until it takes writes. */
async function becomePrimary(port: number, log: string, died: AbortSignal): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const end = Date.now() + READY_WITHIN_MS;
  while (!died.aborted && Date.now() < end && !(await isListening(port))) await pause(25);
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: READY_WITHIN_MS,
  });
  const admin = client.db("admin");
  const isPrimary = async () => {
    await configureSet(admin, host);
    return (await admin.command({ hello: 1 })).isWritablePrimary === true;
  };
  try {
    while (!died.aborted && Date.now() < end) {
      // An error means that it cannot be configured yet.
      if (await isPrimary().catch(() => false)) return;
      await pause(25);
    }
  } finally {
    await client.close();
  }
  throw new SetupError(
    `mongod is not ready after ${READY_WITHIN_MS / 1000} s: the machine is busy, or its log ${log} says why.`,
  );
}

/** Makes it a set of one member; a set that was made on another port gets this one. */
async function configureSet(admin: mongoose.mongo.Db, host: string): Promise<void> {
  const members = [{ _id: 0, host }];
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } });
    return;
  } catch (error) {
    if ((error as { code?: number }).code !== ALREADY_INITIALIZED) throw error;
  }
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0].host !== host) {
    const moved = {
      ...config,
      version: config.version + 1,
      members: [{ ...config.members[0], host }],
    };
    await admin.command({ replSetReconfig: moved, force: true });
  }
}
