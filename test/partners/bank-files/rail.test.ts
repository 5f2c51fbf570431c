// The rail of bank files over plain files: acceptance, batches, hand-over, answers, and what a
// death at each step leaves behind.

import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Point } from "../../../partners/bank-files/deps.ts";
import type { BankFilesRail } from "../../../partners/bank-files/rail.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { type Files, instrument, newPayment } from "../../support/bank/files.ts";
import {
  batchOf,
  HOUR_MS,
  type PlainBank,
  startPlainBank,
  told,
} from "../../support/bank/plain-bank.ts";
import { plainFormat } from "../../support/bank/plain-format.ts";
import { until } from "../../support/system.ts";

let bank: PlainBank;
let files: Files;
let rail: BankFilesRail;

beforeEach(async () => {
  bank = await startPlainBank();
  ({ files, rail } = bank);
});
afterEach(() => bank?.stop());

const submit = (payment: RailPayment) => rail.submit(payment, instrument);

const send = (...payments: RailPayment[]) => bank.send(...payments);
const idsIn = (name: string) => plainFormat.read(files.readSent(name)).payments.map(({ id }) => id);
const allPaid = () => files.sent().flatMap(idsIn);

describe("a payment", () => {
  test("is accepted, leaves in one file, and is settled by the bank's answer", async () => {
    const payment = newPayment();
    expect(await submit(payment)).toMatchObject({ kind: "accepted" });
    await rail.turn();
    await rail.turn();
    expect(allPaid()).toEqual([payment.id]);
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
    await bank.answer({ told: [told(payment, "settled", { amountMinor: 1_000 })] });
    expect(await rail.query(payment.id)).toMatchObject({
      ...{ kind: "settled", amountMinor: 1_000, currency: "USD" },
    });
  });

  test("that is submitted again, before and after its file, is paid once", async () => {
    const payment = newPayment();
    await Promise.all([submit(payment), submit(payment), submit(payment)]);
    await rail.turn();
    expect(await submit(payment)).toMatchObject({ kind: "accepted" });
    await rail.turn();
    expect(allPaid()).toEqual([payment.id]);
  });

  test("that the format cannot carry is rejected, also when it is asked again", async () => {
    const payment = newPayment({ currency: "EUR" });
    const rejected = { kind: "rejected", code: "currency_not_supported" };
    expect(await submit(payment)).toEqual(rejected);
    expect(await rail.query(payment.id)).toEqual(rejected);
    await rail.turn();
    expect(files.sent()).toEqual([]);
  });

  test("that never came is not found", async () => {
    expect(await rail.query(randomUUID())).toEqual({ kind: "notFound" });
  });

  test("whose account cannot be opened is not stored, so that a later submit counts", async () => {
    const payment = newPayment();
    const fail = () => Promise.reject(new Error("accounts is away"));
    await expect(rail.submit(payment, fail)).rejects.toThrow("accounts is away");
    expect(await rail.query(payment.id)).toEqual({ kind: "notFound" });
    expect(await submit(payment)).toMatchObject({ kind: "accepted" });
  });
});

describe("a cancel", () => {
  test("ends a payment that waits, for good", async () => {
    const payment = newPayment();
    await submit(payment);
    expect(await rail.cancel(payment.id)).toBe("cancelled");
    expect(await rail.cancel(payment.id)).toBe("cancelled");
    expect(await submit(payment)).toEqual({ kind: "rejected", code: "cancelled" });
    await rail.turn();
    expect(files.sent()).toEqual([]);
  });

  test("of an id that never came refuses its later submit", async () => {
    const payment = newPayment();
    expect(await rail.cancel(payment.id)).toBe("cancelled");
    expect(await submit(payment)).toEqual({ kind: "rejected", code: "cancelled" });
  });

  test("of a payment that a batch has taken is refused, and nothing changes", async () => {
    const payment = newPayment();
    await send(payment);
    expect(await rail.cancel(payment.id)).toBe("no");
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
  });

  test("and a cut-off at the same time agree on who was first", async () => {
    const payments = Array.from({ length: 40 }, () => newPayment());
    for (const payment of payments) await submit(payment);
    const other = await files.open();
    const cancels = payments.map(({ id }) => rail.cancel(id));
    await Promise.all([other.turn(), rail.turn()]);
    const answers = await Promise.all(cancels);
    await rail.turn();
    const paid = allPaid();
    for (const [i, { id }] of payments.entries()) {
      expect([id, paid.includes(id)]).toEqual([id, answers[i] === "no"]);
    }
    expect(new Set(paid).size).toBe(paid.length);
  });
});

describe("a file", () => {
  test("has a number and a name of its own, and says what its batch says", async () => {
    const first = await send(newPayment(), newPayment({ amountMinor: 1 }));
    const second = await send(newPayment({ amountMinor: 7 }));
    expect([first, second].map((name) => name.slice(-11))).toEqual(["000001.json", "000002.json"]);
    expect(JSON.parse(files.readSent(second).toString())).toMatchObject({
      id: batchOf(second),
      number: 2,
      paymentsBefore: 2,
      sumMinor: 7,
    });
    const batches = [];
    for await (const batch of rail.batches?.() ?? []) batches.push(batch);
    expect(batches.map(({ id, amountMinor }) => [id, amountMinor])).toEqual([
      [first, 1_001],
      [second, 7],
    ]);
  });

  test("leaves no account number in the database or the archive, except encrypted", async () => {
    await submit(newPayment());
    const { payments } = rail.deps.books;
    expect(JSON.stringify(await payments.find().toArray())).not.toContain("918273646789");
    await rail.turn();
    const [handed] = await payments.find().toArray();
    expect(handed).not.toHaveProperty("sealed");
    const [archived] = await rail.deps.archive.missing((await startOther(files)).deps.books);
    const path = join(files.folder("archive"), `${archived}.json.jwe`);
    expect(readFileSync(path, "utf8")).not.toContain("918273646789");
  });
});

/** A rail with empty books over the same folders, as after a restore to an earlier moment. */
async function startOther(same: Files): Promise<BankFilesRail> {
  same.settings.name = `${same.settings.name}-restored`;
  return same.open();
}

describe("a death", () => {
  const POINTS: Point[] = ["closed", "archived", "written", "handing", "put", "handed"];

  test.each(POINTS)("at the step %s neither loses nor doubles a payment", async (point) => {
    const payments = [newPayment(), newPayment()];
    const dying = await files.open((reached) =>
      reached === point ? new Promise(() => {}) : undefined,
    );
    for (const payment of payments) await submit(payment);
    void dying.turn();
    // The file is stored up to the step, and the process does nothing more.
    await until(async () => (await rail.deps.books.batches.countDocuments()) === 1);
    await until(async () => {
      files.clock.aheadMs += HOUR_MS;
      await rail.turn();
      return (await rail.deps.books.batches.countDocuments({ state: "handed" })) === 1;
    });
    expect(allPaid().toSorted()).toEqual(payments.map(({ id }) => id).toSorted());
  });

  test("during a hand-over to a bank that pays repeated files holds a file that the bank has taken", async () => {
    files.settings.repeats = "paid";
    const payment = newPayment();
    const dying = await files.open((reached) =>
      reached === "put" ? new Promise(() => {}) : undefined,
    );
    await submit(payment);
    void dying.turn();
    await until(async () => files.sent().length === 1);
    const [name] = files.sent() as [string];
    rmSync(join(files.folder("out"), name));
    files.clock.aheadMs = HOUR_MS;
    await rail.turn();
    await rail.turn();
    expect(files.sent()).toEqual([]);
    expect(await rail.problems?.()).toEqual([
      `The file ${name} may be at the bank or not: ask the bank`,
    ]);
    // An answer shows that the bank has it.
    await bank.answer({ told: [told(payment, "settled")] });
    expect(await rail.problems?.()).toEqual([]);
    expect(await rail.query(payment.id)).toMatchObject({ kind: "settled" });
  });

  test("during a hand-over to a bank that pays repeated files repeats nothing if the file is still there", async () => {
    files.settings.repeats = "paid";
    const dying = await files.open((reached) =>
      reached === "put" ? new Promise(() => {}) : undefined,
    );
    await submit(newPayment());
    void dying.turn();
    await until(async () => files.sent().length === 1);
    files.clock.aheadMs = HOUR_MS;
    await rail.turn();
    expect(await rail.problems?.()).toEqual([]);
    expect(await rail.deps.books.batches.countDocuments({ state: "handed" })).toBe(1);
  });
});

describe("after a restore to an earlier moment", () => {
  test("payments that have left are known, and a later file has another number", async () => {
    const payment = newPayment();
    const first = await send(payment);
    const restored = await startOther(files);
    const listed = [];
    for await (const entry of restored.list?.(0) ?? []) listed.push(entry);
    expect(listed).toMatchObject([{ id: payment.id, state: "accepted", amountMinor: 1_000 }]);
    expect(await restored.query(payment.id)).toMatchObject({ kind: "accepted" });
    expect(await restored.submit(payment, instrument)).toMatchObject({ kind: "accepted" });
    await restored.submit(newPayment(), instrument);
    await restored.turn();
    expect(files.sent()).toHaveLength(2);
    expect(files.sent()[1]).not.toBe(first);
    expect(allPaid().filter((id) => id === payment.id)).toHaveLength(1);
  });

  test("nothing is answered while the archive cannot be read", async () => {
    const payment = newPayment();
    await send(payment);
    const restored = await startOther(files);
    const moved = files.folder("archive");
    rmSync(moved, { recursive: true });
    await expect(restored.query(payment.id)).rejects.toThrow();
    await expect(restored.submit(payment, instrument)).rejects.toThrow();
    await restored.turn();
    expect(files.sent()).toHaveLength(1);
    expect((await restored.problems?.())?.[0]).toContain("archive");
  });
});

describe("an ACH credit", () => {
  beforeEach(() => {
    files.settings.settledAfterDays = 2;
  });

  test("counts as settled once it did not come back, and a rejection after that is a return", async () => {
    const payment = newPayment();
    await send(payment);
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
    files.clock.aheadMs = 72 * HOUR_MS;
    expect(await rail.query(payment.id)).toMatchObject({ kind: "settled" });
    await bank.answer({ told: [told(payment, "rejected", { code: "R03" })] });
    expect(await rail.query(payment.id)).toEqual({
      ...{ kind: "returned", code: "R03", amountMinor: 1_000, currency: "USD" },
    });
  });

  test("does not count as settled while its file has not left", async () => {
    const payment = newPayment();
    const dying = await files.open((reached) =>
      reached === "written" ? new Promise(() => {}) : undefined,
    );
    await submit(payment);
    void dying.turn();
    await until(
      async () => (await rail.deps.books.batches.countDocuments({ state: "written" })) === 1,
    );
    files.clock.aheadMs = 72 * HOUR_MS;
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
  });
});
