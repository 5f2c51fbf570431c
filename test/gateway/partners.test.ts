// GET /v1/admin/partners: how the sandbox's rail and acquirer have answered, and what waits for
// them. partners-processes.deep.test.ts has several processes.

import { NONE, PARTNERS, partner, showPartners } from "../support/partners.ts";
import { openBooks } from "../support/payouts.ts";
import { settableClock } from "../support/settable-clock.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

describe("the sandbox's partners", () => {
  const clock = settableClock();
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      payoutsInstead: [{ clock }],
      paymentLinksInstead: [{ outcomeWithinMs: 1_000 }],
    });
  });
  afterAll(async () => {
    clock.aheadMs = 0;
    const books = await openBooks(world);
    await books.bringBack();
    await books.close();
    await world?.verifyBooks();
    await world?.stop();
  });

  test("are listed before they are asked", async () => {
    const unasked = {
      name: "sandbox",
      asked: 0,
      answered: 0,
      unknown: 0,
      errors: 0,
      timeouts: 0,
      meanMs: null,
      longestMs: null,
      lastAnsweredAt: null,
      lastUnansweredAt: null,
      problems: [],
    };
    expect(await showPartners(world)).toEqual({
      processes: { rails: 1, acquirers: 1 },
      partners: [
        { kind: "rail", ...unasked, waiting: [{ kind: "payout", ...NONE }] },
        {
          kind: "acquirer",
          ...unasked,
          waiting: [
            { kind: "payment", ...NONE },
            { kind: "refund", ...NONE },
          ],
        },
      ],
    });
  });

  test("that answer badly are shown so, with the payouts that wait for them", async () => {
    const { business, user, wallet } = await world.payer(100);
    const payOut = async (lastFour: string): Promise<string> => {
      const bank = await world.bank(business, wallet, lastFour);
      return dataOf(await world.withdraw(user, bank, { amount: 1 }), 200).id;
    };
    await world.status(business, await payOut("6789"), "SUCCESS");
    const before = await partner(world, "rail");
    expect(before).toMatchObject({ unknown: 0, timeouts: 0, lastUnansweredAt: null });
    expect(before.asked).toBe(before.answered);
    expect(before.longestMs).toBeGreaterThanOrEqual(before.meanMs);
    expect(before.waiting).toEqual([{ kind: "payout", ...NONE }]);

    const begun = Date.now();
    await payOut("0010");
    const ids = [await payOut("0008"), await payOut("0009")];
    const ends = ids.map((id) => world.status(business, id, "SUCCESS"));
    await clock.passDuring(Promise.all(ends));
    const after = await until(async () => {
      const found = await partner(world, "rail");
      // A question may be under way.
      const isQuiet = found.asked === found.answered + found.unknown;
      return found.waiting[0].count === 1 && isQuiet && found;
    });
    // 0008 is unknown at its submit, 0009 at three submits, and 0010 at all questions.
    expect(after.unknown).toBeGreaterThanOrEqual(5);
    expect(after.answered).toBeGreaterThan(before.answered);
    const { since } = after.waiting[0];
    for (const at of [since, after.lastUnansweredAt]) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(begun);
      expect(Date.parse(at)).toBeLessThanOrEqual(clock.now());
    }
  });

  test("do not answer a charge in time, and answer the void after it", async () => {
    const link = await world.paymentLink(await world.business());
    const { id } = dataOf(await world.pay(link, await world.cardToken("0119")), 200);
    await until(async () => {
      const { token } = link;
      const state = await world.http.get(`/v1/checkout/${token}/payments/${id}`);
      return dataOf(state, 200).status === "SUCCEEDED";
    });
    const { lastAnsweredAt, lastUnansweredAt, ...acquirer } = await partner(world, "acquirer");
    expect(acquirer).toMatchObject({ asked: 2, answered: 1, timeouts: 1, errors: 0, unknown: 0 });
    expect(lastAnsweredAt > lastUnansweredAt).toBe(true);
  });

  test("are shown to an admin only", async () => {
    const { business, user } = await world.payer();
    for (const token of [business.token, user.token]) {
      expect((await world.http.get(PARTNERS, { token })).status).toBe(401);
    }
  });
});
