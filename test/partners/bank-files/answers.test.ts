// What the bank's answers make of payments: ends, amounts, bookings, other senders' statements, and
// the parts and files that change nothing.

import { randomUUID } from "node:crypto";
import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "../../../partners/bank-files/format.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { newPayment } from "../../support/bank/files.ts";
import {
  batchOf,
  booked,
  type PlainBank,
  short,
  startPlainBank,
  told,
} from "../../support/bank/plain-bank.ts";
import { plainAnswer } from "../../support/bank/plain-format.ts";

let bank: PlainBank;

beforeAll(async () => {
  bank = await startPlainBank();
});
beforeEach(() => bank.reset());
afterAll(() => bank?.stop());

const USD = { amountMinor: 1_000, currency: "USD" };
const returned = (code: string) => ({ kind: "returned", code, ...USD });

/** Payments in one file that the bank has. */
async function sent(count: number) {
  const payments = Array.from({ length: count }, () => newPayment());
  const name = await bank.send(...payments);
  return { payments: payments as [RailPayment, RailPayment, RailPayment], batch: batchOf(name) };
}

describe("an end", () => {
  test.each([
    ["rejected", { kind: "rejected", code: "R03" }],
    ["returned", returned("R03")],
  ] as const)("%s is told to payrail with its code", async (state, expected) => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], state, { code: "R03", amountMinor: 1_000 })] });
    expect(await bank.query(payments[0])).toEqual(expected);
  });

  test("of a whole file counts for its payments that the answer does not name", async () => {
    const { payments, batch } = await sent(3);
    const refused = told(payments[0], "rejected", { code: "AC04" });
    await bank.answer({ batch, whole: { state: "settled" }, told: [refused] });
    expect(await bank.query(payments[0])).toEqual({ kind: "rejected", code: "AC04" });
    for (const payment of payments.slice(1)) {
      expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
    }
  });

  test("of a whole file leaves the payments that the bank has refused before", async () => {
    const { payments, batch } = await sent(2);
    await bank.answer({ told: [told(payments[0], "rejected", { code: "AC04" })] });
    await bank.answer({ batch, whole: { state: "settled" } });
    expect(await bank.query(payments[0])).toEqual({ kind: "rejected", code: "AC04" });
    expect(await bank.query(payments[1])).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
  });

  test("that a report settled is taken back by a definite refusal", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "settled")] });
    await bank.answer({ told: [told(payments[0], "rejected", { code: "R03" })] });
    expect(await bank.query(payments[0])).toEqual(returned("R03"));
  });

  test("that came back before its report settles the others of the file", async () => {
    const { payments } = await sent(2);
    await bank.answer({ told: [told(payments[0], "returned", { code: "AC04" })] });
    await bank.answer({ told: payments.map((payment) => told(payment, "settled")) });
    expect(await bank.query(payments[0])).toEqual(returned("AC04"));
    expect(await bank.query(payments[1])).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
  });

  test("that a report contradicts stays, and the report changes no other payment", async () => {
    const { payments } = await sent(2);
    await bank.answer({ told: [told(payments[0], "rejected", { code: "AC04" })] });
    await bank.answer({ told: [told(payments[1], "settled"), told(payments[0], "settled")] });
    expect(await bank.query(payments[0])).toEqual({
      kind: "rejected",
      code: "AC04",
      problem: expect.stringContaining("is settled, but it was rejected before"),
    });
    expect(await bank.query(payments[1])).toMatchObject({ kind: "accepted" });
    expect(await bank.problems()).toHaveLength(1);
  });

  test("keeps its notice", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "settled")] });
    await bank.answer({ told: [told(payments[0], "noted", { notice: "A new number" })] });
    expect(await bank.query(payments[0])).toMatchObject({
      ...{ kind: "settled", notice: "A new number" },
    });
  });

  test("that is told again changes nothing", async () => {
    const { payments } = await sent(1);
    const settled = { told: [booked(payments[0], "settled", "B1")] };
    await bank.answer(settled);
    await bank.answer({ told: [told(payments[0], "returned", { code: "R01" })] });
    await bank.answer(settled);
    await bank.answer({ ...settled, where: "in another file" });
    expect(await bank.query(payments[0])).toEqual(returned("R01"));
    expect(await bank.problems()).toEqual([]);
  });
});

describe("an amount", () => {
  test.each([
    ["a settlement of less", "settled", 999, false],
    ["a settlement of more", "settled", 1_001, false],
    ["a return of more", "returned", 1_001, false],
    ["a return without charges", "returned", 1_000, true],
    ["a return less the largest charge", "returned", 985, true],
    ["a return that lacks a cent more", "returned", 984, false],
    ["a return of a cent", "returned", 1, false],
  ] as const)("of %s counts only within the charge", async (_case, state, amountMinor, counts) => {
    bank.files.settings.returnChargeAtMostMinor = 15;
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], state, { amountMinor, isBooked: true })] });
    const answer = await bank.query(payments[0]);
    if (counts) return expect(answer).toMatchObject({ kind: "returned", ...USD });
    expect(answer).toMatchObject({ kind: "accepted", problem: expect.stringContaining("amount") });
    expect((await bank.problems()).join()).toContain("is not the one that was sent");
  });

  test("of a return less a charge is shown to operators", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "returned", { amountMinor: 985 })] });
    expect((await bank.problems()).join()).toContain("the bank kept 15 minor units");
  });

  test("in another currency changes nothing", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "settled", { currency: "EUR" })] });
    expect(await bank.query(payments[0])).toMatchObject({ kind: "accepted" });
  });
});

describe("a booking", () => {
  type Step = ["settled" | "returned", string?];
  type Case = [string, Step[][], string, string | null];
  /** Files of bookings of one payment, its state after them, and its problem. */
  const CASES: Case[] = [
    ["once", [[["settled", "B1"]]], "settled", null],
    ["again with its reference", [[["settled", "B1"]], [["settled", "B1"]]], "settled", null],
    [
      "twice in a file with its reference",
      [
        [
          ["settled", "B1"],
          ["settled", "B1"],
        ],
      ],
      "settled",
      null,
    ],
    ["under two references", [[["settled", "B1"]], [["settled", "B2"]]], "settled", "more often"],
    [
      "under two in a file",
      [
        [
          ["settled", "B1"],
          ["settled", "B2"],
        ],
      ],
      "settled",
      "more often",
    ],
    ["again without a reference", [[["settled"]], [["settled"]]], "settled", null],
    ["twice in a file without one", [[["settled"], ["settled"]]], "settled", "more often"],
    ["first without a reference", [[["settled"]], [["settled", "B1"]]], "settled", null],
    [
      "then under another",
      [[["settled"]], [["settled", "B1"]], [["settled", "B2"]]],
      "settled",
      "more often",
    ],
    ["and back", [[["settled", "B1"]], [["returned", "B2"]]], "returned", null],
    [
      "and back in a file",
      [
        [
          ["settled", "B1"],
          ["returned", "B2"],
        ],
      ],
      "returned",
      null,
    ],
    ["back before it", [[["returned", "B2"]], [["settled", "B1"]]], "returned", null],
    [
      "twice and back once",
      [[["settled", "B1"]], [["settled", "B2"]], [["returned", "B3"]]],
      "settled",
      null,
    ],
    [
      "twice and back twice",
      [
        [
          ["settled", "B1"],
          ["settled", "B2"],
        ],
        [["returned", "B3"]],
        [["returned", "B4"]],
      ],
      ...(["returned", null] as const),
    ],
    [
      "back under two references",
      [[["returned", "B1"]], [["returned", "B2"]]],
      "returned",
      "came back more often",
    ],
    ["back again", [[["returned", "B1"]], [["returned", "B1"]]], "returned", null],
    [
      "again after it came back",
      [
        [
          ["settled", "B1"],
          ["returned", "B2"],
        ],
        [["settled", "B3"]],
      ],
      "returned",
      "debited it again",
    ],
  ];

  test.each(CASES)("%s ends as it should", async (_case, steps, state, problem) => {
    const { payments } = await sent(1);
    for (const bookings of steps) {
      const parts = bookings.map(([kind, reference]) => ({
        told: [booked(payments[0], kind, reference)],
      }));
      await bank.answer(...parts);
    }
    expect(await bank.query(payments[0])).toMatchObject({ kind: state });
    const problems = await bank.problems();
    if (problem === null) expect(problems).toEqual([]);
    else expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test("of a payment twice in one entry is two bookings", async () => {
    const { payments } = await sent(1);
    const twice = booked(payments[0], "settled", "B1");
    await bank.answer({ told: [twice, twice] });
    expect(await bank.query(payments[0])).toMatchObject({
      problem: expect.stringContaining("more often"),
    });
  });

  test("of a rejected payment is a problem until it has come back", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "rejected", { code: "AC04" })] });
    await bank.answer({ told: [booked(payments[0], "settled", "B1")] });
    expect(await bank.problems()).toEqual([expect.stringContaining("it was rejected before")]);
    await bank.answer({ told: [booked(payments[0], "returned", "B2")] });
    expect(await bank.query(payments[0])).toEqual({ kind: "rejected", code: "AC04" });
    expect(await bank.problems()).toEqual([]);
  });

  test("of a whole file settles its payments, except the refused ones", async () => {
    const payments = [newPayment(), newPayment({ amountMinor: 7 })] as const;
    const batch = batchOf(await bank.send(...payments));
    await bank.answer({ told: [told(payments[1], "rejected", { code: "AC04" })] });
    const sum = { batch, currency: "USD" as const, amountMinor: 1_000 };
    const foreign = { batch: "ANOTHER-SENDER", currency: "EUR" as const, amountMinor: 5 };
    await bank.answer({ booked: [foreign, sum] });
    expect(await bank.query(payments[0])).toMatchObject({ kind: "settled" });
    expect(await bank.query(payments[1])).toEqual({ kind: "rejected", code: "AC04" });
    expect(await bank.problems()).toEqual([]);
  });

  test("of a whole file under a second reference is a problem of its payments", async () => {
    const { payments, batch } = await sent(2);
    const sum = { batch, currency: "USD" as const, amountMinor: 2_000 };
    await bank.answer({ booked: [{ ...sum, reference: "B1" }] });
    await bank.answer({ booked: [{ ...sum, reference: "B1" }], where: "again" });
    expect(await bank.problems()).toEqual([]);
    await bank.answer({ booked: [{ ...sum, reference: "B2" }] });
    for (const payment of payments) {
      expect(await bank.query(payment)).toMatchObject({
        ...{ kind: "settled", problem: expect.stringContaining("more often") },
      });
    }
  });

  test("of a whole file that names some of its payments debits each once", async () => {
    const { payments, batch } = await sent(2);
    const sum = { batch, currency: "USD" as const, amountMinor: 2_000, reference: "B1" };
    await bank.answer({ booked: [sum], told: [booked(payments[0], "settled", "B1")] });
    for (const payment of payments) {
      expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
    }
    expect(await bank.problems()).toEqual([]);
  });
});

describe("what is not ours", () => {
  const stranger = () => told(newPayment(), "settled", { isBooked: true });

  test("is passed over, counted, and keeps nothing from ours", async () => {
    const { payments } = await sent(1);
    const name = await bank.answer(
      { told: [stranger(), { ...stranger(), fault: "It has no amount" }] },
      { told: [stranger()], fault: "It is cut off" },
      { batch: "OTHERS-200101-000001", whole: { state: "rejected" } },
      { batch: "OTHERS-200101-000001", fault: "It settles nothing" },
      { booked: [{ batch: "X", currency: "EUR", amountMinor: 5, fault: "It is odd" }] },
      { told: [booked(payments[0], "settled"), stranger()] },
    );
    expect(await bank.query(payments[0])).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
    expect(await bank.deps.books.answers.findOne({ name })).toMatchObject({
      ...{ ours: 1, passedOver: 7 },
    });
  });

  test("but bears a payment's id is a warning, and keeps nothing from ours", async () => {
    const { payments } = await sent(2);
    const credit = told(payments[0], "noted", { problem: "A credit bears its id", amountMinor: 1 });
    const name = await bank.answer({ told: [credit] }, { told: [booked(payments[1], "settled")] });
    expect(await bank.query(payments[0])).not.toHaveProperty("problem");
    expect(await bank.query(payments[1])).toMatchObject({ kind: "settled" });
    expect((await bank.problems()).join()).toContain("A credit bears its id");
    expect(await bank.deps.books.answers.findOne({ name })).toHaveProperty("warning");
  });

  test("but bears a file's id is a warning, and holds no payment", async () => {
    const { payments, batch } = await sent(1);
    const problem = "A credit names the file";
    await bank.answer({ batch, told: [], whole: { state: "noted", problem } });
    expect(await bank.query(payments[0])).not.toHaveProperty("problem");
    expect((await bank.problems()).join()).toContain(problem);
  });

  test("makes a report about a file of ours wrong, because it may be a mangled id", async () => {
    const { payments, batch } = await sent(2);
    await bank.answer({ batch, whole: { state: "settled" }, told: [stranger()] });
    expect(await bank.query(payments[0])).toMatchObject({ kind: "accepted" });
    expect((await bank.problems()).join()).toContain("which the rail did not send");
  });
});

describe("a part", () => {
  type Wrong = (payment: RailPayment, batch: string) => Partial<Part>;
  test.each<[string, Wrong, string]>([
    [
      "has a fault",
      (payment) => ({ told: [told(payment, "settled")], fault: "Cut off" }),
      "Cut off",
    ],
    [
      "has a fault in a statement of ours",
      (payment) => ({ told: [told(payment, "settled", { fault: "No amount" })] }),
      "No amount",
    ],
    [
      "names our file and settles nothing",
      (_payment, batch) => ({ batch, fault: "It settles nothing" }),
      "It settles nothing",
    ],
    [
      "states another count",
      (_payment, batch) => ({ batch, stated: { payments: 2 } }),
      "is not the one that was sent",
    ],
    [
      "states another sum",
      (_payment, batch) => ({ batch, stated: { amountMinor: 999 } }),
      "is not the one that was sent",
    ],
    [
      "books another sum",
      (_payment, batch) => ({ booked: [{ batch, currency: "USD", amountMinor: 999 }] }),
      "is not the sum of its payments",
    ],
    [
      "names a payment of another file",
      (payment) => ({ batch: "OTHERS-1", told: [told(payment, "settled")] }),
      "which is not in OTHERS-1",
    ],
  ])("that %s changes nothing, and holds what it names", async (_case, wrong, problem) => {
    const payment = newPayment();
    const name = await bank.send(payment);
    const other = newPayment();
    await bank.send(other);
    await bank.answer(wrong(payment, batchOf(name)), { told: [told(other, "settled")] });
    await bank.rail.turn();
    expect(await bank.query(payment)).toMatchObject({
      ...{ kind: "accepted", problem: expect.stringContaining(problem) },
    });
    expect(await bank.query(other)).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([expect.stringContaining(problem)]);
    expect(bank.files.logged.filter((line) => line.includes("part"))).toHaveLength(1);
  });

  test("that another answer makes right is applied then, without its file", async () => {
    const { payments, batch } = await sent(2);
    const sum = { batch, currency: "USD" as const, amountMinor: 1_000, reference: "B1" };
    const name = await bank.answer({ booked: [sum] });
    expect(await bank.problems()).toHaveLength(1);
    rmSync(join(bank.files.folder("answers"), name));
    await bank.answer({ told: [told(payments[0], "rejected", { code: "AC04" })] });
    await bank.rail.turn();
    expect(await bank.query(payments[1])).toMatchObject({ kind: "settled" });
    expect(await bank.query(payments[0])).toEqual({ kind: "rejected", code: "AC04" });
    expect(await bank.problems()).toEqual([]);
  });

  test("about a payment that has not left is held until its file has", async () => {
    const payment = newPayment();
    await bank.submit(payment);
    const { books } = bank.deps;
    await books.payments.updateOne({ _id: payment.id }, { $set: { state: "cancelled" } });
    await bank.answer({ told: [told(payment, "settled")] });
    expect(await bank.problems()).toHaveLength(1);
    await books.payments.updateOne({ _id: payment.id }, { $set: { state: "waiting" } });
    await bank.rail.turn();
    expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
  });
});

describe("a file that cannot be read", () => {
  const PROBLEM = /^The answer a-wrong[\w-]*\.json changed nothing: /;
  /** As many characters as are searched at once. */
  const PIECE = "{".padEnd(200_000, "0");
  // The rail's process remembers the names of the files that it has read.
  let name: string;
  beforeEach(() => {
    name = `a-wrong-${randomUUID()}.json`;
  });
  const wrong = () => join(bank.files.folder("answers"), name);

  test.each<[string, (payment: RailPayment) => string | Buffer]>([
    ["short id in small letters", (payment) => `{${short(payment).toLowerCase()}`],
    ["short id without a gap", (payment) => `{0001000${short(payment)}ADA`],
    ["id", (payment) => `{"${payment.id}"`],
    ["id in capitals", (payment) => `{"${payment.id.toUpperCase()}"`],
    ["id, across two pieces of a large file,", (payment) => PIECE.slice(0, -20) + payment.id],
    ["id in UTF-16", (payment) => Buffer.from(`\ufeff{${payment.id}`, "utf16le")],
    [
      "id in UTF-16, across two pieces of a large file,",
      (payment) => Buffer.from(PIECE.slice(0, 100_000 - 18) + payment.id, "utf16le").swap16(),
    ],
  ])("holds a payment whose %s stands in it", async (_case, content) => {
    bank.files.settings.settledAfterDays = 0;
    const { payments } = await sent(2);
    writeFileSync(wrong(), content(payments[0]));
    await bank.later();
    expect(await bank.problems()).toEqual([expect.stringMatching(PROBLEM)]);
    expect(await bank.query(payments[0])).toMatchObject({
      ...{ kind: "accepted", problem: expect.stringMatching(PROBLEM) },
    });
    // The calendar settles the payment that it does not name.
    expect(await bank.query(payments[1])).toMatchObject({ kind: "settled" });
    await bank.rail.turn();
    expect(bank.files.logged.filter((line) => line.includes("cannot be read"))).toHaveLength(1);
  });

  test("may be about the debit of a payment that was refused", async () => {
    const { payments } = await sent(1);
    await bank.answer({ told: [told(payments[0], "rejected", { code: "AC04" })] });
    writeFileSync(wrong(), `{"${payments[0].id}"`);
    await bank.rail.turn();
    expect(await bank.query(payments[0])).toMatchObject({
      ...{ kind: "rejected", problem: expect.stringMatching(PROBLEM) },
    });
  });

  test("holds the payments of a file that it names", async () => {
    const { payments, batch } = await sent(2);
    writeFileSync(wrong(), `{"${batch}"`);
    await bank.rail.turn();
    expect(await bank.query(payments[1])).toMatchObject({
      problem: expect.stringMatching(PROBLEM),
    });
  });

  test("because its upload was under way is forgotten once it is whole", async () => {
    const { payments } = await sent(1);
    const whole = plainAnswer({ told: [told(payments[0], "settled")] });
    writeFileSync(wrong(), whole.subarray(0, -5));
    await bank.rail.turn();
    expect(await bank.problems()).toHaveLength(1);
    writeFileSync(wrong(), whole);
    await bank.rail.turn();
    expect(await bank.problems()).toEqual([]);
    expect(await bank.query(payments[0])).toEqual(expect.objectContaining({ kind: "settled" }));
  });

  const refuse = () => {
    const { answers } = bank.deps;
    const get = async (asked: string) => {
      if (asked === name) throw new Error("permission denied");
      return answers.get(asked);
    };
    bank.deps.answers = { ...answers, get };
    return () => {
      bank.deps.answers = answers;
    };
  };

  test.each<[string, () => () => void]>([
    [
      "is too large",
      () => {
        truncateSync(wrong(), 33 * 2 ** 20);
        return () => truncateSync(wrong(), 0);
      },
    ],
    ["may not be read", refuse],
  ])("because it %s keeps no later file from being read", async (_case, spoil) => {
    const { payments } = await sent(1);
    writeFileSync(wrong(), "");
    const mend = spoil();
    bank.files.answer(`b-${name}`, plainAnswer({ told: [told(payments[0], "settled")] }));
    await bank.rail.turn();
    await bank.rail.turn();
    expect(await bank.query(payments[0])).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([expect.stringMatching(PROBLEM)]);
    mend();
    writeFileSync(wrong(), plainAnswer());
    await bank.rail.turn();
    expect(await bank.problems()).toEqual([]);
  });

  test("is no file's problem if the place answers nothing", async () => {
    const { answers } = bank.deps;
    await sent(1);
    writeFileSync(wrong(), plainAnswer());
    const fail = () => Promise.reject(new Error("the server is down"));
    bank.deps.answers = { ...answers, get: fail, names: async (after) => (after ? fail() : ["x"]) };
    await bank.rail.turn();
    expect(await bank.problems()).toEqual(["Reading answers fails: the server is down"]);
  });
});
