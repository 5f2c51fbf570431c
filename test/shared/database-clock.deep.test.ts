// The correction of a process's clock while the process is frozen.

import mongoose, { type mongo } from "mongoose";
import { systemClock } from "../../shared/clock.ts";
import { followDatabaseClock } from "../../shared/storage/database-clock.ts";

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

test.each([0, 180_000])("a frozen process with a clock %d ms ahead asks again", async (aheadMs) => {
  setMachine(aheadMs);
  const first = follow();
  const frozenUntil = performance.now() + 3_000;
  while (performance.now() < frozenUntil);
  await first;
  expect(errorMs()).toBeLessThan(CLOSE_MS);
  expect(lines).toHaveLength(aheadMs === 0 ? 0 : 1);
});
