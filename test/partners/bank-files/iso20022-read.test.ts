// A file of our own read back: whole and unchanged, or not at all.

import { Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const payments = [usPayment(), internationalPayment(), usPayment({ amountMinor: 99 })];
const file = format.write(batchOf(payments));
const changed = (from: string | RegExp, to: string) => {
  const text = file.toString().replace(from, to);
  expect(text).not.toBe(file.toString());
  return Buffer.from(text);
};

test("a file is read back with its payments and its sum", () => {
  expect(format.read(file)).toEqual({
    id: "P-20261126-000001",
    currency: "USD",
    amountMinor: 123_456 + 50 + 99,
    payments: payments.map(({ id, amountMinor }) => ({ id, amountMinor })),
  });
});

test("a file cut off anywhere is unreadable", () => {
  for (let length = 0; length < file.length - 1; length += 7) {
    expect(() => format.read(file.subarray(0, length))).toThrow(Unreadable);
  }
});

test("a file with any digit of a sum, a count or an amount changed is unreadable", () => {
  const text = file.toString();
  const numbers = text.matchAll(/<(?:NbOfTxs|CtrlSum|InstdAmt Ccy="USD")>([\d.]+)</g);
  let tried = 0;
  for (const { index, 0: element } of numbers) {
    for (let at = index; at < index + element.length; at++) {
      if (!/\d/.test(text[at] as string)) continue;
      const digit = (Number(text[at]) + 1) % 10;
      const other = Buffer.from(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      expect(() => format.read(other)).toThrow(Unreadable);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(20);
});

test.each([
  ["another MsgId", "<MsgId>P-", "<MsgId>Q-"],
  ["a payment left out", /<CdtTrfTxInf>[\s\S]*?<\/CdtTrfTxInf>/, ""],
  ["a payment's currency changed", 'Ccy="USD"', 'Ccy="EUR"'],
  ["a currency that payrail does not have", /Ccy="USD"/g, 'Ccy="JPY"'],
  ["a payment's id changed", /<EndToEndId>[0-9a-f]{4}/, "<EndToEndId>ffff"],
  ["another version", "pain.001.001.09", "pain.001.001.03"],
  ["another root", /Document/g, "Dokument"],
  ["another namespace", "<GrpHdr>", '<GrpHdr xmlns="urn:other">'],
  ["a second header", "<PmtInf>", "<GrpHdr></GrpHdr><PmtInf>"],
  ["a second sum", "<InitgPty>", "<CtrlSum>1.00</CtrlSum><InitgPty>"],
  ["a sum with parts of a cent", /<CtrlSum>([\d.]+)</g, "<CtrlSum>$11<"],
  ["a negative amount", ">1234.56<", ">-1234.56<"],
  ["an amount with an exponent", ">1234.56<", ">1.23456E3<"],
])("a file with %s is unreadable", (_, from, to) => {
  expect(() => format.read(changed(from, to))).toThrow(Unreadable);
});

test("a payment twice is unreadable, even if counts and sums are right", () => {
  const twice = file
    .toString()
    .replace(/<CdtTrfTxInf>[\s\S]*?<\/CdtTrfTxInf>/, "$&$&")
    .replaceAll("<NbOfTxs>3<", "<NbOfTxs>4<")
    .replaceAll("<CtrlSum>1236.05<", "<CtrlSum>2470.61<");
  expect(() => format.read(Buffer.from(twice))).toThrow("a payment twice");
});

test.each([
  ["a document type", "<!DOCTYPE Document><Document/>"],
  ["an external entity", '<!DOCTYPE D [<!ENTITY x SYSTEM "file:///etc/hostname">]><D>&x;</D>'],
  ["an undeclared entity", "<Document>&other;</Document>"],
  ["another encoding", '<?xml version="1.0" encoding="ISO-8859-2"?><Document/>'],
  ["a text between elements", "<Document>text<a/></Document>"],
  ["two roots", "<Document/><Document/>"],
  ["nothing", ""],
])("a file with %s is unreadable", (_, text) => {
  expect(() => format.read(Buffer.from(text))).toThrow(Unreadable);
});

test("entities that expand a billion times are not expanded", () => {
  const entities = Array.from({ length: 10 }, (_, i) =>
    i === 0 ? '<!ENTITY e0 "lol">' : `<!ENTITY e${i} "${`&e${i - 1};`.repeat(10)}">`,
  );
  const text = `<!DOCTYPE D [${entities.join("")}]><D>&e9;</D>`;
  expect(() => format.read(Buffer.from(text))).toThrow("document type");
});

test("a deep and a badly encoded file are unreadable", () => {
  const deep = Buffer.from("<a>".repeat(1_000_000));
  const latin = Buffer.from("<Document>\xe9</Document>", "latin1");
  expect(() => format.read(deep)).toThrow("too large");
  expect(() => format.read(latin)).toThrow("not in UTF-8");
});

test("the message of an unreadable file has no number of an account", () => {
  const broken = changed("<Id>000123456789</Id>", "<Id>000123456789</000123456789>");
  expect(() => format.read(broken)).toThrow(/^(?!.*000123456789).*not well-formed/s);
});
