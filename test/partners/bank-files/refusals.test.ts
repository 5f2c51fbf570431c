// What a bank's refusal makes of payments: by how often their file was put, by the kind of the
// refusal, by its level, and by what the bank has said before. A refusal decides only with a
// definite code, after one put, and never against a booking.

import type { Part } from "../../../partners/bank-files/format.ts";
import { PlaceError } from "../../../partners/bank-files/places/place.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { newPayment } from "../../support/bank/files.ts";
import {
  batchOf,
  booked,
  type PlainBank,
  startPlainBank,
  told,
} from "../../support/bank/plain-bank.ts";

let bank: PlainBank;

beforeAll(async () => {
  bank = await startPlainBank({ settings: { settledAfterDays: 1 } });
});
afterAll(() => bank?.stop());

/** How often the books say that the file was put; null for the books of an older version. */
const PUTS = { once: 1, twice: 2, "an unknown number of times": null };
const KINDS = {
  definite: { state: "rejected", code: "FF01" },
  unclear: { state: "unclear", problem: "The bank refuses it as a duplicate (AM05)" },
} as const;
const LEVELS = ["file", "payment"] as const;

type Before = (payment: RailPayment, batch: string) => Partial<Part> | "days";
const BEFORE: Record<string, Before> = {
  nothing: () => ({}),
  "its acceptance": (payment) => ({ told: [told(payment, "accepted")] }),
  "a report of its settlement": (payment) => ({ told: [told(payment, "settled")] }),
  "a settlement by the calendar": () => "days",
  "its debit": (payment) => ({ told: [booked(payment, "settled", "B1")] }),
  "the debit of its file": (_payment, batch) => ({
    booked: [{ batch, currency: "USD", amountMinor: 1_000, reference: "B1" }],
  }),
  "its rejection": (payment) => ({ told: [told(payment, "rejected", { code: "AC04" })] }),
  "its return": (payment) => ({ told: [booked(payment, "returned", "B2")] }),
};

/** The payment's end, and whether operators read of the refusal with it. */
function expected(puts: string, kind: string, before: string) {
  const decides = puts === "once" && kind === "definite";
  if (before === "its rejection") return { kind: "rejected", code: "AC04" };
  if (before === "its return") return { kind: "returned" };
  const isBooked = before.includes("debit");
  if (decides && !isBooked) {
    const isPaid = before.includes("settlement");
    return { kind: isPaid ? "returned" : "rejected", code: "FF01" };
  }
  const isPaid = isBooked || before.includes("settlement");
  // The refusal of a second file, after the first one is booked, is what was agreed.
  const isExpected = isBooked && puts !== "once";
  const problem = { problem: expect.stringContaining("The bank refuses it") };
  return { kind: isPaid ? "settled" : "accepted", ...(!isExpected && problem) };
}

const ROWS = Object.keys(PUTS).flatMap((puts) =>
  Object.keys(KINDS).flatMap((kind) =>
    LEVELS.flatMap((level) =>
      Object.keys(BEFORE).map((before) => [kind, level, puts, before] as const),
    ),
  ),
);

async function sendOne() {
  const payment = newPayment();
  return { payment, batch: batchOf(await bank.send(payment)) };
}

/** Has the books say how often a file was put. */
async function countPuts(batch: string, puts: keyof typeof PUTS): Promise<void> {
  const count = PUTS[puts];
  const update = count === null ? { $unset: { puts: "" as const } } : { $set: { puts: count } };
  await bank.deps.books.batches.updateOne({ _id: batch }, update);
}

/** A payment in a file of its own that was put so often. */
async function putFile(puts: keyof typeof PUTS) {
  const sent = await sendOne();
  await countPuts(sent.batch, puts);
  return sent;
}

const refusal = (kind: keyof typeof KINDS, level: string, payment: RailPayment, batch: string) =>
  level === "file"
    ? { batch, whole: KINDS[kind] }
    : { batch, told: [{ ...told(payment, "rejected"), ...KINDS[kind] }] };

test.each(ROWS)("a %s refusal of the %s, put %s, after %s", async (kind, level, puts, before) => {
  const { payment, batch } = await sendOne();
  const first = BEFORE[before]?.(payment, batch);
  if (first === "days") {
    bank.files.clock.aheadMs += 48 * 3_600_000;
    await bank.query(payment);
  } else if (first) await bank.answer(first);
  await countPuts(batch, puts as keyof typeof PUTS);
  const name = await bank.answer(refusal(kind as keyof typeof KINDS, level, payment, batch));
  const answer = await bank.query(payment);
  const { problem, ...end } = expected(puts, kind, before) as { problem?: object; kind: string };
  expect(answer).toMatchObject(end);
  if (problem) expect(answer).toMatchObject({ problem });
  else expect(answer).not.toHaveProperty("problem");
  const isBookedTwice = end.kind === "settled" && !problem;
  const record = await bank.deps.books.answers.findOne({ name });
  expect([record?.held, record?.warning !== undefined]).toEqual([undefined, isBookedTwice]);
});

describe("a payment that a refusal holds", () => {
  const HELD = ROWS.filter(([kind, , puts, before]) => {
    return before === "nothing" && !(kind === "definite" && puts === "once");
  }).map(([kind, level, puts]) => [kind, level, puts] as const);

  test.each(HELD)("(%s, of the %s, put %s) is settled by its debit", async (kind, level, puts) => {
    const { payment, batch } = await putFile(puts as keyof typeof PUTS);
    await bank.answer(refusal(kind as keyof typeof KINDS, level, payment, batch));
    await bank.answer({ told: [told(payment, "accepted")] });
    expect(await bank.query(payment)).toMatchObject({
      kind: "accepted",
      problem: expect.any(String),
    });
    await bank.answer({ told: [booked(payment, "settled", "B1")] });
    const answer = await bank.query(payment);
    expect(answer).toMatchObject({ kind: "settled" });
    expect(answer).not.toHaveProperty("problem");
    expect(await bank.deps.books.batches.findOne({ _id: batch })).toMatchObject({
      state: "handed",
    });
  });

  test("is not settled by the calendar", async () => {
    const { payment, batch } = await putFile("twice");
    await bank.answer({ batch, told: [{ ...told(payment, "rejected"), ...KINDS.definite }] });
    bank.files.clock.aheadMs += 48 * 3_600_000;
    expect(await bank.query(payment)).toMatchObject({ kind: "accepted" });
  });

  test("is rejected by a definite refusal of its file, put once", async () => {
    const { payment, batch } = await putFile("once");
    await bank.answer({ batch, whole: KINDS.unclear });
    await bank.answer({ batch, whole: KINDS.definite });
    expect(await bank.query(payment)).toEqual({ kind: "rejected", code: "FF01" });
    expect(await bank.batch(batch)).toMatchObject({ state: "handed", hasEnds: true });
  });

  test("is settled by a report of the bank", async () => {
    const { payment, batch } = await putFile("twice");
    await bank.answer({ batch, whole: KINDS.unclear });
    await bank.answer({ batch, whole: { state: "settled" } });
    const answer = await bank.query(payment);
    expect(answer).toMatchObject({ kind: "settled" });
    expect(answer).not.toHaveProperty("problem");
  });
});

test("a held file stays held until each of its payments has ended", async () => {
  const payments = [newPayment(), newPayment()] as const;
  const batch = batchOf(await bank.send(...payments));
  await bank.answer({ batch, whole: KINDS.unclear });
  await bank.answer({ told: [booked(payments[0], "settled", "B1")] });
  expect(await bank.query(payments[0])).not.toHaveProperty("problem");
  expect(await bank.query(payments[1])).toHaveProperty("problem");
  const sentence = expect.stringContaining(`The file ${batch}.json is held. The bank refuses it`);
  expect(await bank.problems()).toContainEqual(sentence);
  await bank.answer({ told: [booked(payments[1], "settled", "B2")] });
  expect(await bank.problems()).not.toContainEqual(sentence);
});

describe("the books count the puts of a file", () => {
  beforeEach(() => bank.reset());

  test("that was handed over once", async () => {
    const name = await bank.send(newPayment());
    expect(await bank.batch(name)).toMatchObject({ puts: 1 });
  });

  test("that was handed over again after a death", async () => {
    const payment = newPayment();
    await bank.dieAt("put", payment);
    await bank.later();
    const [name] = bank.files.sent() as [string];
    expect(await bank.batch(name)).toMatchObject({ state: "handed", puts: 2 });
    await bank.answer({ batch: batchOf(name), whole: KINDS.definite });
    expect(await bank.query(payment)).toMatchObject({
      ...{ kind: "accepted", problem: expect.stringContaining("more than once") },
    });
  });

  test("that the place did not take", async () => {
    const { out } = bank.deps;
    const put = async () => {
      throw new PlaceError("failed", "The disk is full");
    };
    bank.deps.out = { ...out, put };
    const payment = newPayment();
    await bank.submit(payment);
    await bank.rail.turn();
    const { batches, payments } = bank.deps.books;
    const batch = (await payments.findOne({ _id: payment.id }))?.batch as string;
    expect(await batches.findOne({ _id: batch })).toMatchObject({ state: "written", puts: 0 });
    bank.deps.out = out;
    await bank.rail.turn();
    expect(await batches.findOne({ _id: batch })).toMatchObject({ state: "handed", puts: 1 });
  });

  test("that the archive gave back as an unknown number", async () => {
    const payment = newPayment();
    const name = await bank.send(payment);
    bank.files.settings.name += "-restored";
    bank.files.settings.repeats = "paid";
    const restored = await bank.files.open();
    await restored.turn();
    const batch = await restored.deps.books.batches.findOne({ _id: batchOf(name) });
    expect(batch).not.toHaveProperty("puts");
  });
});
