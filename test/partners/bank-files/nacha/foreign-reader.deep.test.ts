// A reader that is not ours reads the files of a thousand random batches, and the bank's answers to
// them, and finds what was asked for. Random batches come from a printed seed.

import type { Batch, FilePayment, Format } from "../../../../partners/bank-files/format.ts";
import { nachaFormat } from "../../../../partners/bank-files/nacha/format.ts";
import { type BankAnswer, checkDigit, returnFile } from "../../../support/bank/nacha.ts";
import { readAnswer } from "../../../support/bank/read-answer.ts";
import { type Random, seeded } from "../../../support/traffic.ts";
import { readWithAchkit } from "./achkit.ts";
import { AGREEMENT, sampleBatch } from "./samples.ts";

const BATCHES = 1_000;
const MAX_PAYMENTS = 200;
const TIMEOUT_MS = 300_000;

const NAMES = [
  ...["Ada Lovelace", "José Ñandú", "Łukasz Żółć", "Søren Þórsson", "Nguyễn Thị Minh Khai"],
  ...["Анна Каренина", "Σωκράτης", "李小龙", "김연아", "やまだ はなこ", "محمد علي", "אסתר כהן"],
  ...["नरेंद्र शर्मा", "สมชาย ใจดี", "O’Brien–Smith, Jr.", "X", "🙂 Smile", "A".repeat(99)],
];
const REFERENCES = [
  "",
  "Invoice 17",
  "Für Zoë*\\~",
  "請求書 42",
  "r".repeat(500),
  "line\nbreak\u0000",
];
const AMOUNTS = [1, 99, 100, 9_999_999_999];
const CODES = ["R02", "R03", "R16", "R23", "R85", "C01", "C02", "C05"];

const digits = (random: Random, length: number) =>
  Array.from({ length }, () => random.below(10)).join("");

function randomId(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function randomPayment(random: Random): FilePayment {
  const bank = `${1 + random.below(12)}`.padStart(2, "0") + digits(random, 6);
  return {
    id: randomId(random),
    amountMinor: random.below(4) === 0 ? random.oneOf(AMOUNTS) : 1 + random.below(5_000_000),
    currency: "USD",
    reference: random.oneOf(REFERENCES),
    optionType: "bank",
    account: {
      name: random.oneOf(NAMES),
      accountNumber: digits(random, 4 + random.below(14)),
      routingNumber: bank + checkDigit(bank),
      accountType: random.oneOf(["CHECKING", "SAVINGS"]),
    },
  };
}

function randomBatch(random: Random, number: number): Batch {
  const count = random.below(20) === 0 ? MAX_PAYMENTS : 1 + random.below(MAX_PAYMENTS);
  const payments = Array.from({ length: count }, () => randomPayment(random));
  const paymentsBefore = random.below(20_000_000);
  return sampleBatch(payments, { number, id: `P-20261126-${number}`, paymentsBefore });
}

const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);

const random = seeded();
const [format, windows] = ["LF", "CRLF"].map((lineEnd) =>
  nachaFormat({ ...AGREEMENT, lineEnd }),
) as [Format, Format];
const batches = Array.from({ length: BATCHES }, (_, i) => randomBatch(random, i + 1));
const files = batches.map((batch, i) => (i % 2 === 0 ? format : windows).write(batch));

test(
  "a foreign reader finds in every file what was asked for",
  async () => {
    for (const [i, read] of (await readWithAchkit(files)).entries()) {
      const { id, payments } = batches[i] as Batch;
      const amountMinor = sum(payments.map((payment) => payment.amountMinor));
      expect(read.faults).toEqual([]);
      expect(read.control).toMatchObject({
        batch_count: 1,
        entry_addenda_count: 2 * payments.length,
        total_debit: 0,
        total_credit: amountMinor,
      });
      expect(read.batches).toMatchObject([{ sec: "PPD", effective_date: "261127" }]);
      expect(read.batches[0]?.entries.map(foundIn)).toEqual(payments.map(askedFor));
      const ours = payments.map((payment) => {
        return { id: payment.id, amountMinor: payment.amountMinor };
      });
      const written = format.read(files[i] as Buffer);
      expect(written).toEqual({ id, currency: "USD", amountMinor, payments: ours });
    }
  },
  TIMEOUT_MS,
);

test(
  "a foreign reader finds in every answer what we find",
  async () => {
    const asked = batches.map(({ payments }) => randomAnswers(payments));
    const answers = files.map((file, i) => returnFile(file, asked[i] as BankAnswer[]));
    for (const [i, read] of (await readWithAchkit(answers)).entries()) {
      // achkit does not count the code of a returned credit (21, 31) as a credit.
      const uncounted = ["BAD_BATCH_CREDIT", "BAD_FILE_CREDIT"];
      expect(read.faults.filter((fault) => !uncounted.includes(fault))).toEqual([]);
      const told = readAnswer(format, answers[i] as Buffer).parts.flatMap((part) => part.told);
      const entries = read.batches.flatMap((batch) => batch.entries);
      expect(told.map(({ payment, amountMinor = 0 }) => [payment, amountMinor])).toEqual(
        entries.map((entry) => [entry.id_number, entry.amount_cents]),
      );
      expect(sum(told.map(({ amountMinor = 0 }) => amountMinor))).toBe(read.control.total_credit);
      const named = (asked[i] as BankAnswer[]).map(({ payment }) => payment);
      expect(told.map(({ payment }) => payment).toSorted()).toEqual(named.toSorted());
    }
  },
  TIMEOUT_MS,
);

type Entry = Awaited<ReturnType<typeof readWithAchkit>>[0]["batches"][0]["entries"][0];

function foundIn(entry: Entry) {
  const [addenda, ...others] = entry.addenda;
  expect([addenda?.type, others, entry.name === ""]).toEqual(["05", [], false]);
  return {
    shortId: entry.id_number,
    id: addenda?.info.slice(7, 43),
    code: entry.txn_code,
    routing: entry.routing,
    account: entry.account,
    amountMinor: entry.amount_cents,
  };
}

function askedFor({ id, amountMinor, account }: FilePayment) {
  const code = account.accountType === "SAVINGS" ? 32 : 22;
  const { routingNumber: routing, accountNumber } = account;
  return { shortId: format.shortId(id), id, code, routing, account: accountNumber, amountMinor };
}

/** Answers to about a third of the payments. */
function randomAnswers(payments: FilePayment[]): BankAnswer[] {
  const answered = payments.filter(() => random.below(3) === 0);
  return answered.map(({ id }) => {
    return { payment: format.shortId(id), code: random.oneOf(CODES), corrected: "123456789" };
  });
}
