// What operators decide after asking the bank: held files, answers that changed nothing, and
// payments that a problem holds; and when a decision must wait for a process that was stopped in a
// hand-over.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  confirmHanded,
  endHeld,
  handOverAgain,
  noteSeen,
} from "../../../partners/bank-files/desk.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { instrument, newPayment } from "../../support/bank/files.ts";
import {
  batchOf,
  booked,
  HOUR_MS,
  type PlainBank,
  startPlainBank,
  told,
} from "../../support/bank/plain-bank.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";
import { until } from "../../support/system.ts";

let bank: PlainBank;

beforeAll(async () => {
  bank = await startPlainBank();
});
beforeEach(() => bank.reset());
afterAll(() => bank?.stop());

const USD = { amountMinor: 1_000, currency: "USD" };
const UNCLEAR = { state: "unclear", problem: "The bank refuses it in words (NARR)" } as const;
const decide = (payment: RailPayment, end: "settled" | "rejected" | "returned") =>
  bank.rail.decide?.(payment.id, end);

/** A payment that the bank has refused without a definite code. */
async function unclear(): Promise<RailPayment> {
  const payment = newPayment();
  await bank.send(payment);
  await bank.answer({ told: [{ ...told(payment, "unclear"), ...UNCLEAR }] });
  return payment;
}

describe("a decision about a payment", () => {
  test.each([
    ["settled", { kind: "settled", ...USD }],
    ["rejected", { kind: "rejected", code: "resolved" }],
    ["returned", { kind: "returned", code: "resolved", ...USD }],
  ] as const)("that a problem holds ends it as %s, once", async (end, expected) => {
    const payment = await unclear();
    expect(await decide(payment, end)).toBe("decided");
    expect(await bank.query(payment)).toMatchObject(expected);
    expect(await bank.query(payment)).not.toHaveProperty("problem");
    expect(await decide(payment, end)).toBe("decided");
    expect(await decide(payment, end === "settled" ? "rejected" : "settled")).toBe("no");
    expect(await bank.query(payment)).toMatchObject(expected);
    expect(await bank.problems()).toEqual([]);
  });

  test.each(["settled", "rejected", "returned"] as const)(
    "without a problem changes nothing (%s)",
    async (end) => {
      const payment = newPayment();
      await bank.send(payment);
      expect(await decide(payment, end)).toBe("no");
      expect(await decide(newPayment(), end)).toBe("no");
      expect(await bank.query(payment)).toMatchObject({ kind: "accepted" });
    },
  );

  test("by two operators at once has one end", async () => {
    const payment = await unclear();
    const answers = await Promise.all([decide(payment, "settled"), decide(payment, "rejected")]);
    expect(answers.filter((answer) => answer === "decided")).toHaveLength(1);
    const { kind } = await bank.query(payment);
    expect(kind).toBe(answers[0] === "decided" ? "settled" : "rejected");
  });

  test("that its bookings confirm stays without a problem", async () => {
    const [paid, back] = [await unclear(), await unclear()];
    await decide(paid, "settled");
    await bank.answer({ told: [booked(paid, "settled", "B1")] });
    await decide(back, "returned");
    await bank.answer({ told: [booked(back, "settled", "B2")] });
    await bank.answer({ told: [booked(back, "returned", "B3")] });
    expect(await bank.query(paid)).toMatchObject({ kind: "settled" });
    expect(await bank.query(back)).toMatchObject({ kind: "returned" });
    expect(await bank.problems()).toEqual([]);
  });

  test("that a later booking contradicts is a problem again", async () => {
    const payment = await unclear();
    await decide(payment, "rejected");
    await bank.answer({ told: [booked(payment, "settled", "B1")] });
    expect(await bank.query(payment)).toEqual({
      kind: "rejected",
      code: "resolved",
      problem: "The bank has debited it, but it was rejected before",
    });
    expect(await bank.problems()).toEqual([expect.stringContaining("rejected before")]);
    // payrail has given the money back, so nothing is left to decide but that it was seen.
    expect(await decide(payment, "settled")).toBe("no");
    await noteSeen(bank.deps, payment.id);
    expect(await bank.query(payment)).toEqual({ kind: "rejected", code: "resolved" });
    expect(await bank.problems()).toEqual([]);
  });

  test.each([
    ["the bank's refusal", [], "rejected"],
    ["its return", ["settled", "returned"], "returned"],
  ] as const)("about a debit after %s may settle it", async (_name, before, kind) => {
    const payment = newPayment();
    await bank.send(payment);
    if (before.length === 0) await bank.answer({ told: [told(payment, "rejected")] });
    for (const state of before) await bank.answer({ told: [booked(payment, state, state)] });
    expect(await bank.query(payment)).not.toHaveProperty("problem");
    expect(await decide(payment, "settled")).toBe("no");
    await bank.answer({ told: [booked(payment, "settled", "B9")] });
    const problem = expect.stringContaining("The bank has debited it");
    expect(await bank.query(payment)).toMatchObject({ kind, problem });
    expect(await bank.rail.submit(payment, instrument)).toEqual({ kind: "accepted" });
    expect(await decide(payment, "settled")).toBe("decided");
    expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
    await bank.answer({ told: [booked(payment, "returned", "B10")] });
    expect(await bank.query(payment)).toMatchObject({ kind: "returned" });
  });

  test("that it was paid is followed by its return", async () => {
    const payment = await unclear();
    await decide(payment, "settled");
    await bank.answer({ told: [booked(payment, "returned", "B1")] });
    expect(await bank.query(payment)).toMatchObject({ kind: "returned" });
  });

  test("about a second debit leaves it settled, and a later return of one debit too", async () => {
    const payment = newPayment();
    await bank.send(payment);
    await bank.answer({ told: [booked(payment, "settled", "B1")] });
    await bank.answer({ told: [booked(payment, "settled", "B2")] });
    expect(await decide(payment, "settled")).toBe("decided");
    expect(await bank.query(payment)).not.toHaveProperty("problem");
    await bank.answer({ told: [booked(payment, "returned", "B3")] });
    expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
    expect(await bank.problems()).toEqual([]);
  });

  test("that an unreadable answer names ends the answer's hold on it alone", async () => {
    const [decided, other] = [newPayment(), newPayment()];
    await bank.send(decided, other);
    const name = `wrong-${decided.id}.json`;
    writeFileSync(join(bank.files.folder("answers"), name), `{${decided.id},${other.id}`);
    await bank.rail.turn();
    expect(await decide(decided, "settled")).toBe("decided");
    expect(await bank.query(decided)).not.toHaveProperty("problem");
    expect(await bank.query(other)).toHaveProperty("problem");
    await noteSeen(bank.deps, name);
    expect(await bank.query(other)).not.toHaveProperty("problem");
    expect(await decide(other, "settled")).toBe("no");
  });

  test("whose file has not left is refused, and a waiting one is cancelled", async () => {
    const payment = newPayment();
    await bank.submit(payment);
    const { answers } = bank.deps.books;
    const named = { name: "odd.json", at: 0, problem: "Odd", names: [payment.id] };
    await answers.insertOne({ _id: "odd", ...named });
    expect(await decide(payment, "settled")).toBe("no");
    expect(await decide(payment, "returned")).toBe("no");
    expect(await decide(payment, "rejected")).toBe("decided");
    expect(await decide(payment, "rejected")).toBe("decided");
    await bank.rail.turn();
    expect(bank.files.sent()).toEqual([]);

    const written = newPayment();
    await bank.dieAt("written", written);
    await answers.updateOne({ _id: "odd" }, { $set: { names: [written.id] } });
    for (const end of ["settled", "rejected", "returned"] as const) {
      expect(await decide(written, end)).toBe("no");
    }
  });
});

describe("a decision right after the bank's answer", () => {
  test("counts at once, because the hand-over is over", async () => {
    for (const end of ["rejected", "settled"] as const) {
      const payment = newPayment();
      const name = await bank.send(payment);
      await bank.answer({ batch: batchOf(name), whole: UNCLEAR });
      expect(await decide(payment, end)).toBe("decided");
    }
  });

  test("is unknown while another process may still put the file", async () => {
    const payment = newPayment();
    bank.files.settings.repeats = "paid";
    await bank.dieAt("put", payment);
    await bank.later(60_000);
    expect(await decide(payment, "rejected")).toBe("unknown");
    expect(await bank.query(payment)).toMatchObject({ kind: "accepted" });
    await bank.later();
    expect(await decide(payment, "rejected")).toBe("decided");
  });
});

describe("a held file", () => {
  /** A file that a process of a bank that pays repeats was handing over when it died. */
  async function held(...payments: RailPayment[]): Promise<string> {
    bank.files.settings.repeats = "paid";
    await bank.dieAt("put", ...payments);
    // The hand-over is given up, and may not be over yet.
    await bank.later(60_000);
    const [batch] = await bank.deps.books.batches.find({ state: "held" }).toArray();
    return batch?._id as string;
  }

  test("is handed over again only long after its hand-over, and counts as put twice", async () => {
    const payment = newPayment();
    const id = await held(payment);
    await expect(handOverAgain(bank.deps, id)).rejects.toThrow(/ask the bank after \d{4}-/);
    await bank.rail.turn();
    expect(bank.files.sent()).toEqual([]);
    await bank.later();
    await handOverAgain(bank.deps, id);
    await bank.rail.turn();
    expect(bank.files.sent()).toHaveLength(1);
    expect(await bank.batch(id)).toMatchObject({ state: "handed", puts: 2 });
  });

  test("is ended only long after its hand-over", async () => {
    const payment = newPayment();
    const id = await held(payment);
    for (const end of ["settled", "rejected"] as const) {
      await expect(endHeld(bank.deps, id, end)).rejects.toThrow(/ask the bank after \d{4}-/);
    }
    expect(await bank.query(payment)).toMatchObject({ kind: "accepted" });
  });

  type End = (ended: RailPayment, batch: string) => Promise<unknown>;
  const ENDS: Record<string, End> = {
    "an answer": (ended, batch) => {
      const rejected = told(ended, "rejected", { code: "AC04" });
      return bank.answer({ batch, whole: UNCLEAR, told: [rejected] });
    },
    "the calendar": async (ended, batch) => {
      bank.files.settings.settledAfterDays = 1;
      bank.files.clock.aheadMs += 48 * HOUR_MS;
      await bank.query(ended);
      await bank.answer({ batch, whole: UNCLEAR, told: [told(ended, "accepted")] });
    },
    "an operator": async (ended, batch) => {
      await bank.answer({ batch, whole: UNCLEAR });
      await bank.later();
      await decide(ended, "rejected");
    },
  };

  test.each(Object.entries(ENDS))(
    "with a payment that %s has ended is not handed over again",
    async (_by, end) => {
      const [ended, open] = [newPayment(), newPayment()];
      const batch = batchOf(await bank.send(ended, open));
      await end(ended, batch);
      expect(await bank.query(ended)).not.toMatchObject({ kind: "accepted" });
      await bank.later();
      await expect(handOverAgain(bank.deps, batch)).rejects.toThrow("has ended");
      await bank.rail.turn();
      expect(await bank.batch(batch)).toMatchObject({ state: "held", puts: 1 });
      expect(await bank.query(open)).toHaveProperty("problem");
    },
  );

  test.each(["written", "handing"] as const)(
    "with a payment that has ended is not put, also if its state is %s",
    async (state) => {
      await bank.dieAt(state, newPayment());
      await bank.deps.books.batches.updateMany({ state }, { $set: { hasEnds: true } });
      await bank.later();
      expect(bank.files.sent()).toEqual([]);
    },
  );

  test("and the decisions of two operators at once pay no ended payment", async () => {
    const payment = newPayment();
    const id = await held(payment);
    await bank.later();
    const again = handOverAgain(bank.deps, id).catch(() => "refused");
    const answers = await Promise.all([again, decide(payment, "rejected")]);
    await bank.rail.turn();
    expect(bank.files.sent()).toHaveLength(answers[1] === "decided" ? 0 : 1);
  });

  test.each([
    ["settled", { kind: "settled", ...USD }],
    ["rejected", { kind: "rejected", code: "resolved" }],
  ] as const)("is ended as %s for its open payments alone", async (end, expected) => {
    const [open, ended] = [newPayment(), newPayment()];
    const name = await bank.send(open, ended);
    const batch = batchOf(name);
    await bank.answer({ batch, whole: UNCLEAR, told: [told(ended, "rejected", { code: "AC04" })] });
    await bank.later();
    await endHeld(bank.deps, batch, end);
    expect(await bank.query(open)).toMatchObject(expected);
    expect(await bank.query(ended)).toEqual({ kind: "rejected", code: "AC04" });
    expect(await bank.problems()).toEqual([]);
    await expect(endHeld(bank.deps, batch, end)).rejects.toThrow("not a file that is held");
  });

  test("is held no more once each of its payments is decided", async () => {
    const [first, second] = [newPayment(), newPayment()];
    const name = await bank.send(first, second);
    await bank.answer({ batch: batchOf(name), whole: UNCLEAR });
    await bank.later();
    expect(await decide(first, "settled")).toBe("decided");
    expect(await bank.problems()).toHaveLength(1);
    expect(await decide(second, "rejected")).toBe("decided");
    expect(await bank.problems()).toEqual([]);
    expect(await bank.batch(name)).toMatchObject({ state: "handed" });
  });

  test("that the bank has goes on, and waits for the bank's answers", async () => {
    const payment = newPayment();
    const id = await held(payment);
    await confirmHanded(bank.deps, id);
    expect(await bank.problems()).toEqual([]);
    expect(await bank.query(payment)).not.toHaveProperty("problem");
    await bank.answer({ told: [booked(payment, "settled", "B1")] });
    expect(await bank.query(payment)).toMatchObject({ kind: "settled" });
  });

  test.each(["handed", "again", "seen"])("%s of something else is refused", async (command) => {
    const run = { handed: confirmHanded, again: handOverAgain, seen: noteSeen }[command];
    const name = await bank.send(newPayment());
    await expect(run?.(bank.deps, batchOf(name))).rejects.toThrow();
  });
});

describe("a process that is stopped in a hand-over", () => {
  /** Stops a hand-over at a check, lets time go by and others act, and lets it go on. */
  async function stopped(meanwhile: (id: string) => Promise<void>): Promise<void> {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = await bank.files.open((point) => {
      if (point !== "handing") return;
      reached.resolve();
      return go.promise;
    });
    const turn = late.turn();
    await reached.promise;
    const [batch] = await bank.deps.books.batches.find().toArray();
    await meanwhile(batch?._id as string);
    go.resolve();
    await turn;
  }
  const paid = () =>
    bank.files.sent().flatMap((name) => plainFormat.read(bank.files.readSent(name)).payments);

  test("puts nothing after its time, and the file leaves once", async () => {
    await bank.submit(newPayment());
    await stopped(async () => {
      bank.files.clock.aheadMs += HOUR_MS;
    });
    expect(bank.files.sent()).toEqual([]);
    await bank.later();
    expect(paid()).toHaveLength(1);
  });

  test("puts nothing after an operator had the file put again, which the bank has taken", async () => {
    bank.files.settings.repeats = "paid";
    await bank.submit(newPayment());
    await stopped(async (id) => {
      await bank.later();
      await handOverAgain(bank.deps, id);
      await bank.rail.turn();
      expect(paid()).toHaveLength(1);
      // The bank takes the file away, so nothing in the folder keeps a second one out.
      for (const name of bank.files.sent()) rmSync(join(bank.files.folder("out"), name));
    });
    expect(bank.files.sent()).toEqual([]);
    const [batch] = await bank.deps.books.batches.find().toArray();
    expect(batch).toMatchObject({ state: "handed", puts: 2 });
  });

  test("is checked again just before the file gets its name", async () => {
    const { out } = bank.deps;
    let checks = 0;
    bank.deps.out = {
      ...out,
      put: (name, bytes, last) =>
        out.put(name, bytes, async () => {
          checks++;
          bank.files.clock.aheadMs += HOUR_MS;
          await last?.();
        }),
    };
    const payment = newPayment();
    await bank.rail.submit(payment, instrument);
    await bank.rail.turn();
    expect([checks, bank.files.sent()]).toEqual([1, []]);
    bank.deps.out = out;
    await until(async () => {
      await bank.rail.turn();
      return bank.files.sent().length > 0;
    });
    expect(paid()).toHaveLength(1);
    expect(await bank.deps.books.batches.findOne({})).toMatchObject({ state: "handed", puts: 1 });
  });
});

test("a file that cannot be handed over keeps no other one back", async () => {
  const { archive } = bank.deps;
  const [broken, right] = [newPayment(), newPayment()];
  await bank.dieAt("written", broken);
  const [first] = await bank.deps.books.batches.find().toArray();
  const read = (id: string) =>
    id === first?._id ? Promise.reject(new Error("It is lost")) : archive.read(id);
  bank.deps.archive = { ...archive, read };
  await bank.send(right);
  expect(bank.files.sent()).toHaveLength(1);
  expect(await bank.problems()).toEqual(["Handing files over fails: It is lost"]);
});
