// Files of our own are read back from their bytes. A damaged one is unreadable, and never read in
// part.

import { Unreadable } from "../../../../partners/bank-files/format.ts";
import { nachaFormat } from "../../../../partners/bank-files/nacha/format.ts";
import { returnFile } from "../../../support/bank/nacha.ts";
import { cutFiles, places, readableDamages, tryRead } from "./damage.ts";
import { AGREEMENT, idOf, sampleBatch, samplePayment } from "./samples.ts";

const format = nachaFormat(AGREEMENT);
const payments = [1, 2, 3].map((n) => samplePayment({ id: idOf(n), amountMinor: 10 ** n }));
const batch = sampleBatch(payments.slice(0, 2));
const file = format.write(batch);
const said = {
  id: batch.id,
  currency: "USD",
  amountMinor: 110,
  payments: [
    { id: idOf(1), amountMinor: 10 },
    { id: idOf(2), amountMinor: 100 },
  ],
};

const withLines = (change: (lines: string[]) => string[]) =>
  Buffer.from(change(file.toString("latin1").split("\n")).join("\n"), "latin1");

test("a file says its batch, its sum and its payments", () => {
  expect(format.read(file)).toEqual(said);
});

test("a file is read with either line end, and by another agreement", () => {
  const later = { ...AGREEMENT, companyName: "OTHER", lineEnd: "CRLF" };
  expect(format.read(nachaFormat(later).write(batch))).toEqual(said);
  expect(format.read(file.subarray(0, -1))).toEqual(said);
});

test("an id of twenty characters comes back whole", () => {
  const id = "P-20261126-000000001";
  expect(format.read(format.write(sampleBatch(payments, { id }))).id).toBe(id);
});

test("a changed byte is noticed everywhere except in texts and accounts", () => {
  const unprotected = new Set([
    // The sides, dates, sizes and names of the file, and the names of the company.
    ...places("1", 2, 94),
    ...places("5", 5, 20),
    ...places("5", 54, 79),
    // The account and its holder; checking and savings differ by one digit.
    ...places("6", 2, 2),
    ...places("6", 13, 29),
    ...places("6", 55, 78),
    // The reference, and reserved positions.
    ...places("7", 48, 57),
    ...places("8", 55, 79),
    ...places("9", 56, 94),
    // The end of the file.
    "filler:95",
  ]);
  const ids = places("5", 21, 40);
  const damages = readableDamages(file, format.read);
  expect(damages.length).toBeGreaterThan(100);
  for (const { place, result } of damages) {
    const isId = ids.includes(place);
    expect([place, isId || unprotected.has(place)]).toEqual([place, true]);
    expect({ ...result, id: isId ? said.id : result.id }).toEqual(said);
  }
});

test("a file that was cut, or that misses a record, is unreadable", () => {
  for (const cut of cutFiles(file)) expect(tryRead(format.read, cut)).toBeNull();
});

test.each<[string, (lines: string[]) => string[]]>([
  ["an entry twice", (lines) => lines.toSpliced(2, 0, ...lines.slice(2, 4))],
  [
    "its entries in another order",
    ([a = "", b = "", ...rest]) => [
      ...[a, b, ...rest.slice(2, 4), ...rest.slice(0, 2)],
      ...rest.slice(4),
    ],
  ],
  [
    "the addenda of two entries exchanged",
    (lines) => [
      ...lines.slice(0, 3),
      ...[lines[5], lines[4], lines[3]].map((line) => line ?? ""),
      ...lines.slice(6),
    ],
  ],
  ["a record after its control", (lines) => lines.toSpliced(8, 1, lines[1] ?? "")],
  [
    "a block of fillers that it counts, and does not need",
    (lines) => [
      ...lines.slice(0, -1).map((line) => line.replace(/^9000001000001/, "9000001000002")),
      ...Array<string>(10).fill("9".repeat(94)),
      "",
    ],
  ],
])("a file that has %s is unreadable", (_, change) => {
  expect(() => format.read(withLines(change))).toThrow(Unreadable);
});

test("a file with another sum in both controls is unreadable", () => {
  const changed = withLines((lines) =>
    lines.map((line) => line.replace(/0000000110(?=\d|\s)/, "0000000210")),
  );
  expect(changed.equals(file)).toBe(false);
  expect(() => format.read(changed)).toThrow("the sum of credits in the batch control record 7");
});

test.each([
  ["an empty file", Buffer.alloc(0)],
  ["fillers alone", Buffer.from(`${"9".repeat(94)}\n`.repeat(10))],
  ["another text", Buffer.from("<Document/>")],
  ["an answer", returnFile(file, [{ payment: format.shortId(idOf(1)), code: "R03" }])],
])("%s is unreadable", (_, bytes) => {
  expect(() => format.read(bytes)).toThrow(Unreadable);
});

test("the short id depends on the whole id alone", () => {
  expect(format.shortId(idOf(1))).toBe(nachaFormat({ ...AGREEMENT }).shortId(idOf(1)));
  const ids = new Set(Array.from({ length: 20_000 }, (_, n) => format.shortId(idOf(n))));
  expect(ids.size).toBe(20_000);
  for (const id of ids) expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{15}$/);
});
