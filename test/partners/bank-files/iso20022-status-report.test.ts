// pain.002, the bank's word about a file: the status of the whole and of each payment, the reasons
// that count and those that do not, and reports that are not whole or contradict themselves.

import { type AnswerFile, type Part, Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { type Report, statusReport } from "../../support/bank/iso20022.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";

const format = iso20022Format(ORIGINATOR);
const payments = [usPayment(), internationalPayment(), usPayment({ amountMinor: 99 })];
const [first, second, third] = payments.map(({ id }) => id) as [string, string, string];
const BATCH = "P-20261126-000001";
const file = format.write(batchOf(payments));
const money = { amountMinor: 123_456, currency: "USD" };
const stated = { payments: 3, amountMinor: 123_605 };

const read = (report: Buffer | string) => onlyPart(readAnswer(format, Buffer.from(report)));
const answerTo = (report: Report) => read(statusReport(file, report));

function onlyPart({ parts, passedOver }: AnswerFile): Part {
  const [part, ...others] = parts;
  expect([others, passedOver]).toEqual([[], 0]);
  return part as Part;
}

test.each([
  ...["RCVD", "ACTC", "ACCP", "ACSP", "ACWC", "PDNG", "ACFC", "PATC", "PRES", "ACIS"].map(
    (each) => [each, "accepted"],
  ),
  ["ACSC", "settled"],
  ["ACCC", "settled"],
  ["acsc", "settled"],
])("%s of the file is %s for the whole", (status, state) => {
  const whole = { batch: BATCH, stated, whole: { state }, told: [] };
  expect(answerTo({ group: { status } })).toEqual({ where: expect.any(String), ...whole });
  expect(answerTo({ block: { status } })).toEqual({ where: expect.any(String), ...whole });
});

test.each(["10", "03"] as const)("version %s says what each payment's status is", (version) => {
  const { told, whole, fault } = answerTo({
    version,
    group: { status: "PART" },
    payments: [
      { payment: first, status: "ACSP" },
      { payment: second, status: "RJCT", reason: "AC04" },
      { payment: third, status: "ACCC" },
    ],
  });
  const rejected = { state: "rejected", code: "account_closed" };
  expect([whole, fault]).toEqual([undefined, undefined]);
  expect(told).toEqual([
    { payment: first, ...money, state: "accepted" },
    { payment: second, amountMinor: 50, currency: "USD", ...rejected },
    { payment: third, amountMinor: 99, currency: "USD", state: "settled" },
  ]);
});

test("an accepted file whose payment is rejected rejects this payment alone", () => {
  const { whole, told } = answerTo({
    group: { status: "ACCP" },
    payments: [{ payment: first, status: "RJCT", reason: "AG01" }],
  });
  expect(whole).toEqual({ state: "accepted" });
  expect(told).toEqual([{ payment: first, ...money, state: "rejected", code: "AG01" }]);
});

test("a payment without a status of its own has the status of the block", () => {
  const { whole, told } = answerTo({
    group: { status: "ACTC" },
    block: { status: "ACSC" },
    payments: [{ payment: first }],
  });
  expect(whole).toEqual({ state: "settled" });
  expect(told).toEqual([{ payment: first, ...money, state: "settled" }]);
});

/** The refusal at each level at which a bank can give it, as the part's word about a payment. */
const LEVELS: [string, (status: string, reason: string) => unknown][] = [
  ["the file", (status, reason) => read(withReason({ group: { status } }, reason)).whole],
  ["the block", (status, reason) => read(withReason({ block: { status } }, reason)).whole],
  [
    "a payment",
    (status, reason) => {
      const report = { group: { status: "PART" }, payments: [{ payment: first, status }] };
      const [{ state, code, problem } = { state: null }] = read(withReason(report, reason)).told;
      return { state, ...(code && { code }), ...(problem && { problem }) };
    },
  ],
];

/** The report with more XML after its only refusal. */
function withReason(report: Report, reason: string): string {
  return statusReport(file, report)
    .toString()
    .replace(/(<(GrpSts|PmtInfSts|TxSts)>(?:RJCT|CANC)<\/\2>)/, `$1${reason}`);
}

const info = (inside: string) => `<StsRsnInf>${inside}</StsRsnInf>`;
const code = (cd: string, words = "") =>
  info(`<Rsn><Cd>${cd}</Cd></Rsn>${words && `<AddtlInf>${words}</AddtlInf>`}`);
const own = (text: string) => info(`<Rsn><Prtry>${text}</Prtry></Rsn>`);

const DUPLICATE_WORDS = [
  ...["Duplicate file", "Instruction already exist", "Doublon : fichier deja recu"],
  ...["Dubbele aanlevering", "Datei bereits verarbeitet", "già elaborato", "repetido", "Dubblett"],
  ...["previously received", "used before", "Repeated", "same Message ID exists", "二重"],
];

describe.each(LEVELS)("a refusal of %s", (_, verdict) => {
  test.each([
    ...["AM05", "ALAC", "DU01", "DU02", "DU03", "DU04", "DU05", "DUPL", "RF01"].map((each) =>
      code(each),
    ),
    code("DT06"),
    ...["AM05", "DU01", "DUPL", "DUPLICATE", "DUPL_MSG_ID", "dubbel", "E-4711"].map(own),
    ...DUPLICATE_WORDS.map((words) => code("NARR", words)),
    ...DUPLICATE_WORDS.map((words) => info(`<AddtlInf>${words}</AddtlInf>`)),
    ...["MS03", "MS02", "NARR", "XY99", "G000", "TOOLONG"].map((each) => code(each)),
    info("<Orgtr><Nm>The bank</Nm></Orgtr>"),
    "",
    // Two reasons, of which one is a duplicate.
    code("AC04") + code("AM05"),
    code("AC04") + own("DU01"),
    code("NARR") + own("FF01"),
  ])("that gives %j decides nothing, and is a problem", (reason) => {
    expect(verdict("RJCT", reason)).toEqual({
      state: "unclear",
      problem: expect.stringMatching(/^The bank refuses it /),
    });
  });

  test.each([
    [code("AC04"), "account_closed"],
    [code("AC01", "check digit duplicated"), "account_not_found"],
    [code("AC04", "Account already closed"), "account_closed"],
    [code("FF01", "element MsgId already declared"), "FF01"],
    [code("AC06", "not a duplicate"), "AC06"],
    [code("AM07"), "compliance"],
    [code("DS02"), "cancelled_by_bank"],
    [code("NARR", "see below") + code("AC04"), "account_closed"],
    [own("B0012") + code("AC03"), "account_not_found"],
    [code("FF13"), "FF13"],
  ])("that gives %j is a rejection as %s", (reason, expected) => {
    expect(verdict("RJCT", reason)).toEqual({ state: "rejected", code: expected });
  });

  test.each([
    ["", { state: "rejected", code: "cancelled_by_bank" }],
    [code("CUST"), { state: "rejected", code: "cancelled_by_bank" }],
    [code("AM05"), { state: "unclear", problem: expect.any(String) }],
    [code("NARR", "doublon"), { state: "unclear", problem: expect.any(String) }],
    [own("DUPLICATE"), { state: "unclear", problem: expect.any(String) }],
  ])("as cancelled that gives %j is %j", (reason, expected) => {
    expect(verdict("CANC", reason)).toEqual(expected);
  });
});

test.each(["PEND", "ACCT", "XXXX", "toString", "A status of the bank's own"])(
  "the unknown status %s is a problem of what it is about, and of nothing else",
  (status) => {
    const unclear = { state: "unclear", problem: expect.stringContaining("none of ISO's") };
    expect(answerTo({ group: { status } }).whole).toEqual(unclear);
    const { whole, told, fault } = answerTo({
      group: { status: "ACCP" },
      payments: [
        { payment: first, status },
        { payment: second, status: "ACSC" },
      ],
    });
    expect([whole, fault]).toEqual([{ state: "accepted" }, undefined]);
    expect(told).toMatchObject([unclear, { payment: second, state: "settled" }]);
  },
);

test("a refused file refuses each payment, for its own definite reason or the file's", () => {
  const refused = (group: string, reason?: string) =>
    answerTo({
      group: { status: "RJCT", reason: group },
      payments: [{ payment: first, status: "RJCT", reason }],
    }).told[0];
  expect(refused("NARR", "RR04")).toMatchObject({ state: "rejected", code: "compliance" });
  expect(refused("FF01")).toMatchObject({ state: "rejected", code: "FF01" });
  expect(refused("FF01", "NARR")).toMatchObject({ state: "rejected", code: "FF01" });
  expect(refused("NARR")).toMatchObject({ state: "unclear" });
  expect(refused("DU01", "AC04")).toMatchObject({ state: "unclear" });
  expect(refused("FF01", "DU03")).toMatchObject({ state: "unclear" });
});

test("words of a bank, which can have an account number in them, are not passed on", () => {
  const words = "account 000123456789 closed";
  const text = JSON.stringify(read(withReason({ group: { status: "RJCT" } }, own(words))));
  expect(text).not.toContain("000123456789");
});

test("a payment told twice in the same words is told once, and capitals in its id do not matter", () => {
  const report = statusReport(file, {
    payments: [
      { payment: first, status: "ACSP" },
      { payment: first, status: "ACSP" },
    ],
  });
  const short = format.shortId(first);
  const { told } = read(report.toString().replace(short, short.toUpperCase()));
  expect(told).toEqual([{ payment: first, ...money, state: "accepted" }]);
});

const rejected = { payment: first, status: "RJCT", reason: "AC04" };
const settled = { payment: first, status: "ACSC" };
test.each<[string, Report]>([
  ["has no status", {}],
  ["has a part, but no payments", { group: { status: "PART" } }],
  ["has two statuses of a payment", { payments: [rejected, { payment: first, status: "ACSP" }] }],
  ["has two reasons of a payment", { payments: [rejected, { ...rejected, reason: "AC06" }] }],
  [
    "rejects the file and accepts a payment",
    { group: { status: "RJCT" }, payments: [{ payment: first, status: "ACSP" }] },
  ],
  [
    "rejects the file and settles its block",
    { group: { status: "RJCT" }, block: { status: "ACSC" } },
  ],
  ["settles the file and rejects a payment", { group: { status: "ACSC" }, payments: [rejected] }],
  [
    "refuses a duplicate and settles its payment",
    { group: { status: "RJCT", reason: "DU01" }, payments: [settled] },
  ],
])("a report that %s has a fault", (_, report) => {
  const { fault, told } = answerTo(report);
  expect(fault ?? told[0]?.fault).toEqual(expect.any(String));
});

const whole = statusReport(file, {
  group: { status: "PART" },
  payments: [rejected, { payment: second, status: "ACSP" }],
}).toString();

/** The report with something else in it. */
function changed(from: string | RegExp, to: string): string {
  const text = whole.replace(from, to);
  expect(text).not.toBe(whole);
  return text;
}

test("a report cut off anywhere is unreadable", () => {
  read(whole);
  for (let length = 0; length < whole.length - 1; length += 5) {
    expect(() => readAnswer(format, Buffer.from(whole.slice(0, length)))).toThrow(Unreadable);
  }
});

test.each<[string, [string | RegExp, string]]>([
  ["no name of the original message", [/<OrgnlMsgNmId>.*<\/OrgnlMsgNmId>/, ""]],
  ["that name in capitals", ["pain.001.001.09", "PAIN.001.001.09"]],
  ["no id of the block", [/<OrgnlPmtInfId>.*<\/OrgnlPmtInfId>/, ""]],
  ["a block id that is not provided", [/<OrgnlPmtInfId>.*<\//, "<OrgnlPmtInfId>NOTPROVIDED</"]],
  ["a file id that is not provided", [/<OrgnlMsgId>.*<\//, "<OrgnlMsgId>NOTPROVIDED</"]],
  ["one id of a payment", [/<OrgnlInstrId>.*<\/OrgnlInstrId>/, ""]],
  ["an id of the bank's own", [/<OrgnlInstrId>[^<]*/, "<OrgnlInstrId>BANK-17"]],
  ["no counts", [/<OrgnlNbOfTxs>[\s\S]*<\/OrgnlCtrlSum>/, ""]],
  ["the count of the listed payments", ["<OrgnlNbOfTxs>3<", "<OrgnlNbOfTxs>2<"]],
  [
    "a count of them at the block",
    ["<TxInfAndSts>", "<OrgnlNbOfTxs>2</OrgnlNbOfTxs><TxInfAndSts>"],
  ],
  ["an empty amount", [">1234.56<", "><"]],
  ["an amount in another form", [">1234.56<", ">+01234.560<"]],
])("a report with %s says the same of its payments", (_, [from, to]) => {
  const part = read(changed(from, to));
  expect(part).toMatchObject({ batch: BATCH });
  expect(part.fault).toBeUndefined();
  expect(part.told).toMatchObject([
    { payment: first, state: "rejected" },
    { payment: second, state: "accepted" },
  ]);
  expect(part.told.flatMap(({ fault }) => fault ?? [])).toEqual([]);
});

test.each([
  ["with a block of another file", /<OrgnlPmtInfId>P-/, "<OrgnlPmtInfId>Q-"],
  [
    "with a payment of another sender",
    /<OrgnlInstrId>.*<\/OrgnlEndToEndId>/,
    "<OrgnlEndToEndId>INVOICE-1</OrgnlEndToEndId>",
  ],
  ["with a payment without ids", /<OrgnlInstrId>.*<\/OrgnlEndToEndId>/, ""],
  ["with two ids of a payment", /<OrgnlInstrId>[0-9a-f]{4}/, "<OrgnlInstrId>ffff"],
  ["with a payment of another currency", 'Ccy="USD"', 'Ccy="JPY"'],
  ["with a wrong amount", ">1234.56<", ">1234,56<"],
  ["with a negative amount", ">1234.56<", ">-1234.56<"],
  ["with a wrong count", "<OrgnlNbOfTxs>3<", "<OrgnlNbOfTxs>three<"],
  ["with fewer payments than it tells", "<OrgnlNbOfTxs>3<", "<OrgnlNbOfTxs>1<"],
  ["with a wrong sum", /<OrgnlCtrlSum>/, "<OrgnlCtrlSum>-"],
  ["with two statuses of the file", "<GrpSts>PART", "<GrpSts>RJCT</GrpSts><GrpSts>PART"],
])("a report %s has a fault, and names what it is about", (_, from, to) => {
  const { parts } = readAnswer(format, Buffer.from(changed(from, to)));
  const faults = parts.flatMap(({ fault, told }) => [fault, ...told.map((each) => each.fault)]);
  expect(faults.filter(Boolean)).not.toEqual([]);
  expect(parts.map(({ batch }) => batch)).toContain(BATCH);
});

test.each([
  ["of another message", "pain.002.001.10", "pain.014.001.07", "it is pain.014.001.07"],
  ["of a later version", "pain.002.001.10", "pain.002.001.99", "pain.002.001.99"],
  ["of an earlier version", "pain.002.001.10", "pain.002.001.01", "versions 02 to 15"],
  [
    "without any id",
    /<OrgnlMsgId>[\s\S]*<\/OrgnlPmtInfAndSts>/,
    "</OrgnlGrpInfAndSts>",
    "names no file",
  ],
  ["with a document type", "<Document", "<!DOCTYPE Document><Document", "document type"],
  ["with an entity", "<MsgId>", "<MsgId>&name;", "well-formed"],
])("a report %s is unreadable", (_, from, to, words) => {
  const text = changed(from, to).replaceAll(/CstmrPmtStsRpt/g, (name) => {
    return to === "pain.014.001.07" ? "CdtrPmtActvtnReqStsRpt" : name;
  });
  expect(() => readAnswer(format, Buffer.from(text))).toThrow(Unreadable);
  expect(() => readAnswer(format, Buffer.from(text))).toThrow(words);
});

const listed = "<TxInfAndSts><TxSts>RJCT</TxSts></TxInfAndSts>";
test("a payment without ids beside the same status of the whole says nothing more", () => {
  const report = statusReport(file, { group: { status: "RJCT", reason: "FF01" } }).toString();
  const block = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${BATCH}</OrgnlPmtInfId>${listed}</OrgnlPmtInfAndSts>`;
  const part = read(report.replace("</CstmrPmtStsRpt>", `${block}</CstmrPmtStsRpt>`));
  expect(part).toMatchObject({ whole: { state: "rejected", code: "FF01" }, told: [] });
  expect(part.fault).toBeUndefined();
  const accepted = statusReport(file, { group: { status: "ACCP" } }).toString();
  const other = read(accepted.replace("</CstmrPmtStsRpt>", `${block}</CstmrPmtStsRpt>`));
  expect(other.fault).toContain("without an id");
});

test("several blocks of one file are about their listed payments", () => {
  const block = (payment: string, status: string, reason = "") => `<OrgnlPmtInfAndSts>
    <OrgnlPmtInfId>${BATCH}</OrgnlPmtInfId><OrgnlNbOfTxs>1</OrgnlNbOfTxs>
    <PmtInfSts>${status}</PmtInfSts>${reason}
    <TxInfAndSts><OrgnlEndToEndId>${format.shortId(payment)}</OrgnlEndToEndId></TxInfAndSts>
    </OrgnlPmtInfAndSts>`;
  const blocks = block(first, "RJCT", code("AC04")) + block(second, "ACSC");
  const report = statusReport(file, { group: { status: "PART" } }).toString();
  const part = read(report.replace("</CstmrPmtStsRpt>", `${blocks}</CstmrPmtStsRpt>`));
  expect([part.whole, part.fault]).toEqual([undefined, undefined]);
  expect(part.told).toMatchObject([
    { payment: first, state: "rejected", code: "account_closed" },
    { payment: second, state: "settled" },
  ]);
});

test.each(["ACCP", "ACSC", "RJCT"])(
  "a block of another id under our file is a fault (%s)",
  (group) => {
    const block = `<OrgnlPmtInfAndSts><OrgnlPmtInfId>X-1</OrgnlPmtInfId>
    <PmtInfSts>RJCT</PmtInfSts></OrgnlPmtInfAndSts>`;
    const report = statusReport(file, { group: { status: group, reason: "AC02" } }).toString();
    const { parts } = readAnswer(
      format,
      Buffer.from(report.replace("</CstmrPmtStsRpt>", `${block}</CstmrPmtStsRpt>`)),
    );
    const ours = parts.filter(({ batch }) => batch === BATCH);
    expect(ours).toMatchObject([{ fault: expect.stringContaining("OrgnlPmtInfId") }]);
  },
);

test("a report about several files has a part for each", () => {
  const block = (id: string, status: string) =>
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${id}</OrgnlPmtInfId><PmtInfSts>${status}</PmtInfSts></OrgnlPmtInfAndSts>`;
  const report = statusReport(file, {})
    .toString()
    .replace(/<OrgnlMsgId>.*<\/OrgnlMsgId>/, "<OrgnlMsgId>NOTPROVIDED</OrgnlMsgId>")
    .replace(
      "</CstmrPmtStsRpt>",
      `${block("A-1", "ACSC")}${block("B-2", "ACSP")}</CstmrPmtStsRpt>`,
    );
  const { parts } = readAnswer(format, Buffer.from(report));
  expect(parts.map(({ batch, whole: { state } = { state: null } }) => [batch, state])).toEqual([
    ["A-1", "settled"],
    ["B-2", "accepted"],
  ]);
  expect(parts.flatMap(({ fault }) => fault ?? [])).toEqual([]);
});

const counted = "<GrpSts>PART</GrpSts><NbOfTxsPerSts><DtldNbOfTxs>1</DtldNbOfTxs>";
test("numbers of payments for each status must be those of the listed payments", () => {
  const withCount = (count: string, status: string) => {
    const lines = `${counted.replace("1", count)}<DtldSts>${status}</DtldSts></NbOfTxsPerSts>`;
    return read(whole.replace("<GrpSts>PART</GrpSts>", lines));
  };
  expect(withCount("1", "RJCT").fault).toBeUndefined();
  expect(withCount("7", "PDNG").fault).toBeUndefined();
  expect(withCount("2", "RJCT").fault).toContain("DtldNbOfTxs");
});

test("a file of our own is no answer", () => {
  expect(() => readAnswer(format, file)).toThrow("it is pain.001.001.09");
});
