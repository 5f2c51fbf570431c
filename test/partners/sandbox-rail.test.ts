// The sandbox rail: one book for all replicas pays an id at most once, and a cancel is permanent.
// The rail's answer is a function of the book and the time.

import { randomUUID } from "node:crypto";
import mongoose, { type Connection } from "mongoose";
import sandboxRail from "../../partners/sandbox/rail.ts";
import type { SandboxPayment } from "../../partners/sandbox/rail-book.ts";
import type { Rail, RailPayment } from "../../partners/types.ts";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { startRecorder } from "../support/recorder.ts";
import { sandboxContext } from "../support/sandbox.ts";

const SETTLE_MS = 1_000;
const SETTLED = { kind: "settled", amountMinor: 2_500, currency: "USD" };

let connection: Connection;
let rail: Rail;
/** A second replica on the same book. */
let other: Rail;
let now = Date.now();

beforeAll(async () => {
  connection = await mongoose.createConnection(bookUrl().href).asPromise();
  await connection.dropDatabase();
  const clock: Clock = { ...systemClock, now: () => now };
  rail = open(clock);
  other = open(clock);
});

function bookUrl(): URL {
  const url = new URL(process.env.TEST_MONGO_URL as string);
  url.pathname = "/test_rails_sandbox";
  return url;
}

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const open = (clock: Clock, over = connection) =>
  sandboxRail(sandboxContext(over, { clock, sandboxSettleMs: SETTLE_MS }));

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

test("it accepts and settles a payment and gives every replica the same answer", async () => {
  const paid = payment();
  expect(await rail.query(paid.id)).toEqual({ kind: "notFound" });
  expect(await submit(paid)).toMatchObject({ kind: "accepted", askAfterMs: SETTLE_MS });
  expect(await other.query(paid.id)).toMatchObject({ kind: "accepted" });
  later();
  expect(await other.query(paid.id)).toEqual(SETTLED);
  expect(await rail.query(paid.id)).toEqual(SETTLED);
});

test("the first submission of an id decides and every submission is counted", async () => {
  const paid = payment();
  await submit(paid);
  later();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => submit(paid, i % 2 ? rail : other)),
  );
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["settled"]));
  expect(await book().findOne({ _id: paid.id })).toMatchObject({ submits: 21 });
});

test("it accepts no payment if the connection to the book breaks", async () => {
  const wire = await startRecorder();
  const url = bookUrl();
  wire.forwardTo(Number(url.port));
  url.host = new URL(wire.url).host;
  url.search = "?directConnection=true&serverSelectionTimeoutMS=500";
  const cut = await mongoose.createConnection(url.href).asPromise();
  const away = open(systemClock, cut);
  await submit(payment(), away);
  wire.stop();
  const paid = payment();
  const answer = await submit(paid, away).catch((error: Error) => error);
  await cut.close();
  expect(answer).toBeInstanceOf(Error);
  expect(await rail.query(paid.id)).toEqual({ kind: "notFound" });
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

test("0007 settles and is returned after the rail has reported the settlement", async () => {
  const paid = payment("0007");
  await submit(paid);
  later();
  later();
  expect(await rail.query(paid.id)).toEqual(SETTLED);
  later();
  expect(await other.query(paid.id)).toEqual({
    ...SETTLED,
    kind: "returned",
    code: "returned",
  });
});

test("0008 does not answer the submission and has the payment", async () => {
  const paid = payment("0008");
  expect(await submit(paid)).toEqual({ kind: "unknown" });
  expect(await rail.query(paid.id)).toMatchObject({ kind: "accepted" });
});

test("0009 is unavailable for three submissions", async () => {
  const paid = payment("0009");
  for (let i = 0; i < 3; i++) {
    expect(await submit(paid)).toEqual({ kind: "unknown" });
    expect(await rail.query(paid.id)).toEqual({ kind: "notFound" });
  }
  expect(await submit(paid)).toMatchObject({ kind: "accepted" });
});

test("0010 answers neither a query nor a cancel", async () => {
  const paid = payment("0010");
  expect(await submit(paid)).toEqual({ kind: "unknown" });
  later();
  expect(await rail.query(paid.id)).toEqual({ kind: "unknown" });
  expect(await rail.cancel(paid.id)).toBe("unknown");
  expect(await rail.query(paid.id)).toEqual({ kind: "unknown" });
});

test("it cancels an unsettled payment, and a later submission changes nothing", async () => {
  const paid = payment();
  await submit(paid);
  expect(await rail.cancel(paid.id)).toBe("cancelled");
  expect(await other.cancel(paid.id)).toBe("cancelled");
  later();
  expect(await submit(paid)).toEqual({ kind: "rejected", code: "cancelled" });
  expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code: "cancelled" });
});

test("it cancels an unknown id permanently", async () => {
  const paid = payment();
  expect(await rail.cancel(paid.id)).toBe("cancelled");
  expect(await submit(paid)).toEqual({ kind: "rejected", code: "cancelled" });
});

test("the first submit's sum is told, also if a repeat asks for another one", async () => {
  const paid = payment();
  await submit(paid);
  later();
  expect(await submit({ ...paid, amountMinor: 90_000 }, other)).toEqual(SETTLED);
  expect(await submit({ ...paid, currency: "EUR" })).toEqual(SETTLED);
  expect(await rail.query(paid.id)).toEqual(SETTLED);
});

describe("0011 has a problem at settlement", () => {
  test.each([
    ["settled", SETTLED],
    ["rejected", { kind: "rejected", code: "resolved" }],
    ["returned", { ...SETTLED, kind: "returned", code: "resolved" }],
  ] as const)("until an operator decides that it is %s, for good", async (end, answer) => {
    const paid = payment("0011");
    await submit(paid);
    expect(await rail.decide?.(paid.id, end)).toBe("no");
    later();
    expect(await rail.query(paid.id)).toMatchObject({
      kind: "accepted",
      problem: expect.any(String),
    });
    expect(await rail.cancel(paid.id)).toBe("no");
    expect(await rail.decide?.(paid.id, end)).toBe("decided");
    expect(await other.decide?.(paid.id, end)).toBe("decided");
    expect(await other.decide?.(paid.id, end === "settled" ? "rejected" : "settled")).toBe("no");
    expect(await other.query(paid.id)).toEqual(answer);
  });

  test("no other payment takes a decision", async () => {
    const paid = payment();
    await submit(paid);
    later();
    for (const id of [paid.id, randomUUID()]) {
      expect(await rail.decide?.(id, "rejected")).toBe("no");
    }
    expect(await rail.query(paid.id)).toEqual(SETTLED);
  });
});

test("it does not cancel a settled payment", async () => {
  const paid = payment();
  await submit(paid);
  later();
  expect(await rail.cancel(paid.id)).toBe("no");
  expect(await rail.query(paid.id)).toEqual(SETTLED);
});

test("a submission and a cancel that race have the same outcome", async () => {
  for (let i = 0; i < 20; i++) {
    const paid = payment();
    const [cancelled] = await Promise.all([other.cancel(paid.id), submit(paid)]);
    expect(cancelled).toBe("cancelled");
    expect(await rail.query(paid.id)).toEqual({ kind: "rejected", code: "cancelled" });
  }
});

test("a replica with a late clock does not cancel a settled payment", async () => {
  const behind: Clock = { ...systemClock, now: () => now - SETTLE_MS };
  const paid = payment();
  await submit(paid);
  later();
  expect(await rail.query(paid.id)).toMatchObject({ kind: "settled" });
  expect(await open(behind).cancel(paid.id)).toBe("no");
  expect(await rail.query(paid.id)).toMatchObject({ kind: "settled" });
});
