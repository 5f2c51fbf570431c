// Inserts and updates as plain commands, on a real database: a statement counts as done only if the
// reply proves it.

import mongoose, { type Connection, type mongo } from "mongoose";
import { runInsert, runUpdate } from "../../shared/storage/commands.ts";

interface Thing {
  _id: string;
  n: number;
  text?: string;
}

let connection: Connection;
let things: mongo.Collection<Thing>;

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_commands";
  connection = await mongoose.createConnection(url.href, { monitorCommands: true }).asPromise();
  things = connection.getClient().db(connection.name).collection<Thing>("things");
});

beforeEach(async () => {
  await things.deleteMany({});
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

/** More members than any replica set has. */
const UNMET = { writeConcern: { w: 50, j: true } };
const MEGABYTE = "x".repeat(2 ** 20);

const thing = (_id: string, text?: string): Thing => ({ _id, n: 0, ...(text && { text }) });
const storedIds = async () =>
  (await things.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

test("an insert stores all documents but the refused ones, and names these", async () => {
  await runInsert(things, [thing("b")]);
  const refused = await runInsert(things, [thing("a"), thing("b"), thing("c")]);
  expect(refused).toEqual([expect.objectContaining({ index: 1, code: 11_000 })]);
  expect(refused[0]?.keyPattern).toEqual({ _id: 1 });
  expect(await storedIds()).toEqual(["a", "b", "c"]);
});

test("an ordered insert ends at the first refused document", async () => {
  await runInsert(things, [thing("b")]);
  const list = [thing("a"), thing("b"), thing("c")];
  const refused = await runInsert(things, list, { ordered: true });
  expect(refused.map(({ index }) => index)).toEqual([1]);
  expect(await storedIds()).toEqual(["a", "b"]);
});

test("an insert without its write concern is unknown, also of a refused document", async () => {
  await runInsert(things, [thing("b")]);
  await expect(runInsert(things, [thing("a"), thing("b")], UNMET)).rejects.toThrow();
  await expect(runInsert(things, [thing("b")], UNMET)).rejects.toThrow();
});

test.each([
  ["a failed write concern", async () => ({ ok: 1, n: 1, writeConcernError: { code: 64 } })],
  ["a lost connection", () => Promise.reject(new Error("The connection is lost"))],
])("%s leaves an insert and an update unknown", async (_name, command) => {
  const unsure = { collectionName: "things", db: { command } } as unknown as typeof things;
  await expect(runInsert(unsure, [thing("a")])).rejects.toThrow();
  await expect(runUpdate(unsure, [{ filter: {}, update: { $inc: { n: 1 } } }])).rejects.toThrow();
});

test("an update counts the documents of all its statements", async () => {
  await runInsert(things, [thing("a"), thing("b"), thing("c")]);
  const updated = await runUpdate(things, [
    { filter: { _id: { $in: ["a", "b"] } }, update: { $set: { n: 1 } }, multi: true },
    { filter: { n: 0 }, update: { $set: { n: 0 } } },
    { filter: { _id: "d" }, update: { $inc: { n: 1 } }, upsert: true },
    { filter: { _id: "e" }, update: { $inc: { n: 1 } } },
  ]);
  expect(updated).toEqual({ matched: 4, modified: 2 });
  expect(await storedIds()).toEqual(["a", "b", "c", "d"]);
});

test("a refused statement fails the update", async () => {
  await runInsert(things, [{ ...thing("a"), n: "one" as never }, thing("b")]);
  const increments = ["a", "b"].map((_id) => ({ filter: { _id }, update: { $inc: { n: 1 } } }));
  await expect(runUpdate(things, increments)).rejects.toThrow("non-numeric");
  expect((await things.findOne({ _id: "b" }))?.n).toBe(1);
});

test("an empty list is an error", async () => {
  await expect(runInsert(things, [])).rejects.toThrow("Write batch sizes");
  await expect(runUpdate(things, [])).rejects.toThrow("Write batch sizes");
});

test.each([17, 40])(
  "%d MB are sent in parts, and refused documents keep their index",
  async (mb) => {
    const last = String(mb - 1);
    await runInsert(things, [thing(last)]);
    const list = Array.from({ length: mb }, (_, i) => thing(String(i), MEGABYTE));
    const refused = await runInsert(things, list);
    expect(refused.map(({ index }) => index)).toEqual([mb - 1]);
    expect(await storedIds()).toHaveLength(mb);
  },
);

test("an ordered insert in parts ends at the first refused document", async () => {
  await runInsert(things, [thing("3")]);
  const list = Array.from({ length: 20 }, (_, i) => thing(String(i), MEGABYTE));
  const refused = await runInsert(things, list, { ordered: true });
  expect(refused.map(({ index }) => index)).toEqual([3]);
  expect((await storedIds()).toSorted()).toEqual(["0", "1", "2", "3"]);
});

test("a document that no command can hold is not stored", async () => {
  await expect(runInsert(things, [thing("a", MEGABYTE.repeat(17))])).rejects.toThrow();
  await expect(runInsert(things, [thing("a", MEGABYTE.repeat(20))])).rejects.toThrow();
  expect(await storedIds()).toEqual([]);
});

test("a command waits for a journalled majority, and is not a retryable write", async () => {
  const commands: mongo.Document[] = [];
  connection.getClient().on("commandStarted", ({ command }) => commands.push(command));
  await runInsert(things, [thing("a")]);
  await runUpdate(things, [{ filter: { _id: "a" }, update: { $inc: { n: 1 } } }]);
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    expect(command.writeConcern).toEqual({ w: "majority", j: true });
    expect(command).not.toHaveProperty("txnNumber");
  }
});
