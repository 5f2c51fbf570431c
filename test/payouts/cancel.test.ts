// Cancelling a payout is possible only while it is PENDING and only if the rail confirms it. A
// cancelled payout is refunded and never paid.

import { randomUUID } from "node:crypto";
import type { Point } from "../../services/payouts/deps.ts";
import { freezer } from "../support/freezer.ts";
import { type Books, openBooks, scriptedRail } from "../support/payouts.ts";
import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type TestBusiness, type World } from "../support/world.ts";

let world: World;
let books: Books;
let business: TestBusiness;

async function pay(lastFour = "6789", routingType?: string) {
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet, lastFour);
  const withdrawal = world.withdraw(user, bank, { routingType });
  return { wallet, id: withdrawal.then((answer) => dataOf(answer, 200).id as string) };
}

function cancel(id: string, { token } = business) {
  return world.http.post(`/v1/transactions/${id}/cancel`, {}, { token });
}

async function expectRefusal(id: string): Promise<void> {
  const { status, body } = await cancel(id);
  const message = "Payout can no longer be cancelled";
  expect([status, body]).toEqual([409, refusal(message)]);
}

describe("at the sandbox rail", () => {
  beforeAll(async () => {
    world = await startWorld({ environment: { SANDBOX_SETTLE_MS: "60000" } });
    books = await openBooks(world);
    business = await world.business();
  });

  afterAll(async () => {
    await world.verifyBooks();
    await books.close();
    await world.stop();
  });

  test("an unsettled wire is cancelled and refunded; a repeat has the same answer", async () => {
    const { wallet, ...paid } = await pay("6789", "WIRE");
    const id = await paid.id;
    const first = await cancel(id);
    expect(first.status).toBe(200);
    expect(first.body.data).toMatchObject({
      id,
      status: "FAILED",
      failureReason: "Payment was cancelled.",
    });
    expect(await world.balance(business, wallet)).toBe("100.00");
    const second = await cancel(id);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await world.balance(business, wallet)).toBe("100.00");
  });

  test("ten concurrent cancels refund once", async () => {
    const { wallet, ...paid } = await pay("6789", "WIRE");
    const id = await paid.id;
    const answers = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await world.balance(business, wallet)).toBe("100.00");
  });

  test("a payout that the network has accepted cannot be cancelled", async () => {
    const id = await (await pay("6789", "ACH")).id;
    await world.status(business, id, "PROCESSING_PAY_OUT");
    await expectRefusal(id);
  });

  test("a rail that never answers does not confirm a cancel", async () => {
    const { wallet, ...paid } = await pay("0010");
    const id = await paid.id;
    // Waits until the rail has the payment, because before that the rail accepts a cancel.
    await until(() => books.rail.findOne({ _id: id, submits: { $gte: 1 } }));
    await expectRefusal(id);
    await world.status(business, id, "PENDING");
    expect(await world.balance(business, wallet)).toBe("74.75");
  });

  test("a payout that failed at the bank cannot be cancelled", async () => {
    const id = await (await pay("0004")).id;
    await world.status(business, id, "FAILED");
    await expectRefusal(id);
  });

  test("another business's payout is not found", async () => {
    const id = await (await pay("6789", "WIRE")).id;
    const stranger = await world.business();
    const answers = [
      await cancel(id, stranger),
      await cancel(randomUUID()),
      await cancel("nonsense"),
    ];
    for (const { status, body } of answers) {
      expect([status, body.message]).toEqual([404, "Transaction not found"]);
    }
    expect((await cancel(id, { ...business, token: world.tokens.user(business.id) })).status).toBe(
      401,
    );
  });
});

describe("at a scripted rail", () => {
  const { answers, timesAsked, rail, rails } = scriptedRail();
  const { reached, freeze } = freezer<Point>();

  beforeAll(async () => {
    // With a screening the rail would not have it right after the acceptance.
    world = await startWorld({
      environment: { SCREENING: "off" },
      payoutsInstead: [{ rails, reached }],
    });
    books = await openBooks(world);
    business = await world.business();
  });

  beforeEach(() => {
    answers.submit = { kind: "unknown" };
    answers.query = { kind: "unknown" };
    answers.cancel = "unknown";
  });

  afterAll(async () => {
    await world.verifyBooks();
    await books.close();
    await world.stop();
  });

  test("a cancel of a payout without a rail takes effect immediately", async () => {
    const { forMethod } = rails;
    const frozen = freeze("accepted");
    const { wallet, ...paid } = await pay();
    const id = await frozen.reached;
    rails.forMethod = {};
    try {
      await books.asBefore(id);
      await books.step(id, "submit");
      expect((await cancel(id)).status).toBe(200);
    } finally {
      rails.forMethod = forMethod;
    }
    await books.step(id, "closed");
    await world.status(business, id, "FAILED");
    expect(await world.balance(business, wallet)).toBe("100.00");
    expect(timesAsked("cancel", id) + timesAsked("submit", id)).toBe(0);
    frozen.release();
    await paid.id.catch(() => {});
  });

  test("an unanswered cancel that the rail carries out later refunds the payout", async () => {
    const { wallet, ...paid } = await pay();
    const id = await paid.id;
    await books.step(id, "submitting");
    await expectRefusal(id);
    answers.query = { kind: "rejected", code: "cancelled" };
    const { failureReason } = await world.status(business, id, "FAILED");
    expect(failureReason).toBe("Payment was cancelled.");
    expect((await cancel(id)).status).toBe(200);
    expect(await world.balance(business, wallet)).toBe("100.00");
  });

  test.each<Point>(["accepted", "submitting-stored"])(
    "a payout cancelled while its node is frozen at %s is refunded, not paid",
    async (point) => {
      const frozen = freeze(point);
      const { wallet, ...paid } = await pay();
      const id = await frozen.reached;
      answers.cancel = "cancelled";
      const answer = await cancel(id);
      expect([answer.status, answer.body.data.status]).toEqual([200, "FAILED"]);
      // The rail refuses the late submission, because it has confirmed the cancel.
      answers.submit = { kind: "rejected", code: "cancelled" };
      frozen.release();
      // The withdrawal is still accepted.
      expect(await paid.id).toBe(id);
      await until(() => timesAsked("submit", id) === 1);
      await books.step(id, "closed");
      expect(await world.balance(business, wallet)).toBe("100.00");
    },
  );

  test("an accepted payout needs the rail's confirmation of a cancel before its submit", async () => {
    const frozen = freeze("accepted");
    const { wallet, ...paid } = await pay();
    const id = await frozen.reached;
    answers.cancel = "no";
    await expectRefusal(id);
    answers.submit = { kind: "settled" };
    frozen.release();
    await world.status(business, await paid.id, "SUCCESS");
    expect(await world.balance(business, wallet)).toBe("74.75");
  });

  test("a payout that is submitted again needs the rail's confirmation of a cancel", async () => {
    const frozen = freeze("resubmission-stored");
    answers.query = { kind: "notFound" };
    const { wallet, ...paid } = await pay();
    const id = await paid.id;
    expect(await frozen.reached).toBe(id);
    expect(await books.payouts.findOne({ _id: id })).toMatchObject({ step: "submit" });
    await expectRefusal(id);
    answers.submit = { kind: "settled" };
    frozen.release();
    await world.status(business, id, "SUCCESS");
    expect(await world.balance(business, wallet)).toBe("74.75");
  });

  test("the rail's answers `no` and `notFound` do not confirm a cancel", async () => {
    const id = await (await pay()).id;
    await books.step(id, "submitting");
    answers.query = { kind: "notFound" };
    answers.cancel = "no";
    await expectRefusal(id);
    answers.submit = { kind: "settled" };
    await world.status(business, id, "SUCCESS");
    await expectRefusal(id);
  });

  test("a cancel that fails at the rail leaves the payout unchanged", async () => {
    const id = await (await pay()).id;
    await books.step(id, "submitting");
    const { cancel: asked } = rail;
    rail.cancel = () => Promise.reject(new Error("The rail is down"));
    await expectRefusal(id);
    rail.cancel = asked;
    await world.status(business, id, "PENDING");
  });
});
