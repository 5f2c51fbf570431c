// The settings of rails of bank files, as an operator writes them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readKeys, readSettings } from "../../../partners/bank-files/settings.ts";

const folder = mkdtempSync(join(tmpdir(), "payrail-settings-"));
const path = join(folder, "ach.json");
const forget = () => {
  for (const name of ["ACH_FILES", "BANK_FILES_KEYS", "BANK_FILES_KEYS_FILE"]) {
    delete process.env[name];
  }
};

beforeEach(() => {
  forget();
  process.env.ACH_FILES = path;
});
afterAll(() => {
  forget();
  rmSync(folder, { recursive: true, force: true });
});

const RIGHT = {
  name: "first-bank-ach",
  test: true,
  fileId: "PAYOUT",
  originator: { odfi: "02100002" },
  calendar: { timeZone: "UTC", cutOffs: "always", holidays: "none" },
  out: { url: "file:///tmp/out" },
  answers: { url: "file:///tmp/answers" },
  archive: { url: "file:///tmp/archive" },
  repeats: "refused",
  returnWindowDays: 60,
};

function read(settings: unknown, settledAfterDays: number | null = 3) {
  writeFileSync(path, JSON.stringify(settings));
  return readSettings("ACH_FILES", settledAfterDays);
}

test("they have defaults for times", () => {
  expect(read(RIGHT)).toEqual({
    ...RIGHT,
    settledAfterDays: 3,
    returnChargeAtMostMinor: 0,
    turnEveryMs: 60_000,
    askEveryMs: 600_000,
  });
  expect(read({ ...RIGHT, settledAfterDays: 0, turnEverySeconds: 0.1 })).toMatchObject({
    settledAfterDays: 0,
    turnEveryMs: 100,
  });
});

test.each<[string, object, string]>([
  ["an unknown one", { colour: "red" }, "colour"],
  ["a missing name", { name: undefined }, "name"],
  ["a name with spaces", { name: "first bank" }, "name"],
  ["a fileId that is too long", { fileId: "PAYROLL" }, "fileId"],
  ["a fileId in small letters", { fileId: "pay" }, "fileId"],
  ["a test flag that is a text", { test: "true" }, "test"],
  ["an unknown word for repeats", { repeats: "ignored" }, "repeats"],
  ["a return window of half a day", { returnWindowDays: 0.5 }, "returnWindowDays"],
  ["a place that is a text", { out: "file:///tmp/out" }, "out"],
])("%s is an error that names it", (_case, change, named) => {
  expect(() => read({ ...RIGHT, ...change })).toThrow(new RegExp(`^ACH_FILES: .*${named}`));
});

test("a rail that only answers settle takes no settledAfterDays", () => {
  expect(() => read({ ...RIGHT, settledAfterDays: 1 }, null)).toThrow("settledAfterDays");
  expect(read(RIGHT, null)).toMatchObject({ settledAfterDays: null });
});

test("a rail that only answers settle allows a charge on what comes back, and ACH none", () => {
  expect(read(RIGHT, null)).toMatchObject({ returnChargeAtMostMinor: 5_000 });
  const charge = (returnChargeAtMost: unknown) => read({ ...RIGHT, returnChargeAtMost }, null);
  expect(charge("0.00")).toMatchObject({ returnChargeAtMostMinor: 0 });
  expect(charge("12.34")).toMatchObject({ returnChargeAtMostMinor: 1_234 });
  for (const wrong of [50, "50", "50.5", "1000.00", "-1.00", "1,00", ""]) {
    expect(() => charge(wrong)).toThrow("returnChargeAtMost");
  }
  expect(() => read({ ...RIGHT, returnChargeAtMost: "0.00" }, 3)).toThrow("returnChargeAtMost");
});

test("all problems are in one error", () => {
  expect(() => read({ ...RIGHT, name: 7, fileId: "" })).toThrow(/name.*fileId/);
});

test.each([
  ["no variable", () => delete process.env.ACH_FILES, "ACH_FILES must name"],
  ["no file", () => rmSync(path, { force: true }), "ACH_FILES: "],
  ["no JSON", () => writeFileSync(path, "{"), "is no readable JSON"],
])("%s is a clear error", (_case, arrange, message) => {
  arrange();
  expect(() => readSettings("ACH_FILES", 3)).toThrow(message);
});

test("the keys come from a variable or a file, and must be there", () => {
  expect(readKeys).toThrow("BANK_FILES_KEYS, or BANK_FILES_KEYS_FILE");
  writeFileSync(join(folder, "keys"), "file:key\n");
  process.env.BANK_FILES_KEYS_FILE = join(folder, "keys");
  expect(readKeys()).toBe("file:key");
  process.env.BANK_FILES_KEYS = "variable:key";
  expect(readKeys()).toBe("variable:key");
});
