import { newId } from "../../shared/ids.ts";
import {
  readAcquirerEntry,
  readCharge,
  readDecide,
  readQuery,
  readRailEntry,
  readRefund,
  readSubmit,
  readVoid,
} from "../../shared/partners/answers.ts";

const SUM = { amountMinor: 12_345, currency: "USD" };

/** Each answer that says that money was moved, without the sum, and its reader. */
const MOVED: [string, (value: unknown) => { answer: object; problem?: string }, object][] = [
  ["a submit's settled", readSubmit, { kind: "settled" }],
  ["a query's settled", readQuery, { kind: "settled" }],
  ["returned", readQuery, { kind: "returned", code: "R01" }],
  ["a charge's captured", readCharge, { kind: "captured" }],
  ["a void's captured", readVoid, { kind: "captured" }],
  ["refunded", readRefund, { kind: "refunded" }],
];

/** Sums of a wrong form, and the field that is wrong. */
const WRONG_SUMS: [object, string][] = [
  [{}, "amountMinor"],
  [{ amountMinor: 1 }, "currency"],
  [{ currency: "USD" }, "amountMinor"],
  ...["1", 1n, null, true, [1], {}].map((value): [object, string] => [
    { amountMinor: value, currency: "USD" },
    "amountMinor",
  ]),
  ...[-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53].map((value): [object, string] => [
    { amountMinor: value, currency: "USD" },
    "amountMinor",
  ]),
  ...["usd", "USDT", "JPY", "", null, 840, ["USD"], "toString"].map((value): [object, string] => [
    { amountMinor: 1, currency: value },
    "currency",
  ]),
];

describe("answers about moved money", () => {
  it.each(MOVED)("%s keeps the sum that it names, and nothing else of the partner's", (...each) => {
    const [, read, answer] = each;
    for (const amountMinor of [0, 1, 12_345, Number.MAX_SAFE_INTEGER]) {
      const told = { ...answer, amountMinor, currency: "EUR" };
      expect(read({ ...told, account: "12345678" })).toEqual({ answer: told });
    }
  });

  it.each(MOVED)("%s without a sum of the promised form is unknown", (_name, read, answer) => {
    for (const [sum, field] of WRONG_SUMS) {
      const reading = read({ ...answer, ...sum });
      expect(reading.answer).toEqual({ kind: "unknown" });
      expect(reading.problem).toMatch(new RegExp(`^its ${field} must be`));
    }
  });

  it("a return without a code is unknown, whatever its sum", () => {
    const { answer, problem } = readQuery({ kind: "returned", ...SUM });
    expect(answer).toEqual({ kind: "unknown" });
    expect(problem).toMatch(/^its code must be/);
  });
});

describe("a problem in an answer", () => {
  const ANSWERS = [{ kind: "accepted" }, { kind: "settled", ...SUM }];

  it.each(ANSWERS)("is kept with $kind", (answer) => {
    for (const problem of ["x", "The bank refuses the file: NARR", "é".repeat(500)]) {
      expect(readQuery({ ...answer, problem })).toEqual({ answer: { ...answer, problem } });
    }
  });

  it.each(ANSWERS)("of a wrong form is dropped, and $kind stays", (answer) => {
    for (const problem of ["", "x".repeat(501), "a\u0000b", "a\nb", "\u202eb", 7, null, ["x"]]) {
      const reading = readSubmit({ ...answer, problem, askAfterMs: 5 });
      expect(reading.answer).toEqual({ ...answer, askAfterMs: 5 });
      expect(reading.problem).toMatch(/^its problem must be a text of 1 to 500 characters/);
    }
  });

  it.each([
    { kind: "rejected", code: "AC01" },
    { kind: "returned", code: "AC01", ...SUM },
  ])("is kept with $kind; of a wrong form it makes the answer unknown", (answer) => {
    expect(readQuery({ ...answer, problem: "x", notice: "y" })).toEqual({
      answer: { ...answer, problem: "x" },
    });
    for (const problem of ["", "x".repeat(501), "a\nb", 7, null]) {
      const reading = readQuery({ ...answer, problem });
      expect(reading.answer).toEqual({ kind: "unknown" });
      expect(reading.problem).toMatch(/^its problem must be a text of 1 to 500 characters/);
    }
  });
});

describe("an entry of a list", () => {
  const now = Date.now();
  const ENTRIES = [
    ["a rail's", readRailEntry, { state: "settled" }],
    ["an acquirer's", readAcquirerEntry, { kind: "refund", state: "done" }],
  ] as const;

  it.each(ENTRIES)("%s has its id in lower case, also beside a problem", (_whose, read, fields) => {
    const id = newId();
    const entry = { ...fields, ...SUM, at: now };
    for (const given of [id, id.toUpperCase()]) {
      expect(read({ ...entry, id: given }, now)).toEqual({ entry: { ...entry, id } });
      expect(read({ ...entry, id: given, at: 0 }, now)).toMatchObject({ id });
    }
    expect(read({ ...entry, id: `{${id}}` }, now)).toEqual({ problem: expect.any(String) });
  });
});

describe("an answer to a decision", () => {
  it("is one of three words", () => {
    for (const answer of ["decided", "no", "unknown"])
      expect(readDecide(answer)).toEqual({ answer });
    for (const value of [undefined, true, "cancelled", "", { kind: "decided" }]) {
      expect(readDecide(value)).toEqual({
        answer: "unknown",
        problem: "it must be one of decided, no, unknown",
      });
    }
  });
});
