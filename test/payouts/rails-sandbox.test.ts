// The sandbox rail: one book for all replicas, in which an id is paid at most once; a cancel is for
// ever; what it answers is a function of the book and the time.

import { randomUUID } from "node:crypto";
import mongoose, { type Connection } from "mongoose";
import { type SandboxPayment, sandboxRail } from "../../services/payouts/rails/sandbox.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import type { Rail, RailPayment } from "../../shared/partners/rail.ts";

const SETTLE_MS = 1_000;

let connection: Connection;
let rail: Rail;
/** A second replica on the same book. */
let other: Rail;
let now = Date.now();

beforeAll(async () => {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_rails_sandbox";
  connection = await mongoose.createConnection(url.href).asPromise();
  await connection.dropDatabase();
  const clock: Clock = { ...systemClock, now: () => now };
  rail = sandboxRail(book(), clock, SETTLE_MS);
  other = sandboxRail(book(), clock, SETTLE_MS);
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

function book() {
  return connection.getClient().db(connection.name).collection<SandboxPayment>("sandbox_rail");
}

function payment(lastFour = "6789"): RailPayment {
  return {
    id: randomUUID(),
    method: "ACH",
    amountMinor: 2_500,
    currency: "USD",
    optionType: "bank",
    lastFour,
    reference: "Rent",
  };
}

const noInstrument = () => Promise.reject(new Error("The sandbox needs no numbers"));
const submit = (paid: RailPayment, to = rail) => to.submit(paid, noInstrument);
const later = () => {
  now += SETTLE_MS;
};

test("accepts, settles, and says the same to every replica", async () => {
  const paid = payment();
  expect(await rail.query(paid.id)).toEqual({ kind: "notFound" });
  expect(await submit(paid)).toMatchObject({ kind: "accepted", askAfterMs: SETTLE_MS });
  expect(await other.query(paid.id)).toMatchObject({ kind: "accepted" });
  later();
  expect(await other.query(paid.id)).toEqual({ kind: "settled" });
  expect(await rail.query(paid.id)).toEqual({ kind: "settled" });
});

test("the first submit of an id wins; all are counted", async () => {
  const paid = payment();
  await submit(paid);
  later();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => submit(paid, i % 2 ? rail : other)),
  );
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["settled"]));
  expect(await book().findOne({ _id: paid.id })).toMatchObject({ submits: 21 });
});

test.each([
  ["0002", "duplicate"],
  ["0003", "compliance"],
  ["0004", "processing_error"],
  ["0005", "card_declined"],
])("%s is refused at once", async (lastFour, code) => {
  const paid = payment(lastFour);
  expect(await submit(paid)).toEqual({ kind: "rejected", code });
  later();
  expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code });
  expect(await rail.cancel(paid.id)).toBe("no");
});

test.each([
  ["0001", "account_not_found"],
  ["0006", "cancelled_by_bank"],
])("%s is refused at settlement", async (lastFour, code) => {
  const paid = payment(lastFour);
  expect(await submit(paid)).toMatchObject({ kind: "accepted" });
  later();
  expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code });
});

test("0007 settles, and comes back once its settlement was told", async () => {
  const paid = payment("0007");
  await submit(paid);
  later();
  later();
  expect(await rail.query(paid.id)).toEqual({ kind: "settled" });
  later();
  expect(await other.query(paid.id)).toEqual({ kind: "returned", code: "returned" });
});

test("0008 does not answer the submit, and has it", async () => {
  const paid = payment("0008");
  expect(await submit(paid)).toEqual({ kind: "unknown" });
  expect(await rail.query(paid.id)).toMatchObject({ kind: "accepted" });
});

test("0009 is unavailable for three submits", async () => {
  const paid = payment("0009");
  for (let i = 0; i < 3; i++) {
    expect(await submit(paid)).toEqual({ kind: "unknown" });
    expect(await rail.query(paid.id)).toEqual({ kind: "notFound" });
  }
  expect(await submit(paid)).toMatchObject({ kind: "accepted" });
});

test("0010 answers nothing, a cancel neither", async () => {
  const paid = payment("0010");
  expect(await submit(paid)).toEqual({ kind: "unknown" });
  later();
  expect(await rail.query(paid.id)).toEqual({ kind: "unknown" });
  expect(await rail.cancel(paid.id)).toBe("unknown");
  expect(await rail.query(paid.id)).toEqual({ kind: "unknown" });
});

test("cancels what it has not settled; a later submit changes nothing", async () => {
  const paid = payment();
  await submit(paid);
  expect(await rail.cancel(paid.id)).toBe("cancelled");
  expect(await other.cancel(paid.id)).toBe("cancelled");
  later();
  expect(await submit(paid)).toEqual({ kind: "rejected", code: "cancelled" });
  expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code: "cancelled" });
});

test("cancels an id that it has never seen, for ever", async () => {
  const paid = payment();
  expect(await rail.cancel(paid.id)).toBe("cancelled");
  expect(await submit(paid)).toEqual({ kind: "rejected", code: "cancelled" });
});

test("does not cancel what is settled", async () => {
  const paid = payment();
  await submit(paid);
  later();
  expect(await rail.cancel(paid.id)).toBe("no");
  expect(await rail.query(paid.id)).toEqual({ kind: "settled" });
});

test("a submit and a cancel that race end the same way for both", async () => {
  for (let i = 0; i < 20; i++) {
    const paid = payment();
    const [cancelled] = await Promise.all([other.cancel(paid.id), submit(paid)]);
    expect(cancelled).toBe("cancelled");
    expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code: "cancelled" });
  }
});

test("what was said to be settled is not cancelled by who looked at the clock before", async () => {
  const behind: Clock = { ...systemClock, now: () => now - SETTLE_MS };
  const paid = payment();
  await submit(paid);
  later();
  expect(await rail.query(paid.id)).toMatchObject({ kind: "settled" });
  expect(await sandboxRail(book(), behind, SETTLE_MS).cancel(paid.id)).toBe("no");
  expect(await rail.query(paid.id)).toMatchObject({ kind: "settled" });
});
