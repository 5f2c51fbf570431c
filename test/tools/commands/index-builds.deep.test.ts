// An index that is being built: a unique one refuses nothing yet. Neither a service nor a migration
// takes it for a finished one.

import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import mongoose, { type mongo, Schema } from "mongoose";
import { findMissing } from "../../../shared/storage/indexes.ts";
import { migrate } from "../../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../../tools/platform/binaries.ts";
import { startMongod } from "../../../tools/platform/mongod.ts";
import type { Server } from "../../../tools/platform/supervisor.ts";
import type { Books } from "../../../tools/verify/books.ts";
import { verifyIndexes } from "../../../tools/verify/indexes.ts";
import { until } from "../../support/system.ts";

const quiet = () => {};
const links = new Schema({ tokenHash: String }).index({ tokenHash: 1 }, { unique: true });
const schemas = { payment_links: links };

let directory: string;
let server: Server;
let client: mongo.MongoClient;
let db: mongo.Db;
/** The commands to build an index. */
let builds = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "payrail-index-builds-"));
  // Only such a mongod can be told to hold a build.
  const mongod = resolve(await provideBinary("mongod", binDirectory(), quiet));
  const binary = join(directory, "mongod");
  await writeFile(binary, `#!/bin/sh\nexec ${mongod} --setParameter enableTestCommands=1 "$@"\n`);
  await chmod(binary, 0o700);
  server = await startMongod({ binary, directory, say: quiet });
  client = new mongoose.mongo.MongoClient(server.url, { monitorCommands: true });
  client.on("commandStarted", ({ commandName }) => {
    if (commandName === "createIndexes") builds += 1;
  });
  db = client.db();
});
afterAll(async () => {
  await client?.close();
  await server?.stop("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

const holdBuilds = (mode: "alwaysOn" | "off") =>
  client.db("admin").command({ configureFailPoint: "hangAfterStartingIndexBuild", mode });

/** The indexes that the verification of the books misses. */
async function missingInBooks(): Promise<string[]> {
  const missing: string[] = [];
  const findings = { count() {}, violation: (_: string, text: string) => missing.push(text) };
  await verifyIndexes({ db, findings } as unknown as Books);
  return missing;
}

test("a migration after one that was killed waits for its build, and services for both", async () => {
  const collection = db.collection("payment_links");
  await collection.insertMany([{ tokenHash: "a" }, { tokenHash: "b" }]);
  await holdBuilds("alwaysOn");
  const killed = collection.createIndex({ tokenHash: 1 }, { unique: true });
  await until(async () => (await collection.indexes()).length === 2);
  const index = 'unique {"tokenHash":1}';
  expect(await findMissing(db, schemas)).toEqual([`the index ${index} of payment_links`]);
  expect(await missingInBooks()).toEqual([`payment_links has no unique index {"tokenHash":1}`]);

  const second = migrate(db, { sandbox: true }, { schemas });
  await until(() => builds === 2, { awaited: "the migration's own command to build it" });
  const state = db.collection<{ _id: string }>("database_mode");
  expect(await state.findOne({ _id: "schema" })).toBeNull();

  await holdBuilds("off");
  await Promise.all([killed, second]);
  expect(await findMissing(db, schemas)).toEqual([]);
  expect(await missingInBooks()).toEqual([]);
  expect(await state.findOne({ _id: "schema" })).not.toBeNull();
  await expect(collection.insertOne({ tokenHash: "a" })).rejects.toThrow("E11000");
});
