// Plain records on moleculer-db and its mongoose adapter, and a service's database: each service
// has its own connection, and the libraries' harmful defaults are off.

import type { ServiceBroker, ServiceSchema } from "moleculer";
import mongoose, { Schema } from "mongoose";
import type { Config } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { type Database, database, withDatabase } from "../../shared/storage/database.ts";
import { Records, withRecords } from "../../shared/storage/records.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { testEnvironment } from "../support/system.ts";

interface Thing {
  _id: string;
  name: string;
  kind: string;
}

const thingSchema = new Schema<Thing>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    kind: { type: String, enum: ["round", "square"], required: true },
  },
  { versionKey: false },
);
thingSchema.index({ name: 1 }, { unique: true });

const schemas = { things: thingSchema, others: thingSchema };

interface Part {
  db: Database<typeof schemas>;
  things: Records<Thing>;
  others: Records<Thing>;
  schema: ServiceSchema;
  /** The names of the things that the service finds during its stop. */
  foundAtStop: string[];
}

/** A service with two collections. It creates a thing at its start and lists things at its stop. */
function partOf(config: Config, name: string): Part {
  const db = database(config, name, schemas);
  const things = new Records(db.models.things, { name: "CONFLICT" });
  const others = new Records(db.models.others);
  const foundAtStop: string[] = [];
  const schema: ServiceSchema = {
    name,
    mixins: [withDatabase(db), withRecords(things, others)],
    async started() {
      await things.create({ _id: "a", name: `first of ${name}`, kind: "round" });
    },
    async stopped() {
      const { documents } = await things.list({}, {});
      foundAtStop.push(...documents.map((thing) => thing.name));
    },
  };
  return { db, things, others, schema, foundAtStop };
}

const configured = (overrides: Record<string, string> = {}) =>
  loadConfig(testEnvironment({ LOG_LEVEL: "fatal", ...overrides }));

async function dropDatabase({ mongoUrl }: Config): Promise<void> {
  const connection = await mongoose.createConnection(mongoUrl as string).asPromise();
  await connection.dropDatabase();
  await connection.close();
}

const config = configured();
let broker: ServiceBroker;
let part: Part;
beforeAll(async () => {
  await migrateConfigured(config, { schemas });
  part = partOf(config, "part");
  broker = createBroker(config, "records", "records");
  broker.createService(part.schema);
  await broker.start();
});
afterAll(async () => {
  await broker?.stop();
  await dropDatabase(config);
});

test("two services of one process are independent, and a stop leaves the other connected", async () => {
  const otherConfig = configured();
  await migrateConfigured(otherConfig, { schemas });
  const other = partOf(otherConfig, "other");
  try {
    const service = broker.createService(other.schema);
    await broker.waitForServices("other", 60_000, 20);
    expect(await part.things.findById("a")).toMatchObject({ name: "first of part" });
    expect(await other.things.findById("a")).toMatchObject({ name: "first of other" });

    await broker.destroyService(service);
    expect(other.foundAtStop).toEqual(["first of other"]);
    expect(other.db.connection.readyState).toBe(0);
    expect((await part.things.list({}, {})).documents).toHaveLength(1);
    await expect(broker.call("part.ready")).resolves.toEqual({});
    // The connection that the adapter alone would open, for all services.
    expect(mongoose.connection.readyState).toBe(0);
  } finally {
    await dropDatabase(otherConfig);
  }
});

test("a database that does not answer fails the start of its service", async () => {
  const lost = configured({ MONGO_URL: "mongodb://127.0.0.1:1/lost?directConnection=true" });
  const failing = createBroker(lost, "failing", "failing");
  failing.createService(partOf(lost, "failing").schema);
  await expect(failing.start()).rejects.toMatchObject({ name: "MongooseServerSelectionError" });
  await failing.stop().catch(() => {});
});

test("records of two collections of one service stay in their own", async () => {
  await part.others.create({ _id: "o", name: "other", kind: "square" });
  expect((await part.others.list({}, {})).documents.map(({ _id }) => _id)).toEqual(["o"]);
  expect(await part.things.findById("o")).toBeNull();
});

test("a duplicate is the error for its index; any other error stays", async () => {
  const thing: Thing = { _id: "twice", name: "twice", kind: "round" };
  await part.things.create(thing);
  await expect(part.things.create({ ...thing, _id: "again" })).rejects.toMatchObject({
    type: "CONFLICT",
  });
  await expect(part.things.change({ _id: "a" }, { $set: { name: "twice" } })).rejects.toMatchObject(
    { type: "CONFLICT" },
  );
  await expect(
    part.things.change({ _id: "twice" }, { $set: { _id: "thrice" } }),
  ).rejects.toMatchObject({ code: 66 });
});

test("a record with the id of a stored one is not stored, and the stored one is returned", async () => {
  const thing: Thing = { _id: "stored", name: "stored", kind: "round" };
  await part.things.create(thing);
  expect(await part.things.create({ ...thing, name: "again" })).toEqual(thing);
  expect(await part.things.findById("stored")).toEqual(thing);
});

test("a value that the schema refuses is neither created nor updated", async () => {
  const refused = { type: "VALIDATION", message: "kind must be valid" };
  const oval: Thing = { _id: "oval", name: "oval", kind: "oval" };
  await expect(part.things.create(oval)).rejects.toMatchObject(refused);
  await expect(part.things.change({ _id: "a" }, { $set: { kind: "oval" } })).rejects.toMatchObject(
    refused,
  );
  await expect(part.things.change({ _id: "a" }, { kind: "oval" })).rejects.toMatchObject(refused);
  expect(await part.things.findById("a")).toMatchObject({ kind: "round" });
  expect(await part.things.findById("oval")).toBeNull();
});

test("a change takes effect only if all conditions hold", async () => {
  await part.others.create({ _id: "c", name: "conditional", kind: "round" });
  const toSquare = { $set: { kind: "square" } };
  expect(await part.others.change({ _id: "c", kind: "square" }, toSquare)).toBeNull();
  const changes = Array.from({ length: 5 }, () =>
    part.others.change({ _id: "c", kind: "round" }, toSquare),
  );
  const taken = (await Promise.all(changes)).filter((each) => each !== null);
  expect(taken).toEqual([{ _id: "c", name: "conditional", kind: "square" }]);
});

test("a filter by a field that the schema lacks finds nothing", async () => {
  const unknown = { owner: "x" } as never;
  expect(await part.things.findOne(unknown)).toBeNull();
  expect((await part.things.list(unknown, {})).meta).toMatchObject({ total: 0 });
  expect(await part.things.removeMany(unknown)).toBe(0);
  expect(await part.things.findById("a")).not.toBeNull();
});

test("reads see majority data, and writes wait for a majority and its journal", async () => {
  const { collection } = part.db.models.things;
  const reads = [
    jest.spyOn(collection, "find"),
    jest.spyOn(collection, "findOne"),
    jest.spyOn(collection, "countDocuments"),
  ];
  await part.things.list({}, {});
  await part.things.list({}, { order: "newest" });
  await part.things.findById("a");
  await part.things.findByIds(["a"]);
  const options = reads.flatMap(({ mock }) => mock.calls.map(([, option]) => option));
  expect(options).toHaveLength(5);
  for (const each of options) expect(each).toMatchObject({ readConcern: { level: "majority" } });
  const { writeConcern } = part.db.connection.getClient().options;
  expect(writeConcern).toMatchObject({ w: "majority", journal: true });
});

test("a change sends no event to other services", async () => {
  const sent = [jest.spyOn(broker, "broadcast"), jest.spyOn(broker, "emit")];
  await part.things.create({ _id: "quiet", name: "quiet", kind: "round" });
  await part.things.change({ _id: "quiet" }, { $set: { kind: "square" } });
  expect(sent.flatMap(({ mock }) => mock.calls)).toEqual([]);
});
