// pain.002, the bank's word about a file: the status of the whole and of each payment, the reasons,
// and reports that are not whole or contradict themselves.

import { Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { type Report, statusReport } from "../../support/bank/iso20022.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const payments = [usPayment(), internationalPayment(), usPayment({ amountMinor: 99 })];
const [first, second, third] = payments.map(({ id }) => id) as [string, string, string];
const file = format.write(batchOf(payments));
const answerTo = (report: Report) => format.readAnswer(statusReport(file, report));
const about = { batch: "P-20261126-000001", stated: { payments: 3, amountMinor: 123_605 } };
const money = { amountMinor: 123_456, currency: "USD" };

test.each([
  ...["RCVD", "ACTC", "ACCP", "ACSP", "ACWC", "PDNG", "ACFC", "PATC"].map((each) => [
    each,
    "accepted",
  ]),
  ["ACSC", "settled"],
  ["ACCC", "settled"],
])("%s of the file is %s for the whole", (status, state) => {
  expect(answerTo({ group: { status } })).toEqual({ ...about, whole: { state }, told: [] });
  expect(answerTo({ block: { status } })).toEqual({ ...about, whole: { state }, told: [] });
});

test.each(["10", "03"] as const)("version %s says what each payment's status is", (version) => {
  const told = answerTo({
    version,
    group: { status: "PART" },
    payments: [
      { payment: first, status: "ACSP" },
      { payment: second, status: "RJCT", reason: "AC04" },
      { payment: third, status: "ACCC" },
    ],
  });
  expect(told).toEqual({
    ...about,
    told: [
      { payment: first, ...money, state: "accepted" },
      {
        payment: second,
        amountMinor: 50,
        currency: "USD",
        state: "rejected",
        code: "account_not_found",
      },
      { payment: third, amountMinor: 99, currency: "USD", state: "settled" },
    ],
  });
});

test("a rejected file rejects all its payments, with each one's own reason", () => {
  const told = answerTo({
    group: { status: "RJCT", reason: "NARR" },
    payments: [{ payment: first, status: "RJCT", reason: "RR04" }],
  });
  expect(told.whole).toEqual({ state: "rejected", code: "NARR" });
  expect(told.told).toEqual([{ payment: first, ...money, state: "rejected", code: "compliance" }]);
});

test("an accepted file whose payment is rejected rejects this payment alone", () => {
  const told = answerTo({
    group: { status: "ACCP" },
    payments: [{ payment: first, status: "RJCT", reason: "AG01" }],
  });
  expect(told.whole).toEqual({ state: "accepted" });
  expect(told.told).toEqual([{ payment: first, ...money, state: "rejected", code: "AG01" }]);
});

test("a payment without a status of its own has the status of the block", () => {
  const told = answerTo({
    group: { status: "ACTC" },
    block: { status: "ACSC" },
    payments: [{ payment: first }],
  });
  expect(told.whole).toEqual({ state: "settled" });
  expect(told.told).toEqual([{ payment: first, ...money, state: "settled" }]);
});

test.each(["AM05", "DU01", "DU02", "DUPL"])(
  "a file rejected for %s is a duplicate and decides nothing",
  (reason) => {
    const payment = { payment: first, status: "RJCT", reason: "DU03" };
    for (const level of ["group", "block"]) {
      const report = { [level]: { status: "RJCT", reason }, payments: [payment] };
      expect(answerTo(report)).toEqual({ ...about, whole: { state: "duplicate" }, told: [] });
    }
  },
);

const addTo = (reason: string, more: string) => {
  const report = statusReport(file, { group: { status: "RJCT", reason } }).toString();
  return Buffer.from(report.replace("</StsRsnInf>", more));
};
test.each([
  ["a later reason", "</StsRsnInf><StsRsnInf><Rsn><Cd>AM05</Cd></Rsn></StsRsnInf>"],
  ["words of the bank", "<AddtlInf>File is a DUPLICATE of 17</AddtlInf></StsRsnInf>"],
])("a rejected file is a duplicate because of %s", (_, more) => {
  expect(format.readAnswer(addTo("NARR", more))).toEqual({
    ...about,
    whole: { state: "duplicate" },
    told: [],
  });
});

test("a single payment rejected as a duplicate has payrail's code for duplicates", () => {
  const payment = { payment: first, status: "RJCT", reason: "DU04" };
  const { told } = answerTo({ group: { status: "PART" }, payments: [payment] });
  expect(told).toEqual([{ payment: first, ...money, state: "rejected", code: "duplicate" }]);
});

test.each([
  ["AC01", "account_not_found"],
  ["AC03", "account_not_found"],
  ["BE06", "account_not_found"],
  ["AM07", "compliance"],
  ["RR01", "compliance"],
  ["DS02", "cancelled_by_bank"],
  ["AC06", "AC06"],
  [undefined, "NARR"],
  ["account 000123456789 closed", "NARR"],
])("the reason %s is the code %s", (reason, code) => {
  expect(answerTo({ group: { status: "RJCT", reason } }).whole).toEqual({
    state: "rejected",
    code,
  });
});

test("a cancelled file is rejected as cancelled by the bank", () => {
  const { whole } = answerTo({ group: { status: "CANC" } });
  expect(whole).toEqual({ state: "rejected", code: "cancelled_by_bank" });
});

test("a payment told twice in the same words is told once, and capitals in its id do not matter", () => {
  const report = statusReport(file, {
    payments: [
      { payment: first, status: "ACSP" },
      { payment: first, status: "ACSP" },
    ],
  });
  const short = format.shortId(first);
  const text = report.toString().replace(short, short.toUpperCase());
  const { told } = format.readAnswer(Buffer.from(text));
  expect(told).toEqual([{ payment: first, ...money, state: "accepted" }]);
});

const rejected = { payment: first, status: "RJCT", reason: "AC04" };
test.each<[string, Report]>([
  ["without any status", {}],
  ["with a part, but without payments", { group: { status: "PART" } }],
  ["with an unknown status", { group: { status: "XXXX" } }],
  ["with a status that is an object's property", { group: { status: "toString" } }],
  ["with two statuses of a payment", { payments: [rejected, { payment: first, status: "ACSP" }] }],
  ["with two reasons of a payment", { payments: [rejected, { ...rejected, reason: "AC06" }] }],
  [
    "that rejects the file and accepts a payment",
    { group: { status: "RJCT" }, payments: [{ payment: first, status: "ACSP" }] },
  ],
  [
    "that rejects the file and settles its block",
    { group: { status: "RJCT" }, block: { status: "ACSC" } },
  ],
  [
    "that settles the file and rejects a payment",
    { group: { status: "ACSC" }, payments: [rejected] },
  ],
  [
    "of a duplicate whose payment is settled",
    { group: { status: "RJCT", reason: "DU01" }, payments: [{ payment: first, status: "ACSC" }] },
  ],
  [
    "with a payment that has no status",
    { payments: [{ payment: first }], group: { status: "PART" } },
  ],
])("a report %s is unreadable", (_, report) => {
  expect(() => answerTo(report)).toThrow(Unreadable);
});

const whole = statusReport(file, {
  group: { status: "PART" },
  payments: [rejected, { payment: second, status: "ACSP" }],
});
test("a report cut off anywhere is unreadable", () => {
  format.readAnswer(whole);
  for (let length = 0; length < whole.length - 1; length += 5) {
    expect(() => format.readAnswer(whole.subarray(0, length))).toThrow(Unreadable);
  }
});

const counted = "<GrpSts>PART</GrpSts><NbOfTxsPerSts><DtldNbOfTxs>1</DtldNbOfTxs>";
test("numbers of payments for each status must be those of the listed payments", () => {
  const withCount = (count: string, status: string) => {
    const lines = `${counted.replace("1", count)}<DtldSts>${status}</DtldSts></NbOfTxsPerSts>`;
    return Buffer.from(whole.toString().replace("<GrpSts>PART</GrpSts>", lines));
  };
  expect(format.readAnswer(withCount("1", "RJCT")).told).toHaveLength(2);
  expect(format.readAnswer(withCount("7", "PDNG")).told).toHaveLength(2);
  expect(() => format.readAnswer(withCount("2", "RJCT"))).toThrow("DtldNbOfTxs");
});

test.each([
  ["of another message", "pain.002.001.10", "pain.014.001.07"],
  ["of another version", "pain.002.001.10", "pain.002.001.99"],
  ["of no ISO message", "urn:iso:std:iso:20022:tech:xsd:", ""],
  ["about direct debits", "pain.001.001.09", "pain.008.001.08"],
  ["with a block of another file", /<OrgnlPmtInfId>P-/, "<OrgnlPmtInfId>Q-"],
  ["with a payment of another sender", /<OrgnlEndToEndId>[^<]*/, "<OrgnlEndToEndId>INVOICE-1"],
  ["with a payment without ids", /<OrgnlInstrId>.*<\/OrgnlEndToEndId>/, ""],
  ["with two ids of a payment", /<OrgnlInstrId>[0-9a-f]{4}/, "<OrgnlInstrId>ffff"],
  ["with a payment of another currency", 'Ccy="USD"', 'Ccy="JPY"'],
  ["with a wrong amount", ">1234.56<", ">1234,56<"],
  ["with a wrong count", "<OrgnlNbOfTxs>3<", "<OrgnlNbOfTxs>three<"],
  ["with fewer payments than it tells", "<OrgnlNbOfTxs>3<", "<OrgnlNbOfTxs>1<"],
  ["with a wrong sum", /<OrgnlCtrlSum>/, "<OrgnlCtrlSum>-"],
  ["without the file's id", /<OrgnlMsgId>.*<\/OrgnlMsgId>/, ""],
  ["with two statuses of the file", "<GrpSts>PART", "<GrpSts>RJCT</GrpSts><GrpSts>PART"],
  ["with a document type", "<Document", "<!DOCTYPE Document><Document"],
  ["with an entity", "<MsgId>", "<MsgId>&name;"],
])("a report %s is unreadable", (_, from, to) => {
  const text = whole.toString().replace(from, to);
  expect(text).not.toBe(whole.toString());
  expect(() => format.readAnswer(Buffer.from(text))).toThrow(Unreadable);
});

test("levels that state different counts are unreadable", () => {
  const other = "<OrgnlNbOfTxs>2</OrgnlNbOfTxs><TxInfAndSts>";
  const text = whole.toString().replace("<TxInfAndSts>", other);
  expect(() => format.readAnswer(Buffer.from(text))).toThrow("OrgnlNbOfTxs is wrong");
});

test("a file of our own is no answer", () => {
  expect(() => format.readAnswer(file)).toThrow("no answer of a bank");
});
