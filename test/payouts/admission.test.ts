// The admission of withdrawals: while too many payouts of a rail are not submitted, further ones
// wait in their order, and those that wait too long leave no trace.

import { createAdmission } from "../../services/payouts/admission.ts";
import type { Rails } from "../../services/payouts/rails/load.ts";
import { type Clock, LATE, systemClock } from "../../shared/clock.ts";
import { ANSWERED_WITHIN_MS } from "../../shared/partners/ask.ts";
import { type Books, openBooks, scriptedRail } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const SECOND_MS = 1_000;

/** Admits pieces of work that end when the test says so. */
function admitting(clock: Clock = systemClock) {
  const admission = createAdmission(clock, 2);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const admit = (name: string, rail = "bank") =>
    admission.admit(rail, SECOND_MS, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const figures = () => admission.gauges().map(({ value, labels }) => [labels.name, value]);
  return { admission, begun, admit, figures, end: (name: string) => ends.get(name)?.() };
}

const LATE_CLOCK: Clock = { ...systemClock, within: async () => LATE };

test("work beyond the bound waits in its order, apart for each rail", async () => {
  const { begun, admit, figures, end } = admitting();
  const all = ["a", "b", "c", "d"].map((name) => admit(name));
  const other = admit("other", "other bank");
  expect(begun).toEqual(["a", "b", "other"]);
  expect(figures()).toEqual([
    ["bank", 2],
    ["bank", 2],
    ["other bank", 1],
    ["other bank", 0],
  ]);
  end("b");
  await until(() => begun.includes("c"));
  expect(begun).not.toContain("d");
  for (const name of ["a", "c"]) end(name);
  await until(() => begun.includes("d"));
  for (const name of ["d", "other"]) end(name);
  await Promise.all([...all, other]);
  expect(figures().every(([, value]) => value === 0)).toBe(true);
});

test("work that waits too long is not begun, and leaves its turn", async () => {
  const { begun, admit, figures, end } = admitting(LATE_CLOCK);
  const running = ["a", "b"].map((name) => admit(name));
  await expect(admit("c")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  for (const name of ["a", "b"]) end(name);
  await Promise.all(running);
  expect(begun).toEqual(["a", "b"]);
  expect(figures().map(([, value]) => value)).toEqual([0, 0]);
});

test("work that fails leaves its place, and a drive occupies one until it has ended", async () => {
  const { admission, figures } = admitting();
  await expect(
    admission.admit("bank", SECOND_MS, () => Promise.reject(new Error("No"))),
  ).rejects.toThrow("No");
  const drive = Promise.withResolvers<void>();
  admission.occupy("bank", drive.promise);
  expect(figures().map(([, value]) => value)).toEqual([1, 0]);
  drive.resolve();
  await until(() => figures()[0]?.[1] === 0);
});

test("more waiting withdrawals than can be served in time are refused immediately", async () => {
  const { admit, end, begun } = admitting();
  const names = Array.from({ length: 6 }, (_, i) => `${i}`);
  const admitted = names.map((name) => admit(name));
  await expect(admit("more")).rejects.toMatchObject({ type: "UNAVAILABLE" });
  for (const name of names) {
    await until(() => begun.includes(name));
    end(name);
  }
  await Promise.all(admitted);
});

describe("over HTTP, with a rail that hangs and one that works", () => {
  let world: World;
  let books: Books;
  let release: () => void;

  async function start(clock: Clock) {
    const hangs = Promise.withResolvers<void>();
    release = hangs.resolve;
    const works = scriptedRail(0);
    works.answers.submit = { kind: "settled" };
    const slow = scriptedRail(0);
    slow.answers.submit = { kind: "settled" };
    slow.answers.query = { kind: "notFound" };
    const bank: typeof slow.rail = {
      ...slow.rail,
      name: "slow",
      async submit(...asked) {
        await hangs.promise;
        return slow.rail.submit(...asked);
      },
    };
    const rails: Rails = {
      forMethod: { ACH: bank, RTP: works.rail },
      named: new Map([bank, works.rail].map((rail) => [rail.name, rail])),
    };
    world = await startWorld({ payoutsInstead: [{ rails, clock, unsubmittedAtMost: 2 }] });
    books = await openBooks(world);
    const { business, user, wallet } = await world.payer(1_000);
    const account = await world.bank(business, wallet);
    const pay = (routingType: "ACH" | "RTP", key: string) =>
      world.withdraw(user, account, { amount: 1, routingType }, { "idempotency-key": key });
    return { business, pay };
  }

  afterEach(async () => {
    release();
    await until(async () => (await books.payouts.countDocuments({ status: "PENDING" })) === 0);
    await world.verifyBooks();
    await books.close();
    await world.stop();
  });

  /** The rail hangs until the test releases it. */
  const PATIENT: Clock = {
    ...systemClock,
    within: (work, ms) => (ms === ANSWERED_WITHIN_MS ? work : systemClock.within(work, ms)),
  };

  test("the third withdrawal gets a 503, and the other rail pays", async () => {
    const { business, pay } = await start(PATIENT);
    const first = await pay("ACH", "first");
    dataOf(await pay("ACH", "second"), 200);
    const third = await pay("ACH", "third");
    expect(third).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect(Number(third.headers["retry-after"])).toBeGreaterThan(0);
    expect(await books.payouts.countDocuments({ idempotencyKey: "third" })).toBe(0);
    // A repeat does not wait for a place.
    expect(await pay("ACH", "first")).toMatchObject({ status: 200, body: first.body });
    const { id } = dataOf(await pay("RTP", "other"), 200) as { id: string };
    await world.status(business, id, "SUCCESS");
    release();
    await until(async () => (await pay("ACH", "third")).status === 200);
  });

  test("a payout whose rail gives no answer in time leaves its place", async () => {
    const { pay } = await start(systemClock);
    for (const key of ["first", "second", "third"]) {
      await until(async () => (await pay("ACH", key)).status === 200);
    }
  });
});
