// The correction of a process's clock by the database's. database-clock.deep.test.ts has frozen
// processes.

import mongoose, { type mongo } from "mongoose";
import { machineAheadMs, systemClock } from "../../shared/clock.ts";
import { followDatabaseClock } from "../../shared/storage/database-clock.ts";
import { until } from "../support/system.ts";

const realNow = Date.now;
/** The greatest difference that is left alone, and a slow machine's way to the database. */
const CLOSE_MS = 2_000;

let client: mongo.MongoClient;
let following: AbortController;
let lines: string[];
const follow = () =>
  followDatabaseClock(client.db(), (line) => lines.push(line), following.signal, 20);
const setMachine = (aheadMs: number) =>
  jest.spyOn(Date, "now").mockImplementation(() => realNow() + aheadMs);
const errorMs = () => Math.abs(systemClock.now() - realNow());

beforeAll(() => {
  client = new mongoose.mongo.MongoClient(process.env.TEST_MONGO_URL as string);
});
beforeEach(() => {
  following = new AbortController();
  lines = [];
});
afterEach(() => {
  following.abort();
  jest.restoreAllMocks();
});
afterAll(() => client?.close());

test.each([180_000, -600_000])("a clock that is %d ms ahead is corrected", async (aheadMs) => {
  setMachine(aheadMs);
  await follow();
  expect(errorMs()).toBeLessThan(CLOSE_MS);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^This machine's clock is -?\d+ ms ahead of the database's/);

  setMachine(0);
  await until(() => machineAheadMs() === 0, { awaited: "the clock's own time" });
  expect(lines[1]).toBe("This machine's clock agrees with the database's again");
});

test("small differences count as none", async () => {
  setMachine(300);
  await follow();
  expect(machineAheadMs()).toBe(0);
  expect(lines).toEqual([]);
});
