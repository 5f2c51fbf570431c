// The end of an embedded mongod: its cause and its remedy, from a log as MongoDB writes it.

import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainMongod, logSize } from "../../../tools/platform/mongod-failure.ts";

let folder: string;
let log: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "payrail-mongod-"));
  log = join(folder, "mongod.log");
});
afterEach(() => rm(folder, { recursive: true }));

const line = (severity: string, msg: string, attr: object = {}) =>
  `${JSON.stringify({ t: {}, s: severity, c: "STORAGE", id: 1, ctx: "x", msg, attr })}\n`;
const LOCKED =
  "DBPathInUse: Unable to lock the lock file. Another mongod instance is already running";
const READ_ONLY =
  "DBPathInUse: Unable to create/open the lock file: mongod.lock (Read-only file system). Also make sure that another mongod instance is not already running";
const SALVAGE = { error: -31809, message: { error_str: "WT_TRY_SALVAGE: database corruption" } };

test.each([
  ["another mongod", line("E", "DBException in initAndListen", { error: LOCKED }), "stop that one"],
  [
    "a read-only disk",
    line("E", "DBException in initAndListen", { error: READ_ONLY }),
    "may not write",
  ],
  ["damaged files", line("E", "WiredTiger error message", SALVAGE), "restore a backup"],
  ["a full disk", line("F", "x", { error: "write: No space left on device" }), "free some space"],
  ["anything else", line("F", "Odd", { error: "Location1: odd" }), "Odd (Location1: odd)"],
])("%s is named with its remedy", async (_case, text, part) => {
  await writeFile(log, line("I", "Starting") + text + line("F", "aborting"));
  const said = explainMongod("exit code 100", log, 0);
  expect(said).toContain(part);
  expect(said).toMatch(new RegExp(`; its log is ${log}$`));
});

test("an earlier run's errors explain nothing", async () => {
  await writeFile(log, line("E", "DBException in initAndListen", { error: LOCKED }));
  const from = logSize(log);
  await appendFile(log, line("I", "Starting"));
  expect(explainMongod("exit code 1", log, from)).toBe(`: its log is ${log}`);
  expect(explainMongod("SIGILL", join(folder, "none"), 0)).toContain("AVX");
  expect(logSize(join(folder, "none"))).toBe(0);
});
