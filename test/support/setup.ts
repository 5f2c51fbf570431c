// Before all tests: starts one real MongoDB (a replica set of one) and one real nats-server for the
// whole run. Test files find them in TEST_MONGO_URL and TEST_NATS_URL and use their own databases
// and namespaces. A missing program fails the run with instructions to install it.

import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { binDirectory, installedBinary, provideBinary } from "../../tools/platform/binaries.ts";
import { buildConsole } from "../../tools/platform/console.ts";
import { startMongod } from "../../tools/platform/mongod.ts";
import { startNats } from "../../tools/platform/nats.ts";
import { mongoInDocker, natsInDocker } from "./docker.ts";

/** Programs to stop after the tests, the last started first. */
export type Stop = () => Promise<void>;

const MEMORY = "/dev/shm";
/** A run's database is smaller; Docker gives a container 64 MB by default, which is too little. */
const ROOM_BYTES = 3 * 2 ** 30;

const say = (line: string) => process.stderr.write(`${line}\n`);

export default async function setup(): Promise<void> {
  const stops: Stop[] = [];
  (globalThis as { payrailStops?: Stop[] }).payrailStops = stops;
  // The workers and every process of a test share it.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "payrail-compile-cache");
  try {
    process.env.TEST_MONGO_URL = await mongo(stops);
    process.env.TEST_NATS_URL = await nats(stops);
    await buildConsole();
  } catch (error) {
    // Jest does not run the teardown after a failed setup.
    for (const stop of stops.toReversed()) await stop();
    throw error;
  }
}

async function mongo(stops: Stop[]): Promise<string> {
  const { MONGO_URL } = process.env;
  if (MONGO_URL) return MONGO_URL;
  if (!(await installedBinary("mongod", binDirectory()))) {
    const container = await mongoInDocker(say);
    if (container) {
      stops.push(container.stop);
      return container.url;
    }
  }
  const binary = await provideBinary("mongod", binDirectory(), say);
  const directory = await databaseDirectory("payrail-test-");
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const mongod = await startMongod({ binary, directory, say, database: "test" });
  stops.push(() => mongod.stop("SIGKILL"));
  return mongod.url;
}

/** A new folder, in memory if it has room, as a disk takes milliseconds for each durable write. */
export async function databaseDirectory(prefix: string): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  const parent = bavail * bsize >= ROOM_BYTES ? MEMORY : tmpdir();
  return mkdtemp(join(parent, prefix));
}

async function nats(stops: Stop[]): Promise<string> {
  const { NATS_URL } = process.env;
  if (NATS_URL) return NATS_URL;
  if (!(await installedBinary("nats-server", binDirectory()))) {
    const container = await natsInDocker(say);
    if (container) {
      stops.push(container.stop);
      return container.url;
    }
  }
  const binary = await provideBinary("nats-server", binDirectory(), say);
  const server = await startNats({ binary, say });
  stops.push(() => server.stop());
  return server.url;
}
