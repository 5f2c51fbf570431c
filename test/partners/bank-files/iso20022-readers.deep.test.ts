// Readers from outside hold payrail's files against the standard: the schemas of ISO in libxml2,
// and moov-io/iso20022 in Go. Random batches with thousands of payments are written, read by all,
// and answered.

import type { FilePayment } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { newId } from "../../../shared/ids.ts";
import { notification, statusReport } from "../../support/bank/iso20022.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { batchOf, internationalPayment, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";
import { seeded } from "../../support/traffic.ts";
import { type Message, provideReader, readSample } from "./iso20022-reader.ts";
import { provideSchemas, type Schemas } from "./iso20022-schemas.ts";

const BATCHES = 250;
const ANSWERED = 50;
const MAX_PAYMENTS = 200;
const MAX_AMOUNT_MINOR = 999_999_999_999;
const NAMES = [
  ...["Ada Lovelace", "José Ångström", "Łukasz Żółć", "Иван Петров", "王小明", "山田 太郎"],
  ...["محمد علي", "Μαρία Παπαδοπούλου", "दीपिका", "김민준", "Søren Ærø", "O'Brien & Sons <Ltd.>"],
  ...[
    "x".repeat(200),
    "//slash//",
    "Nguyễn Thị Ánh",
    '😀 Smile "AG"',
    "Þór\u0000\tÐ",
    "a/".repeat(80),
  ],
];

const format = iso20022Format(ORIGINATOR);
const random = seeded();
let schemas: Schemas;
let readAll: (files: Buffer[]) => Promise<Message[]>;
beforeAll(async () => {
  schemas = await provideSchemas();
  readAll = await provideReader();
});
afterAll(() => schemas.end());

function drawAmount(): number {
  const any = random.below(1_000_000) * 1_000_000 + random.below(1_000_000);
  return random.oneOf([1, 99, 100, MAX_AMOUNT_MINOR, random.below(100_000) + 1, Math.max(any, 1)]);
}

function drawPayment(): FilePayment {
  const payment = random.oneOf([usPayment, internationalPayment])();
  const [name, recipientAddress, recipientCity, recipientState] = [0, 1, 2, 3].map(() =>
    random.oneOf(NAMES),
  ) as [string, string, string, string];
  return {
    ...payment,
    amountMinor: drawAmount(),
    reference: random.oneOf([...NAMES, ""]),
    account: {
      ...payment.account,
      ...{ name, recipientAddress, recipientCity, recipientState },
      recipientPostalCode: random.oneOf(["10001", "SW1A 1AA", "〒100-0001", ""]),
      ...(payment.optionType === "bank" && {
        accountType: random.oneOf(["CHECKING", "SAVINGS"]),
        accountNumber: String(random.below(1_000_000_000)).padStart(4 + random.below(14), "0"),
      }),
    },
  };
}

const drawBatch = (_: unknown, index: number) => {
  const count = 1 + random.below(random.oneOf([1, 5, 50, MAX_PAYMENTS]));
  return batchOf(Array.from({ length: count }, drawPayment), { id: `P-${index}` });
};

test("readers from outside agree on random batches", async () => {
  const batches = Array.from({ length: BATCHES }, drawBatch);
  const files = batches.map((batch) => format.write(batch));
  for (const file of files) schemas.validate(file);
  const messages = await readAll(files);
  for (const [index, { id, payments }] of batches.entries()) {
    const cents = payments.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    const message = messages[index];
    expect(message).toMatchObject({ id, count: String(payments.length) });
    expect(minor(message?.sum)).toBe(cents);
    expect(message?.payments?.map(each)).toEqual(payments.map(expected));
    for (const { name = "" } of message?.payments ?? []) {
      expect(name).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{1,140}$/);
    }
    const read = { id, currency: "USD", amountMinor: cents };
    expect(format.read(files[index] as Buffer)).toMatchObject(read);
  }
});

const minor = (amount = Number.NaN) => Math.round(amount * 100);
const each = ({ id, amount, currency, account }: NonNullable<Message["payments"]>[number]) => [
  id,
  minor(amount),
  currency,
  account,
];
const expected = ({ id, amountMinor, currency, account }: FilePayment) => [
  format.shortId(id),
  amountMinor,
  currency,
  account.accountNumber,
];

test("readers from outside agree on the bank's answers to random batches", async () => {
  const batches = Array.from({ length: ANSWERED }, drawBatch);
  const answers = batches.map(({ payments }, index) => {
    const file = format.write(batchOf(payments, { id: `P-${index}` }));
    const statuses = payments.map(({ id }) => ({
      payment: id,
      ...random.oneOf([{ status: "ACSP" }, { status: "ACSC" }, { status: "RJCT", reason: "AC01" }]),
    }));
    const bookings = payments.map(({ id }) =>
      random.oneOf([{ debit: id }, { returned: id, reason: "AC04" }]),
    );
    const other = { other: random.oneOf(["CRDT", "DBIT"] as const), amountMinor: drawAmount() };
    return {
      report: statusReport(file, { group: { status: "PART" }, payments: statuses }),
      notice: notification(file, [...bookings, other]),
      others: [
        statusReport(file, { version: "03", group: { status: "ACTC" }, payments: statuses }),
        notification(file, [...bookings, other], { version: "02" }),
        notification(file, [...bookings, { batch: `P-${index}` }], { version: "04" }),
      ],
    };
  });
  for (const { report, notice, others } of answers) {
    for (const file of [report, notice, ...others]) schemas.validate(file);
    for (const file of others) readAnswer(format, file);
  }
  const reports = await readAll(answers.map(({ report }) => report));
  const notices = await readAll(answers.map(({ notice }) => notice));
  for (const [index, { report, notice }] of answers.entries()) {
    const ids = ({ payments }: Message) => payments?.map(({ id }) => id) ?? [];
    const told = (file: Buffer) =>
      readAnswer(format, file).parts.flatMap((part) => part.told.map(({ payment }) => payment));
    expect(told(report).map(format.shortId)).toEqual(ids(reports[index] as Message));
    const ours = ids(notices[index] as Message).filter((id) => id !== "NOTPROVIDED");
    expect(told(notice).map(format.shortId)).toEqual(ours);
  }
});

// PostFinance's, of 2019 and 2020, with ids as payrail writes them and a currency that payrail has.
test.each([
  [
    "camt054-returns_p_ch5109000000250092291_1110097606_0_2020112500512470.xml",
    [{ amountMinor: 50_000, currency: "EUR", state: "returned", code: "account_not_found" }],
  ],
  [
    "200519_camt054-epo_p_ch5109000000250092291_1110097605_0_2019052003522556.xml",
    [20_000, 25_000, 30_000].map((amountMinor) => ({
      amountMinor,
      currency: "EUR",
      state: "settled",
    })),
  ],
])("a real bank's notification is read: %s", async (name, told) => {
  const sample = (await readSample(name)).replaceAll("CHF", "EUR");
  const account = "CH5109000000250092291";
  const payee = iso20022Format({ ...ORIGINATOR, account, currency: "EUR" });
  expect(readAnswer(payee, Buffer.from(sample))).toMatchObject({ parts: [] });

  const ids = new Map<string, string>();
  const ours = sample.replace(/(?<=Id>)(?:EndToEnd|Instr)Id-([\d-]+)/g, (_, number: string) => {
    if (!ids.has(number)) ids.set(number, newId());
    return format.shortId(ids.get(number) as string);
  });
  const payments = [...ids.values()];
  const found = readAnswer(payee, Buffer.from(ours)).parts.flatMap((part) => part.told);
  expect(found).toMatchObject(
    told.map((change, index) => ({ payment: payments[index], isBooked: true, ...change })),
  );
});

test("the schemas refuse a file whose elements are out of order", () => {
  const file = format.write(batchOf([usPayment()])).toString();
  const swapped = file.replace(/(<MsgId>.*<\/MsgId>)\s*(<CreDtTm>.*<\/CreDtTm>)/, "$2$1");
  expect(() => schemas.validate(Buffer.from(file))).not.toThrow();
  expect(() => schemas.validate(Buffer.from(swapped))).toThrow("CreDtTm");
});
