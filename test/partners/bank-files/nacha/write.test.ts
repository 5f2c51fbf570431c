// Files of the NACHA format: the position of every field, the limits, the characters, and the same
// bytes for the same batch.

import type { Batch, FilePayment } from "../../../../partners/bank-files/format.ts";
import { nachaFormat } from "../../../../partners/bank-files/nacha/format.ts";
import { AGREEMENT, idOf, sampleBatch, samplePayment } from "./samples.ts";

const format = nachaFormat(AGREEMENT);

const saver = samplePayment({
  id: idOf(2),
  amountMinor: 9_999_999_999,
  reference: "",
  account: {
    name: "Bob",
    accountNumber: "12345678901234567",
    routingNumber: "121042882",
    accountType: "SAVINGS",
  },
});

function linesOf(batch: Batch, agreement: object = AGREEMENT): string[] {
  return nachaFormat(agreement).write(batch).toString("latin1").split("\n");
}

/** The name and the reference as the file has them. */
function textsOf(name: string, reference: string): string[] {
  const account = { ...samplePayment().account, name };
  const lines = linesOf(sampleBatch([samplePayment({ account, reference })]));
  return [lines[2]?.slice(54, 76), lines[3]?.slice(3 + 43, 83)].map((text) => text?.trim() ?? "");
}

test("every field is at its position", () => {
  expect(linesOf(sampleBatch([samplePayment(), saver]))).toEqual([
    "101 02100002112345678902611261004A094101FIRST BANK             PAYRAIL INC                    ",
    "5220PAYRAIL         P-20261126-000001   1987654321PPDPAYOUT          261127   1021000020000001",
    "622091000019000123456789     0000012345CX098F2MYYSESGYADA LOVELACE            1021000020000001",
    "705REF*ZZ*01932f5e-7c1a-7b3d-8e4f-5a6b7c8d9e0f*INVOICE 17\\                         00010000001",
    "632121042882123456789012345679999999999HEWPTSH5CBXEHWTBOB                     1021000020000002",
    "705REF*ZZ*01932f5e-7c1a-7b3d-8e4f-000000000002\\                                    00010000002",
    "822000000400212042890000000000000100000123441987654321                         021000020000001",
    "9000001000001000000040021204289000000000000010000012344                                       ",
    "9".repeat(94),
    "9".repeat(94),
    "",
  ]);
});

test("all keys of the agreement are in the file", () => {
  const agreement = {
    ...AGREEMENT,
    immediateOrigin: "091000019",
    companyId: "77",
    entryDescription: "WITHDRAWAL",
    timeZone: "Asia/Tokyo",
    lineEnd: "CRLF",
  };
  const [header, batch] = nachaFormat(agreement)
    .write(sampleBatch([samplePayment()]))
    .toString("latin1")
    .split("\r\n");
  expect([header?.slice(13, 33), batch?.slice(40, 63)]).toEqual([
    // Tokyo is nine hours ahead of the batch's 15:04, so its day is the next one.
    " 0910000192611270004",
    "77        PPDWITHDRAWAL",
  ]);
});

test("a file that fills its blocks has no fillers", () => {
  const three = [1, 2, 3].map((n) => samplePayment({ id: idOf(n) }));
  const four = [...three, samplePayment({ id: idOf(4) })];
  expect(linesOf(sampleBatch(three)).slice(0, -1)).toHaveLength(10);
  expect(linesOf(sampleBatch(three)).at(-2)).toMatch(/^9000001000001/);
  expect(linesOf(sampleBatch(four)).slice(0, -1)).toHaveLength(20);
  expect(linesOf(sampleBatch(four))[11]).toMatch(/^9000001000002/);
});

test("the entry hash keeps the last ten digits", () => {
  const account = { ...samplePayment().account, routingNumber: "323371076" };
  const payments = Array.from({ length: 400 }, (_, n) => samplePayment({ id: idOf(n), account }));
  const control = linesOf(sampleBatch(payments)).find((line) => line.startsWith("8"));
  // 400 times 32337107 is 12934842800.
  expect(control?.slice(10, 20)).toBe("2934842800");
});

test("36 consecutive batches have different modifiers", () => {
  const modifiers = Array.from({ length: 37 }, (_, i) => {
    return linesOf(sampleBatch([samplePayment()], { number: i + 1 }))[0]?.charAt(33);
  });
  expect(modifiers.join("")).toBe("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789A");
});

test("traces ascend within a file, and begin anew only between files", () => {
  const payments = [1, 2].map((n) => samplePayment({ id: idOf(n) }));
  const traces = (paymentsBefore: number) =>
    linesOf(sampleBatch(payments, { paymentsBefore }))
      .filter((line) => line.startsWith("6"))
      .map((line) => line.slice(87));
  expect(traces(41)).toEqual(["0000042", "0000043"]);
  expect(traces(9_499_999)).toEqual(["9500000", "9500001"]);
  expect(traces(9_500_001)).toEqual(["0000002", "0000003"]);
});

test("the same batch gives the same bytes", () => {
  const batch = sampleBatch([samplePayment(), saver]);
  const other = nachaFormat({ ...AGREEMENT }).write(structuredClone(batch));
  expect(format.write(batch).equals(other)).toBe(true);
});

test.each([
  ["José Weiß-Łukasz", "JOSE WEISS-LUKASZ"],
  ["Zoe\u0308 Ångström", "ZOE ANGSTROM"],
  ["Søren Œuvre Þór", "SOREN OEUVRE THOR"],
  ["Анна Каренина", "ANNA KARENINA"],
  ["O’Brien \u202e\n(Jr.) <x>*y~z\\", "O'BRIEN (JR.) X Y Z"],
  ["A name of more than twenty-two letters", "A NAME OF MORE THAN TW"],
])("the name %j is written as %j", (name, written) => {
  expect(textsOf(name, "")).toEqual([written, "\\"]);
});

test("a reference is written as far as it fits, and cannot end its segment", () => {
  expect(textsOf("Bob", "Für*A\\B~C")).toEqual(["BOB", "*FUR A B C\\"]);
  expect(textsOf("Bob", "x".repeat(99))).toEqual(["BOB", `*${"X".repeat(35)}\\`]);
});

test.each<[string, Partial<FilePayment>, Record<string, string>]>([
  ["currency_not_supported", { currency: "CAD" }, {}],
  ["destination_not_supported", { optionType: "card" }, {}],
  ["amount_out_of_range", { amountMinor: 0 }, {}],
  ["amount_out_of_range", { amountMinor: 1.5 }, {}],
  ["amount_out_of_range", { amountMinor: 10_000_000_000 }, {}],
  ["routing_number_invalid", {}, { routingNumber: "091000018" }],
  ["routing_number_invalid", {}, { routingNumber: "000000000" }],
  ["account_number_invalid", {}, { accountNumber: "123" }],
  ["account_number_invalid", {}, { accountNumber: "123456789012345678" }],
  ["account_type_invalid", {}, { accountType: "checking" }],
  ["name_invalid", {}, { firstName: "…", lastName: "" }],
])("a payment with the fault %s is not written", (fault, changes, account) => {
  const sample = samplePayment();
  const payment = { ...sample, ...changes, account: { ...sample.account, ...account } };
  expect(format.findFault(payment)).toBe(fault);
  expect(() => format.write(sampleBatch([payment]))).toThrow(fault);
});

test("a destination without any data is a fault, and no error", () => {
  expect(format.findFault(samplePayment({ account: {} }))).toBe("routing_number_invalid");
});

test.each<[string, () => Batch]>([
  ["1 to 20 capitals", () => sampleBatch([samplePayment()], { id: "P-20261126-0000000001" })],
  ["1 to 20 capitals", () => sampleBatch([samplePayment()], { id: "p-1" })],
  ["1 to 499999", () => sampleBatch([])],
  ["1 to 499999", () => sampleBatch(Array(500_000).fill(samplePayment()))],
  ["count from 1", () => sampleBatch([samplePayment()], { number: 0 })],
  ["earlier payments", () => sampleBatch([samplePayment()], { paymentsBefore: -1 })],
  ["YYYY-MM-DD", () => sampleBatch([samplePayment()], { settlesOn: "27.11.2026" })],
  ["creationDate", () => sampleBatch([samplePayment()], { closedAt: Number.NaN })],
  ["a UUID", () => sampleBatch([samplePayment({ id: "payout-1" })])],
  ["same id", () => sampleBatch([samplePayment(), samplePayment({ amountMinor: 1 })])],
])("a batch that does not fit (%s) is an error", (words, batch) => {
  expect(() => format.write(batch())).toThrow(words);
});

test("a total of more than twelve digits is an error, and one cent less is written", () => {
  const payments = Array.from({ length: 101 }, (_, n) =>
    samplePayment({ id: idOf(n), amountMinor: n < 100 ? 9_999_999_999 : 99 }),
  );
  const written = format.write(sampleBatch(payments));
  expect(format.read(written).amountMinor).toBe(999_999_999_999);
  const more = payments.map((payment) => ({ ...payment }));
  (more[100] as FilePayment).amountMinor = 101;
  expect(() => format.write(sampleBatch(more))).toThrow("12 digits");
});

test.each<[string, unknown]>([
  ["is not an object", null],
  ["is not an object", []],
  ["has no key company", { ...AGREEMENT, company: "PAYRAIL" }],
  ["misses companyId", { ...AGREEMENT, companyId: undefined }],
  ["immediateDestination is not", { ...AGREEMENT, immediateDestination: "021000022" }],
  ["immediateOrigin is not", { ...AGREEMENT, immediateOrigin: "123" }],
  ["destinationName is not", { ...AGREEMENT, destinationName: "Zürich Bank" }],
  ["originName is not", { ...AGREEMENT, originName: 7 }],
  ["companyName is not", { ...AGREEMENT, companyName: "   " }],
  ["companyName is not", { ...AGREEMENT, companyName: "A NAME OF 17 CHAR" }],
  ["companyId is not", { ...AGREEMENT, companyId: "0000000000" }],
  ["odfi is not", { ...AGREEMENT, odfi: "021000021" }],
  ["entryDescription is not", { ...AGREEMENT, entryDescription: "" }],
  ["timeZone is not", { ...AGREEMENT, timeZone: "America/Gotham" }],
  ["lineEnd is not", { ...AGREEMENT, lineEnd: "\n" }],
])("an agreement whose originator %s is an error", (words, agreement) => {
  expect(() => nachaFormat(agreement)).toThrow(words);
});
