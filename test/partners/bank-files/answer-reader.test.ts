// The thread that reads answers: it reads as the format does, and a file that ends it is the
// problem of that file alone.

import {
  type AnswerReader,
  createAnswerReader,
} from "../../../partners/bank-files/answer-reader.ts";
import { type Format, Unreadable } from "../../../partners/bank-files/format.ts";
import { iso20022Format } from "../../../partners/bank-files/iso20022/format.ts";
import { nachaFormat } from "../../../partners/bank-files/nacha/format.ts";
import { notification } from "../../support/bank/iso20022.ts";
import { returnFile } from "../../support/bank/nacha.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";
import { readAnswer } from "../../support/bank/read-answer.ts";
import { batchOf, ORIGINATOR, usPayment } from "../../support/bank/wires.ts";
import { until } from "../../support/system.ts";
import { AGREEMENT, idOf, sampleBatch, samplePayment } from "./nacha/samples.ts";

const program = new URL("./faulty-thread.ts", import.meta.url);
const faulty: Format = { ...plainFormat, thread: { program, agreement: null } };
const readers: AnswerReader[] = [];

function open(format: Format): AnswerReader {
  const reader = createAnswerReader(format);
  readers.push(reader);
  return reader;
}

afterAll(() => Promise.all(readers.map((reader) => reader.stop())));

const iso = iso20022Format(ORIGINATOR);
const ach = nachaFormat(AGREEMENT);
/** Their answers reach the thread in several pieces. */
const PAYMENTS = 400;
const PIECES_BYTES = 65_536;
const wires = Array.from({ length: PAYMENTS }, () => usPayment());
const debits = wires.map(({ id }) => ({ debit: id }));
const credits = Array.from({ length: PAYMENTS }, (_, i) => samplePayment({ id: idOf(i + 1) }));
const returns = credits.map(({ id }) => ({ payment: ach.shortId(id), code: "R03" }));
const answers: [string, Format, Buffer][] = [
  ["ISO 20022", iso, notification(iso.write(batchOf(wires)), debits)],
  ["NACHA", ach, returnFile(ach.write(sampleBatch(credits)), returns)],
];
test.each(answers)(
  "a long answer of %s says in a thread what it says outside",
  async (_, format, bytes) => {
    const reader = open(format);
    expect(bytes.length).toBeGreaterThan(PIECES_BYTES);
    const cut = bytes.subarray(0, -300);
    const outcomes = await Promise.allSettled([
      reader.read(bytes),
      reader.read(cut),
      reader.read(bytes),
    ]);
    expect(outcomes).toEqual([
      { status: "fulfilled", value: readAnswer(format, bytes) },
      { status: "rejected", reason: expect.any(Unreadable) },
      { status: "fulfilled", value: readAnswer(format, bytes) },
    ]);
  },
);

test.each([
  ["unreadable", Unreadable, "record 7 is none"],
  ["crash", Error, "a fault of the reader"],
  ["exit", Error, "has ended"],
  ["memory", Unreadable, "too much memory"],
])(
  "a file whose reading ends by %s is that file's problem, and the next is read",
  async (fault, kind, words) => {
    const reader = open(faulty);
    const [failed, next] = await Promise.allSettled([
      reader.read(Buffer.from(fault)),
      reader.read(Buffer.from("next")),
    ]);
    expect(failed).toMatchObject({ reason: expect.any(kind) });
    expect(failed).toMatchObject({ reason: { message: expect.stringContaining(words) } });
    expect(next).toMatchObject({ value: { passedOver: 4 } });
  },
);

test("a file that takes too long is that file's problem, and the next is read", async () => {
  const reader = open(faulty);
  await reader.read(Buffer.from("first"));
  const timers = jest.spyOn(globalThis, "setTimeout");
  const outcomes = Promise.allSettled(
    ["hang", "next"].map((name) => reader.read(Buffer.from(name))),
  );
  const isLongest = ([, ms = 0]: unknown[]) => Number(ms) >= 300_000;
  const [passTime] = await until(() => timers.mock.calls.find(isLongest));
  timers.mockRestore();
  passTime();
  const [failed, next] = await outcomes;
  expect(failed).toMatchObject({ reason: expect.any(Unreadable) });
  expect(failed).toMatchObject({ reason: { message: "The file takes too long to read" } });
  expect(next).toMatchObject({ value: { passedOver: 4 } });
});

test("a stopped reader reads nothing more of the file that it is at", async () => {
  const reader = open(faulty);
  await reader.read(Buffer.from("first"));
  const reading = reader.read(Buffer.from("memory"));
  const failed = expect(reading).rejects.toThrow();
  await reader.stop();
  await failed;
});
