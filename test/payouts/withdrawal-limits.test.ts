// Limits of withdrawals (docs/integrate/rest-api.md, Limits of withdrawals): one a minute for each
// user, over all replicas. A withdrawal counts only if it is accepted or may still be accepted.

import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

/** A world with two payouts replicas and a withdrawal limit. */
function limitedWorld(environment: Record<string, string>): Promise<World> {
  return startWorld({ environment, overNats: true, payoutsInstead: [{}, {}] });
}

async function arrange(world: World, amount = 1_000) {
  const payer = await world.payer(amount);
  return { ...payer, bank: await world.bank(payer.business, payer.wallet) };
}

describe("one a minute", () => {
  let world: World;

  beforeAll(async () => {
    world = await limitedWorld({ WITHDRAWAL_LIMIT: "1/60s" });
  });

  afterAll(async () => {
    await world.verifyBooks();
    await world.stop();
  });

  test("one of several concurrent withdrawals succeeds, the others are a 429", async () => {
    const { business, user, wallet, bank } = await arrange(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.withdraw(user, bank)));
    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).toEqual([1, 19]);
    expect(accepted[0]?.headers).toMatchObject({
      "ratelimit-policy": '"withdrawals";q=1;w=60',
      ratelimit: expect.stringMatching(/^"withdrawals";r=0;t=(60|5\d)$/),
    });
    for (const { body, headers } of refused) {
      expect(body).toEqual(refusal("Too many requests"));
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
      expect(headers["ratelimit-policy"]).toBe('"withdrawals";q=1;w=60');
      expect(headers.ratelimit).toMatch(/^"withdrawals";r=0;t=\d+$/);
    }
    expect(await world.balance(business, wallet)).toBe("974.75");
  });

  test("429 comes before 400 and 404", async () => {
    const { user, bank } = await arrange(world);
    expect((await world.withdraw(user, bank)).status).toBe(200);
    expect((await world.withdraw(user, bank, { amount: 0 })).status).toBe(429);
    expect((await world.withdraw(user, { id: "x", currency: "EUR" })).status).toBe(429);
  });

  test("each user has a separate limit", async () => {
    const { business, user, bank } = await arrange(world);
    const other = await world.user(business);
    const otherBank = await world.bank(business, await world.wallet(business, other, 100));
    expect((await world.withdraw(user, bank)).status).toBe(200);
    expect((await world.withdraw(other, otherBank)).status).toBe(200);
  });

  test("a refused withdrawal does not count", async () => {
    const { user, bank } = await arrange(world, 30);
    expect((await world.withdraw(user, bank, { amount: 0 })).status).toBe(400);
    expect((await world.withdraw(user, { ...bank, id: "x" })).status).toBe(404);
    expect((await world.withdraw(user, bank, { amount: 1_000 })).status).toBe(400);
    expect((await world.withdraw(user, bank)).status).toBe(200);
    expect((await world.withdraw(user, bank)).status).toBe(429);
  });

  test("a payout that fails later still counts", async () => {
    const { business, user, wallet } = await arrange(world);
    const failing = await world.bank(business, wallet, "0004");
    const { body } = await world.withdraw(user, failing);
    await world.status(business, body.data.id, "FAILED");
    expect((await world.withdraw(user, failing)).status).toBe(429);
  });
});

describe("three in five seconds, and three declines", () => {
  let world: World;

  beforeAll(async () => {
    world = await limitedWorld({ WITHDRAWAL_LIMIT: "3/5s", DECLINE_LIMIT: "3/60s" });
  });

  afterAll(async () => {
    await world.verifyBooks();
    await world.stop();
  });

  test("a place is free again after the window", async () => {
    const { business, user, wallet, bank } = await arrange(world);
    const take = async (): Promise<number[]> => {
      const answers = await Promise.all(
        Array.from({ length: 9 }, () => world.withdraw(user, bank)),
      );
      return answers.map(({ status }) => status).toSorted((a, b) => a - b);
    };
    const threeOfNine = [200, 200, 200, 429, 429, 429, 429, 429, 429];
    expect(await take()).toEqual(threeOfNine);
    await until(async () => (await world.withdraw(user, bank)).status === 200);
    expect(await world.balance(business, wallet)).toBe("899.00");
  });

  test("after too many declines for insufficient funds a withdrawal is a 429", async () => {
    const { user, bank } = await arrange(world, 30);
    for (let i = 0; i < 3; i++) {
      const { status, body } = await world.withdraw(user, bank, { amount: 1_000 });
      expect([status, body.message]).toEqual([400, "Insufficient Funds #912"]);
    }
    const { status, headers } = await world.withdraw(user, bank, { amount: 1_000 });
    expect(status).toBe(429);
    // The limit of withdrawals would ask for five seconds at most.
    expect(Number(headers["retry-after"])).toBeGreaterThan(5);
  });
});
