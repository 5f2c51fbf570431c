// The mode of a database, sandbox or live: the first migration writes it, and later migrations and
// starts in the other mode are refused, so that sandbox money is never paid out for real.

import { once } from "node:events";
import mongoose, { type Connection, Schema } from "mongoose";
import { ConfigError } from "../../shared/config/config.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { forkService } from "../support/processes.ts";
import { testEnvironment } from "../support/system.ts";
import { startWorld } from "../support/world.ts";

interface ModeDocument {
  _id: string;
  mode: string;
}

let mongoUrl: string;
let connection: Connection;
beforeEach(async () => {
  mongoUrl = testEnvironment().MONGO_URL as string;
  connection = await mongoose.createConnection(mongoUrl).asPromise();
});
afterEach(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const modes = () =>
  connection.collection<ModeDocument>("database_mode").find({ _id: "mode" }).toArray();

const schemas = { things: new Schema({ name: String }) };

/** Migrates the database. @returns the error's message, null after a success */
async function migrateAs(mode: "sandbox" | "live"): Promise<string | null> {
  return problemOf(migrateConfigured({ mongoUrl, sandbox: mode === "sandbox" }, { schemas }));
}

/** Opens the database like a service. @returns as migrateAs */
async function openAs(mode: "sandbox" | "live"): Promise<string | null> {
  const SANDBOX = String(mode === "sandbox");
  const config = loadConfig(testEnvironment({ MONGO_URL: mongoUrl, SANDBOX }));
  const db = database(config, "test", schemas);
  try {
    return await problemOf(db.open());
  } finally {
    await db.close();
  }
}

async function problemOf(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

test.each(["sandbox", "live"] as const)(
  "a new database becomes a %s database for good",
  async (mode) => {
    const other = mode === "live" ? "sandbox" : "live";
    expect(await migrateAs(mode)).toBeNull();
    const name = connection.name;
    const refusal =
      mode === "live"
        ? `The database ${name} is a live system's and SANDBOX is true: set SANDBOX=false, or set MONGO_URL or DATA_DIR to another database for the sandbox.`
        : `The database ${name} is a sandbox's and SANDBOX is false: set SANDBOX=true, or set MONGO_URL or DATA_DIR to another database for the live system.`;
    expect(await openAs(other)).toBe(refusal);
    expect(await migrateAs(other)).toBe(refusal);
    expect(await openAs(mode)).toBeNull();
    expect(await migrateAs(mode)).toBeNull();
    expect(await modes()).toEqual([{ _id: "mode", mode }]);
  },
);

test("a refused migration or start writes no document", async () => {
  await connection
    .collection<ModeDocument>("database_mode")
    .insertOne({ _id: "mode", mode: "live" });
  expect(await openAs("sandbox")).toContain("is a live system's");
  expect(await migrateAs("sandbox")).toContain("is a live system's");
  expect((await connection.listCollections()).map(({ name }) => name)).toEqual(["database_mode"]);
});

test("of concurrent migrations in both modes on a new database one wins, and the other is refused", async () => {
  const asked = Array.from({ length: 6 }, () => ["sandbox", "live"] as const).flat();
  const answers = await Promise.all(asked.map(migrateAs));
  const [{ mode }] = (await modes()) as [ModeDocument];
  expect(asked.filter((_, i) => answers[i] === null)).toEqual(Array(6).fill(mode));
});

test("a ledger database without a mode is a sandbox database, for a first migration in either mode", async () => {
  const watermarks = connection.collection<{ _id: number; n: number }>("ledger_watermarks");
  await watermarks.insertOne({ _id: 0, n: 7 });
  expect(await migrateAs("live")).toContain("is a sandbox's");
  expect(await migrateAs("sandbox")).toBeNull();
  expect(await modes()).toEqual([{ _id: "mode", mode: "sandbox" }]);
});

test("a start only reads the mode and the schema", async () => {
  expect(await migrateAs("live")).toBeNull();
  // The validator refuses every write, like the database for a user that may only read.
  await connection.db?.command({ collMod: "database_mode", validator: { never: true } });
  expect(await openAs("live")).toBeNull();
});

test("services of one system agree, and a service in the other mode ends with one sentence", async () => {
  const world = await startWorld({ overNats: true });
  try {
    const stored = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
    const state = stored.collection<ModeDocument>("database_mode");
    const found = await state.find({ _id: "mode" }).toArray();
    const { name } = stored;
    await stored.close();
    expect(found).toEqual([{ _id: "mode", mode: "sandbox" }]);
    const business = await world.business();
    await world.wallet(business, business, 100);
    const child = forkService(world, "payouts", { SANDBOX: "false" });
    let output = "";
    child.stderr?.on("data", (chunk) => {
      output += chunk;
    });
    // `close` comes after all output of the process; `message` comes if the process starts after
    // all.
    const [code] = await Promise.race([once(child, "close"), once(child, "message")]);
    child.kill();
    expect(code).toBe(1);
    expect(output).toContain(`The database ${name} is a sandbox's and SANDBOX is false`);
    await world.verifyBooks();
  } finally {
    await world.stop();
  }
});
