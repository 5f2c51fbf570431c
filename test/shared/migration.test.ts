// npm run migrate, and the services that wait for it: collections and indexes are made, changed and
// checked, while services of this release and the previous one run.

import mongoose, { type mongo, Schema } from "mongoose";
import { type Config, ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { database, withDatabase } from "../../shared/storage/database.ts";
import { indexesOf } from "../../shared/storage/indexes.ts";
import { READABLE_FROM, SCHEMA_VERSION } from "../../shared/storage/schema-version.ts";
import { DATA_MIGRATIONS } from "../../tools/migrate/data.ts";
import { migrate } from "../../tools/migrate/migrate.ts";
import { SCHEMAS } from "../../tools/migrate/schemas.ts";
import { writeSchema } from "../../tools/migrate/state.ts";
import { SetupError } from "../../tools/platform/processes.ts";
import { testEnvironment, until } from "../support/system.ts";

type Key = Record<string, 1>;
interface SchemaState {
  _id: string;
  version: number;
  readableFrom: number;
}

const SANDBOX = { sandbox: true };
const isSet = { partialFilterExpression: { name: { $exists: true } } };

let config: Config;
let client: mongo.MongoClient;
let db: mongo.Db;
/** The commands that change indexes, in the order in which they were sent. */
let sent: string[];
beforeEach(async () => {
  config = loadConfig(testEnvironment({ LOG_LEVEL: "fatal" }));
  client = new mongoose.mongo.MongoClient(config.mongoUrl as string, { monitorCommands: true });
  db = client.db();
  sent = [];
  client.on("commandStarted", ({ commandName }) => {
    if (["createIndexes", "dropIndexes", "create"].includes(commandName)) sent.push(commandName);
  });
});
afterEach(async () => {
  await db.dropDatabase();
  await client.close();
});

/** The collection `things` with these indexes. */
function things(...indexes: [Key, object?][]) {
  const schema = new Schema({ name: String });
  for (const [key, options = {}] of indexes) schema.index(key, options);
  return { things: schema };
}

const migrateTo = (schemas: Record<string, Schema>, say?: (line: string) => void) =>
  migrate(db, SANDBOX, { schemas, ...(say && { say }) });

async function namesOf(collection = "things"): Promise<string[]> {
  const found = await db.collection(collection).indexes();
  return found.map(({ name }) => name as string).toSorted();
}

const state = () => db.collection<SchemaState>("database_mode");

/** Opens the database like a service. @returns its lack, and its end */
function openOf(schemas: Record<string, Schema>) {
  const lines: string[] = [];
  const opened = database(config, "test", schemas);
  const open = opened.open((line) => lines.push(line));
  return { lines, open, waitingFor: opened.waitingFor, close: opened.close };
}

describe("a migration", () => {
  test("makes every collection and index of all services, and repeated it changes nothing", async () => {
    await migrate(db, SANDBOX);
    for (const [name, schema] of Object.values(SCHEMAS).flatMap(Object.entries)) {
      const wanted = ["_id_", ...indexesOf(schema as Schema).map((index) => index.name)];
      expect(await namesOf(name)).toEqual(wanted.toSorted());
    }
    expect(await state().findOne({ _id: "schema" })).toEqual({
      _id: "schema",
      version: SCHEMA_VERSION,
      readableFrom: expect.any(Number),
    });
    sent = [];
    await migrate(db, SANDBOX);
    expect(sent).toEqual([]);
  });

  test("replaces an index with other options, the new one first, and drops no unknown one", async () => {
    await migrateTo(things([{ name: 1 }, { unique: true }]));
    await db.collection("things").createIndex({ other: 1 }, { name: "of the operator" });
    await db.collection("things").insertMany([{ name: "a" }, { name: "b" }] as never);
    sent = [];
    const said: string[] = [];
    await migrateTo(things([{ name: 1 }, { unique: true, ...isSet }]), (line) => said.push(line));
    expect(sent).toEqual(["createIndexes", "dropIndexes"]);
    expect(await namesOf()).toEqual(["_id_", "name_1_changed", "of the operator"]);
    expect(said.join("\n")).toMatch(
      /building unique \{"name":1\} over about 2 documents\n.*built in/,
    );
    // The next change has the usual name again.
    await migrateTo(things([{ name: 1 }, { unique: true, sparse: true }]));
    expect(await namesOf()).toEqual(["_id_", "name_1", "of the operator"]);
  });

  test("drops a retired index, but not while the previous release may use it", async () => {
    const [other, name] = [{ other: 1 }, { name: 1 }] as const;
    await migrateTo(things([name, isSet], [other]));
    const index = { key: name, ...isSet };
    const said: string[] = [];
    const retire = (unusedSince: number) =>
      migrate(db, SANDBOX, {
        schemas: things([other]),
        retired: [{ collection: "things", index, unusedSince }],
        say: (line) => said.push(line),
      });
    await retire(READABLE_FROM + 1);
    expect(await namesOf()).toEqual(["_id_", "name_1", "other_1"]);
    await retire(READABLE_FROM);
    expect(await namesOf()).toEqual(["_id_", "other_1"]);
    expect(said).toEqual(["things: dropped the index name_1, which no query uses"]);
    await retire(READABLE_FROM);
    expect(said).toHaveLength(1);
  });

  test("replaces an index in place if only its expiry differs", async () => {
    await migrateTo(things([{ at: 1 }]));
    await migrateTo(things([{ at: 1 }, { expireAfterSeconds: 60 }]));
    const [, index] = await db.collection("things").indexes();
    expect(index).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 60 });
  });

  test("leaves an index of the operator that differs only in its expiry, and says so", async () => {
    await db.collection("things").createIndex({ at: 1 }, { name: "of the operator" });
    const failed = migrateTo(things([{ at: 1 }, { expireAfterSeconds: 60 }]));
    await expect(failed).rejects.toThrow(SetupError);
    await expect(failed).rejects.toThrow(/^things has an index on \{"at":1\} that payrail did not/);
    expect(await namesOf()).toEqual(["_id_", "of the operator"]);
  });

  test("names the documents that a unique index forbids, and goes on once they are gone", async () => {
    const wanted = things([{ name: 1 }, { unique: true }]);
    const collection = db.collection<{ _id: string; name: string }>("things");
    await collection.insertMany(["1", "2"].map((_id) => ({ _id, name: "twice" })));
    const failed = migrateTo(wanted);
    await expect(failed).rejects.toThrow(SetupError);
    await expect(failed).rejects.toThrow(
      /^things has documents that a unique index forbids: .*twice/,
    );
    expect(await state().findOne({ _id: "schema" })).toBeNull();
    await collection.deleteOne({ _id: "2" });
    await migrateTo(wanted);
    expect(await namesOf()).toEqual(["_id_", "name_1"]);
  });

  test("runs a data migration that the database lacks until it succeeds, and never again", async () => {
    const version = SCHEMA_VERSION - 1;
    await migrateTo(things());
    await state().updateOne({ _id: "schema" }, { $set: { version } });
    const run = jest.fn<Promise<void>, [mongo.Db]>().mockResolvedValue();
    run.mockRejectedValueOnce(new Error("interrupted"));
    DATA_MIGRATIONS.push({
      version: SCHEMA_VERSION,
      does: "Names every thing",
      changes: "things",
      run,
    });
    try {
      await expect(migrateTo(things())).rejects.toThrow("interrupted");
      expect(await state().findOne({ _id: "schema" })).toMatchObject({ version });
      const said: string[] = [];
      await migrateTo(things(), (line) => said.push(line));
      await migrateTo(things(), (line) => said.push(line));
      expect(said.filter((line) => line === "Names every thing")).toHaveLength(1);
      expect(run.mock.calls).toEqual([[db], [db]]);
    } finally {
      DATA_MIGRATIONS.pop();
    }
  });

  test("that ends after one of a newer version leaves the newer schema's numbers", async () => {
    await migrateTo(things());
    const newer = { version: SCHEMA_VERSION + 1, readableFrom: SCHEMA_VERSION + 1 };
    await state().updateOne({ _id: "schema" }, { $set: newer });
    await writeSchema(db);
    expect(await state().findOne({ _id: "schema" })).toMatchObject(newer);
  });

  test("is run by several at once", async () => {
    await migrateTo(things([{ name: 1 }]));
    await db.collection("things").insertMany([{ name: "a" }, { name: "b" }] as never);
    const changed = { ...things([{ name: 1 }, { unique: true }]), others: things().things };
    await Promise.all(Array.from({ length: 5 }, () => migrateTo(changed)));
    const found = await db.collection("things").indexes();
    expect(found.filter(({ key }) => "name" in key)).toEqual([
      expect.objectContaining({ unique: true }),
    ]);
  });

  test("changes nothing in a newer schema that this code can read, and refuses any other", async () => {
    await migrateTo(things());
    const version = SCHEMA_VERSION + 1;
    await state().updateOne({ _id: "schema" }, { $set: { version } });
    await migrateTo(things([{ name: 1 }]));
    expect(await namesOf()).toEqual(["_id_"]);
    expect(await state().findOne({ _id: "schema" })).toMatchObject({ version });

    await state().updateOne({ _id: "schema" }, { $set: { readableFrom: version } });
    const refused = new ConfigError(
      `The database ${db.databaseName} has schema ${version}, which versions from schema ${version} on can read; this version has schema ${SCHEMA_VERSION}: start a newer version of payrail.`,
    );
    await expect(migrateTo(things())).rejects.toEqual(refused);
    const { open, close } = openOf(things());
    await expect(open).rejects.toEqual(refused);
    await close();
  });
});

describe("a service", () => {
  const unique = things([{ name: 1 }, { unique: true }]);

  test.each<[string, () => Promise<unknown>, string]>([
    ["its mode", () => state().deleteMany({}), "is not set up"],
    [
      "its schema",
      () => state().deleteOne({ _id: "schema" }),
      `has no schema version, and this version needs schema ${SCHEMA_VERSION}`,
    ],
    [
      "its schema's version",
      () => state().updateOne({ _id: "schema" }, { $set: { version: SCHEMA_VERSION - 1 } }),
      `has schema ${SCHEMA_VERSION - 1}, and this version needs schema ${SCHEMA_VERSION}`,
    ],
    ["a collection", () => db.dropCollection("things"), "lacks the collection things"],
    [
      "a unique index",
      () => db.collection("things").dropIndex("name_1"),
      'lacks the index unique {"name":1} of things',
    ],
  ])("waits for a database without %s", async (_what, damage, lack) => {
    await migrateTo(unique);
    await damage();
    const { lines, open, waitingFor, close } = openOf(unique);
    const ended = expect(open).rejects.toThrow("aborted");
    const waits = `waits: the database ${db.databaseName} ${lack}; npm run migrate makes it`;
    await until(() => waitingFor() === waits, { awaited: waits });
    expect(lines).toEqual([`test ${waits}`]);
    await close();
    await ended;
  });

  test("says once what it waits for, and goes on after the migration", async () => {
    const { lines, open, waitingFor, close } = openOf(unique);
    await until(() => lines.length > 0);
    await migrateTo(unique);
    await open;
    expect(lines).toHaveLength(1);
    expect(waitingFor()).toBeNull();
    await close();
  });

  test("accepts a newer schema that it can read, with other indexes", async () => {
    await migrateTo(unique);
    await db.collection("things").dropIndex("name_1");
    await state().updateOne({ _id: "schema" }, { $set: { version: SCHEMA_VERSION + 1 } });
    const opened = database(config, "test", unique);
    await opened.open((line) => {
      throw new Error(line);
    });
    await opened.close();
  });

  test("that waits cannot be called, and its stop ends the wait", async () => {
    const broker = createBroker(config, "waiting", config.mongoUrl as string);
    const started = jest.fn();
    const waits = database(config, "payouts", unique);
    broker.createService({ name: "payouts", mixins: [withDatabase(waits)], started });
    const start = broker.start();
    const ended = expect(start).rejects.toThrow("aborted");
    const lack = await until(() => waits.waitingFor());
    const { notReady } = broker.getLocalService("payouts") as unknown as {
      notReady(): Promise<string[]>;
    };
    expect(await notReady()).toEqual([lack]);
    const asked = call(broker, "payouts.ready", {});
    await expect(asked).rejects.toMatchObject({ type: "UNAVAILABLE" });
    await broker.stop();
    await ended;
    expect(started).not.toHaveBeenCalled();
    expect(waits.waitingFor()).toBeNull();
  });
});
