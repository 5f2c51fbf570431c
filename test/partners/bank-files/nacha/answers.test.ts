// Answers of banks to ACH files: returns and notifications of change. A file whose records, sums or
// counts are wrong is unreadable as a whole; a fault of one entry is its own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnswerFile, Told } from "../../../../partners/bank-files/format.ts";
import { nachaFormat } from "../../../../partners/bank-files/nacha/format.ts";
import { parseFile } from "../../../../partners/bank-files/nacha/parse.ts";
import {
  type BankAnswer,
  closedBatch,
  fileOf,
  put,
  returnFile,
} from "../../../support/bank/nacha.ts";
import { readAnswer } from "../../../support/bank/read-answer.ts";
import { cutFiles, places, readableDamages, tryRead } from "./damage.ts";
import { AGREEMENT, idOf, sampleBatch, samplePayment } from "./samples.ts";

const format = nachaFormat(AGREEMENT);
const account = samplePayment().account;
const other = { ...account, routingNumber: "121042882", accountType: "SAVINGS" };
const payments = [1, 2, 3, 4].map((n) =>
  samplePayment({ id: idOf(n), amountMinor: 100 * n, account: n < 4 ? account : other }),
);
const file = format.write(sampleBatch(payments));
const short = (n: number) => format.shortId(idOf(n));

const read = (bytes: Buffer) => readAnswer(format, bytes);

const toldIn = ({ parts }: AnswerFile): Told[] => parts.flatMap(({ told }) => told);

function toldBy(answers: BankAnswer[]): Told[] {
  const answer = read(returnFile(file, answers));
  expect(answer.passedOver).toBe(0);
  return toldIn(answer);
}

/** An answer to the first payment whose batch header, entry and addenda are changed. */
function changed(answer: Partial<BankAnswer>, change: (lines: string[]) => string[]): Buffer {
  const bytes = returnFile(file, [{ payment: short(1), code: "R03", ...answer }]);
  const lines = bytes.toString("latin1").split("\n").slice(0, -1);
  const [header = "", ...records] = change(lines.slice(1, 4));
  return fileOf(lines[0] as string, [closedBatch(header, records)]);
}

const putIn = (line: number, from: number, value: string) => (lines: string[]) =>
  lines.with(line, put(lines[line] as string, from, value));

test("one file has returns and notifications of several banks", () => {
  const told = toldBy([
    { payment: short(1), code: "R03" },
    { payment: short(2), code: "C01", corrected: "00012346789" },
    { payment: short(3), code: "R23" },
    { payment: short(4), code: "R16" },
  ]);
  const returned = { state: "returned", currency: "USD", isBooked: true };
  const [from, to] = ["091000010000001", "091000010000002"];
  expect(told).toEqual([
    {
      payment: short(1),
      amountMinor: 100,
      code: "account_not_found",
      reference: from,
      ...returned,
    },
    { payment: short(3), amountMinor: 300, code: "R23", reference: to, ...returned },
    {
      payment: short(2),
      state: "noted",
      notice:
        "The recipient's bank has another account number ending in 6789 for this account. Link the account again with it.",
    },
    {
      payment: short(4),
      amountMinor: 400,
      code: "compliance",
      reference: expect.stringMatching(/^12104288/),
      ...returned,
    },
  ]);
});

test.each([
  [["R02"], "account_closed"],
  [["R03", "R04", "R12", "R13", "R20", "R28"], "account_not_found"],
  [["R16"], "compliance"],
  [["R06"], "cancelled_by_bank"],
  [["R24"], "duplicate"],
])("the reasons %j are %s", (codes, reason) => {
  for (const code of codes) {
    expect(toldBy([{ payment: short(1), code }])).toMatchObject([
      { state: "returned", code: reason },
    ]);
  }
});

test("every other code of a return stays the bank's own", () => {
  for (const code of ["R01", "R17", "R18", "R39", "R47", "R50", "R53", "R80", "R85"]) {
    expect(toldBy([{ payment: short(4), code }])).toMatchObject([{ state: "returned", code }]);
  }
});

test.each([
  ["C01", "744-5678-99", "another account number ending in 7899 for"],
  ["C01", "4711", "another account number for"],
  ["C02", "021000021", "another routing number ending in 0021 for"],
  [
    "C03",
    "121042882   000123456789",
    "another routing number ending in 2882 and another account number ending in 6789 for",
  ],
  ["C05", "37", "the type savings for"],
  ["C05", "?", "another type for"],
  [
    "C06",
    `${"000123456789".padEnd(20)}22`,
    "another account number ending in 6789 and the type checking for",
  ],
  [
    "C07",
    `121042882${"12345678901234567".padEnd(17)}32`,
    "another routing number ending in 2882, another account number ending in 4567, and the type savings for",
  ],
  ["C04", "LOVELACE ADA", "another name for the holder"],
  ["C09", "17", "the account needs no change"],
  ["C13", "", "the account needs no change"],
  ["C14", "IAT", "to another country"],
  ["C08", "17", "(C08)"],
])("the change %s with %j is a notice to the merchant", (code, corrected, words) => {
  const [told] = toldBy([{ payment: short(1), code, corrected }]);
  expect(told).toEqual({
    payment: short(1),
    state: "noted",
    notice: expect.stringContaining(words),
  });
  expect(told?.notice?.length).toBeLessThanOrEqual(200);
  expect(told?.notice).not.toMatch(/\d{5}/);
});

test("a payment may have several changes, and a change and a return", () => {
  const answers = [
    { payment: short(1), code: "C02", corrected: "021000021" },
    { payment: short(1), code: "C04", corrected: "ADA" },
    { payment: short(1), code: "R06" },
  ];
  expect(toldBy(answers).map(({ state }) => state)).toEqual(["noted", "noted", "returned"]);
});

test("a file without entries tells nothing", () => {
  expect(toldBy([])).toEqual([]);
});

test("a changed byte is noticed, or changes nothing but the texts and the kind of one answer", () => {
  const answers = [
    { payment: short(1), code: "R03" },
    { payment: short(2), code: "R04" },
    { payment: short(4), code: "C01", corrected: "000123456789" },
  ];
  const bytes = returnFile(file, answers);
  // A wrong id is none of ours, or another's; a wrong code and class are a fault of the entry.
  const ids = places("6", 40, 54);
  const kinds = [
    ...places("5", 41, 53),
    ...places("6", 2, 3),
    ...places("6", 80, 94),
    ...places("7", 2, 21),
    ...places("7", 80, 94),
  ];
  const texts = places("7", 36, 64);
  const said = toldIn(read(bytes));
  const bare = (told: Told[]) =>
    told.map(({ state, amountMinor, currency }) => ({ state, amountMinor, currency }));
  const damages = readableDamages(bytes, read);
  expect(damages.length).toBeGreaterThan(100);
  for (const { place, result } of damages) {
    const told = toldIn(result).filter(({ fault }) => !fault);
    if (ids.includes(place)) expect(told.length + result.passedOver).toBe(said.length);
    else if (kinds.includes(place)) expect(told.length).toBeLessThanOrEqual(said.length);
    else if (texts.includes(place)) expect([place, bare(told)]).toEqual([place, bare(said)]);
    else expect([place, told]).toEqual([place, said]);
  }
  const numbers = [...places("6", 30, 39), ...places("8", 5, 44), ...places("9", 2, 7)];
  const unnoticed = new Set(damages.map(({ place }) => place));
  expect(numbers.filter((place) => unnoticed.has(place))).toEqual([]);
});

test("an answer that was cut, or that misses a record, is unreadable", () => {
  const answers = [
    { payment: short(1), code: "R03" },
    { payment: short(2), code: "C04", corrected: "ADA" },
    { payment: short(4), code: "R04" },
  ];
  for (const cut of cutFiles(returnFile(file, answers))) expect(tryRead(read, cut)).toBeNull();
});

test.each<[string, string, Buffer]>([
  ["of another company", "of another company", changed({}, putIn(0, 41, "1987654322"))],
  ["that is a dishonored return", "no code of a return", changed({ code: "R61" }, (l) => l)],
  ["that is a contested return", "no code of a return", changed({ code: "R74" }, (l) => l)],
  ["with a code that is none", "no code of a return", changed({}, putIn(2, 4, "X03"))],
  ...["R00", "R48", "R54", "R60", "R78", "R79", "R86", "R97", "R99"].map(
    (code): [string, string, Buffer] => [
      `with the code ${code}, which the Rules do not define`,
      "no code of a return (R01 to R47, R50 to R53, or R80 to R85)",
      changed({ code }, (l) => l),
    ],
  ),
  ...["C00", "C10", "C12", "C15", "C61", "C70", "C99"].map((code): [string, string, Buffer] => [
    `with the code ${code}, which the Rules do not define`,
    "no code of a change (C01 to C09, C13 or C14)",
    changed({ code }, (l) => l),
  ]),
  ["without an amount", "returns nothing", changed({}, putIn(1, 30, "0000000000"))],
  [
    "of a change with an amount",
    "with an amount",
    changed({ code: "C02" }, putIn(1, 30, "0000000001")),
  ],
  ["in a batch of changes", "no addenda of type 98", changed({}, putIn(0, 51, "COR"))],
  ["of a class that we do not send", "no answer to payouts", changed({}, putIn(0, 51, "WEB"))],
  ["of a debit", "no answer to a credit", changed({}, putIn(1, 2, "26"))],
  ["that is a new credit", "no answer to a credit", changed({}, putIn(1, 2, "22"))],
  ["without the trace of ours", "no trace", changed({}, putIn(2, 7, " ".repeat(15)))],
  [
    "with two addenda",
    "does not have one addenda",
    changed({}, (l) => l.toSpliced(3, 0, l[2] as string)),
  ],
  [
    "with the addenda of another entry",
    "addenda of another entry",
    changed({}, putIn(2, 80, "091000010000009")),
  ],
])("an entry %s has a fault, for the case that its id is ours", (_, words, bytes) => {
  expect(toldIn(read(bytes))).toEqual([
    { payment: short(1), state: "unclear", fault: expect.stringContaining(words) },
  ]);
});

test("a file of our own answers none of its payments", () => {
  const told = toldIn(read(file));
  expect(told.map(({ payment }) => payment)).toEqual([1, 2, 3, 4].map(short));
  for (const { fault } of told) expect(fault).toContain("no answer to a credit");
});

test("an entry of another application of the company is passed over", () => {
  expect(read(changed({}, putIn(1, 40, "location #23   ")))).toEqual({ parts: [], passedOver: 1 });
});

test("an answer to a credit by another routing number of our bank is one of ours", () => {
  const told = toldIn(read(changed({}, putIn(2, 7, "09100001"))));
  expect(told).toMatchObject([{ payment: short(1), state: "returned" }]);
});

test("an answer with a fault shows no account number", () => {
  const messages = [putIn(2, 4, "X03"), putIn(1, 30, "000000010x"), putIn(1, 79, "0")].map(
    (change) => {
      try {
        return toldIn(read(changed({}, change)))[0]?.fault;
      } catch (error) {
        return (error as Error).message;
      }
    },
  );
  expect(messages).toEqual([
    "record 3 has no code of a return (R01 to R47, R50 to R53, or R80 to R85)",
    "the amount in record 3 is not a number",
    "record 3 has other addenda than it says",
  ]);
});

const moov = (name: string) => readFileSync(join(import.meta.dirname, "moov", name));

test.each([
  ["return-WEB.ach", { count: 4, hash: 18_280_120, debitMinor: 12_354, creditMinor: 4_565 }],
  ["cor-example.ach", { count: 2, hash: 23_138_010, debitMinor: 0, creditMinor: 0 }],
  ["dishonored-return.ach", { count: 4, hash: 24_208_576, debitMinor: 48_000, creditMinor: 0 }],
])("the foreign file %s adds up, and is none of ours", (name, sums) => {
  expect(parseFile(moov(name), { make: (entry) => [entry] }).sums).toEqual(sums);
  expect(read(moov(name)).parts).toEqual([]);
  expect(read(moov(name)).passedOver).toBeGreaterThan(0);
});
