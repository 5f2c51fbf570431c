// The rail of bank files over plain files: acceptance, batches, hand-over, answers, and what a death
// at each step leaves behind.

import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Point } from "../../../partners/bank-files/deps.ts";
import type { Answer } from "../../../partners/bank-files/format.ts";
import type { BankFilesRail } from "../../../partners/bank-files/rail.ts";
import type { RailPayment } from "../../../partners/types.ts";
import { type Files, instrument, newPayment, startFiles } from "../../support/bank/files.ts";
import { plainAnswer, plainFormat } from "../../support/bank/plain-format.ts";

const HOUR_MS = 3_600_000;

let files: Files;
let rail: BankFilesRail;

beforeEach(async () => {
  files = await startFiles();
  rail = await files.open();
});
afterEach(() => files?.stop());

const submit = (payment: RailPayment) => rail.submit(payment, instrument);

/** Submits payments and hands over their file. @returns the file's name */
async function send(...payments: RailPayment[]): Promise<string> {
  for (const payment of payments) await submit(payment);
  const before = files.sent();
  await rail.turn();
  return files.sent().find((name) => !before.includes(name)) as string;
}

const idsIn = (name: string) => plainFormat.read(files.readSent(name)).payments.map(({ id }) => id);
const allPaid = () => files.sent().flatMap(idsIn);
const batchOf = (name: string) => name.replace(/\.\w+$/, "");
const short = ({ id }: RailPayment) => plainFormat.shortId(id);

async function answer(told: Answer): Promise<void> {
  files.answer(`${randomUUID()}.json`, plainAnswer(told));
  await rail.turn();
}

describe("a payment", () => {
  test("is accepted, leaves in one file, and is settled by the bank's answer", async () => {
    const payment = newPayment();
    expect(await submit(payment)).toMatchObject({ kind: "accepted" });
    await rail.turn();
    await rail.turn();
    expect(allPaid()).toEqual([payment.id]);
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
    await answer({ told: [{ payment: short(payment), state: "settled", amountMinor: 1_000 }] });
    expect(await rail.query(payment.id)).toMatchObject({ kind: "settled" });
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
    await waitFor(async () => (await rail.deps.books.batches.countDocuments()) === 1);
    await waitFor(async () => {
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
    await waitFor(async () => files.sent().length === 1);
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
    await answer({ told: [{ payment: short(payment), state: "settled" }] });
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
    await waitFor(async () => files.sent().length === 1);
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

describe("an answer", () => {
  test.each([
    ["rejected", { kind: "rejected", code: "R03" }],
    ["returned", { kind: "returned", code: "R03" }],
  ] as const)("that says %s is told to payrail with its code", async (state, expected) => {
    const payment = newPayment();
    await send(payment);
    await answer({ told: [{ payment: short(payment), state, code: "R03", amountMinor: 1_000 }] });
    expect(await rail.query(payment.id)).toEqual(expected);
  });

  test("that rejects a settled payment returns it", async () => {
    const payment = newPayment();
    await send(payment);
    await answer({ told: [{ payment: short(payment), state: "settled" }] });
    await answer({ told: [{ payment: short(payment), state: "rejected", code: "R03" }] });
    expect(await rail.query(payment.id)).toEqual({ kind: "returned", code: "R03" });
  });

  test("that settles a payment which has come back meanwhile settles the others of the file", async () => {
    const [back, paid] = [newPayment(), newPayment()];
    await send(back, paid);
    await answer({ told: [{ payment: short(back), state: "returned", code: "AC04" }] });
    await answer({
      told: [
        { payment: short(back), state: "settled" },
        { payment: short(paid), state: "settled" },
      ],
    });
    expect(await rail.query(back.id)).toEqual({ kind: "returned", code: "AC04" });
    expect(await rail.query(paid.id)).toMatchObject({ kind: "settled" });
    expect(await rail.problems?.()).toEqual([]);
  });

  test("about a whole file counts for its payments that it does not name", async () => {
    const payments = [newPayment(), newPayment(), newPayment()];
    const name = await send(...payments);
    const [first, ...others] = payments as [RailPayment, ...RailPayment[]];
    await answer({
      batch: batchOf(name),
      whole: { state: "settled" },
      told: [{ payment: short(first), state: "rejected", code: "AC04" }],
    });
    expect(await rail.query(first.id)).toEqual({ kind: "rejected", code: "AC04" });
    for (const { id } of others) expect(await rail.query(id)).toMatchObject({ kind: "settled" });
  });

  test("that calls a file a duplicate decides nothing", async () => {
    const payment = newPayment();
    const name = await send(payment);
    await answer({ batch: batchOf(name), whole: { state: "duplicate" }, told: [] });
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
  });

  test("that calls a payment a duplicate decides nothing, and an operator reads it", async () => {
    const [payment, other] = [newPayment(), newPayment()];
    await send(payment, other);
    await answer({
      told: [
        { payment: short(payment), state: "rejected", code: "duplicate" },
        { payment: short(other), state: "settled" },
      ],
    });
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
    expect(await rail.query(other.id)).toMatchObject({ kind: "settled" });
    expect((await rail.problems?.())?.join()).toContain("a duplicate: ask the bank");
  });

  test("that returns less than was paid is a return, and an operator reads what the bank kept", async () => {
    const payment = newPayment();
    await send(payment);
    const returned = { payment: payment.id, state: "returned" as const, code: "AC04" };
    await answer({ told: [{ ...returned, amountMinor: 985 }] });
    expect(await rail.query(payment.id)).toEqual({ kind: "returned", code: "AC04" });
    expect((await rail.problems?.())?.join()).toContain("the bank kept 15 minor units");
  });

  test("that books a whole file settles its payments, except the refused ones", async () => {
    const payments = [newPayment(), newPayment({ amountMinor: 7 })] as const;
    const name = await send(...payments);
    await answer({ told: [{ payment: payments[1].id, state: "rejected", code: "AC04" }] });
    const booked = { batch: batchOf(name), currency: "USD" as const, amountMinor: 1_000 };
    const foreign = { batch: "ANOTHER-SENDER", currency: "EUR" as const, amountMinor: 5 };
    await answer({ booked: [foreign, booked], told: [] });
    expect(await rail.query(payments[0].id)).toMatchObject({ kind: "settled" });
    expect(await rail.query(payments[1].id)).toEqual({ kind: "rejected", code: "AC04" });
    expect(await rail.problems?.()).toEqual([]);
  });

  test("with a notice keeps the state, and the notice is told with it", async () => {
    const payment = newPayment();
    await send(payment);
    await answer({ told: [{ payment: short(payment), state: "settled" }] });
    await answer({ told: [{ payment: short(payment), state: "noted", notice: "A new number" }] });
    expect(await rail.query(payment.id)).toMatchObject({ kind: "settled", notice: "A new number" });
  });

  test("that comes again changes nothing", async () => {
    const payment = newPayment();
    await send(payment);
    const settled: Answer = { told: [{ payment: short(payment), state: "settled" }] };
    await answer(settled);
    await answer({ told: [{ payment: short(payment), state: "returned", code: "R01" }] });
    await answer(settled);
    expect(await rail.query(payment.id)).toEqual({ kind: "returned", code: "R01" });
    expect(await rail.problems?.()).toEqual([]);
  });

  type Wrong = (payment: RailPayment, batch: string) => Buffer;
  test.each<[string, Wrong, string]>([
    ["is no file of the format", () => Buffer.from("{"), "It is no JSON"],
    [
      "has a wrong count",
      (payment) =>
        Buffer.from(
          JSON.stringify({ told: [{ payment: short(payment), state: "settled" }], count: 2 }),
        ),
      "Its count is wrong",
    ],
    [
      "names a payment that was not sent",
      (payment) =>
        plainAnswer({
          told: [
            { payment: short(payment), state: "settled" },
            { payment: "STRANGER", state: "settled" },
          ],
        }),
      "It names STRANGER, which the rail did not send",
    ],
    [
      "has another amount",
      (payment) =>
        plainAnswer({ told: [{ payment: short(payment), state: "settled", amountMinor: 999 }] }),
      "is not the one that was sent",
    ],
    [
      "has another currency",
      (payment) =>
        plainAnswer({ told: [{ payment: short(payment), state: "settled", currency: "EUR" }] }),
      "is not the one that was sent",
    ],
    [
      "returns more than was paid",
      (payment) =>
        plainAnswer({ told: [{ payment: short(payment), state: "returned", amountMinor: 1_001 }] }),
      "is not the one that was sent",
    ],
    [
      "states another count",
      (_payment, batch) => plainAnswer({ batch, stated: { payments: 2 }, told: [] }),
      "is not the one that was sent",
    ],
    [
      "states another sum",
      (_payment, batch) => plainAnswer({ batch, stated: { amountMinor: 999 }, told: [] }),
      "is not the one that was sent",
    ],
    [
      "books another sum",
      (_payment, batch) =>
        plainAnswer({ booked: [{ batch, currency: "USD", amountMinor: 999 }], told: [] }),
      "is not the sum of its payments",
    ],
    [
      "is about a file that was not sent",
      () => plainAnswer({ batch: "TEST-200101-000001", whole: { state: "rejected" }, told: [] }),
      "It is about TEST-200101-000001, which the rail did not send",
    ],
  ])("that %s changes nothing and is a problem", async (_case, wrong, problem) => {
    const payment = newPayment();
    const name = await send(payment);
    files.answer("wrong.json", wrong(payment, batchOf(name)));
    await rail.turn();
    await rail.turn();
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
    const problems = await rail.problems?.();
    expect(problems).toHaveLength(1);
    expect(problems?.[0]).toMatch(/^The answer wrong\.json changed nothing: /);
    expect(problems?.[0]).toContain(problem);
    expect(files.logged.filter((line) => line.includes("wrong"))).toHaveLength(1);
  });

  test("that contradicts an end changes nothing, of its other payments neither", async () => {
    const [ended, open] = [newPayment(), newPayment()];
    await send(ended, open);
    await answer({ told: [{ payment: short(ended), state: "rejected", code: "AC04" }] });
    await answer({
      told: [
        { payment: short(open), state: "settled" },
        { payment: short(ended), state: "settled" },
      ],
    });
    expect(await rail.query(ended.id)).toEqual({ kind: "rejected", code: "AC04" });
    expect(await rail.query(open.id)).toMatchObject({ kind: "accepted" });
    expect(await rail.problems?.()).toHaveLength(1);
  });

  test("about a payment that waits is wrong until its file has left, and is applied then", async () => {
    const payment = newPayment();
    await submit(payment);
    files.answer(
      "early.json",
      plainAnswer({ told: [{ payment: short(payment), state: "settled" }] }),
    );
    const { books } = rail.deps;
    await books.payments.updateOne({ _id: payment.id }, { $set: { state: "cancelled" } });
    await rail.turn();
    expect(await rail.problems?.()).toHaveLength(1);
    await books.payments.updateOne({ _id: payment.id }, { $set: { state: "waiting" } });
    await rail.turn();
    expect(await rail.query(payment.id)).toMatchObject({ kind: "settled" });
    expect(await rail.problems?.()).toEqual([]);
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
    await answer({ told: [{ payment: short(payment), state: "rejected", code: "R03" }] });
    expect(await rail.query(payment.id)).toEqual({ kind: "returned", code: "R03" });
  });

  test("does not count as settled while its file has not left", async () => {
    const payment = newPayment();
    const dying = await files.open((reached) =>
      reached === "written" ? new Promise(() => {}) : undefined,
    );
    await submit(payment);
    void dying.turn();
    await waitFor(
      async () => (await rail.deps.books.batches.countDocuments({ state: "written" })) === 1,
    );
    files.clock.aheadMs = 72 * HOUR_MS;
    expect(await rail.query(payment.id)).toMatchObject({ kind: "accepted" });
  });
});

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 20_000;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error("The awaited state did not come");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
