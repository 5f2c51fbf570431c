// Verification of the counters of limits beside live traffic: two processes of payouts count, decline
// and give back while it looks, and it raises no alarm.

import { until } from "../../support/system.ts";
import { dataOf, startWorld, type World } from "../../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld({
    overNats: true,
    payoutsInstead: [{}, {}],
    environment: { DECLINE_LIMIT: "off" },
  });
});
afterAll(() => world?.stop());

test("counters that change during a verification are no violation, and agree afterwards", async () => {
  const { business, user, wallet } = await world.payer(200);
  const ofMonth = { currency: "USD", per: "month" };
  const limits = [
    { scope: "business", ...ofMonth, count: 60 },
    { scope: "entity", ...ofMonth, method: "ACH", amount: "500.00" },
  ];
  const { token } = business;
  dataOf(await world.http.put(`/v1/business/${business.id}/limits`, { limits }, { token }), 200);
  const use = async () =>
    dataOf(await world.http.get("/v1/ext/withdrawal-limits", { token: user.token }), 200);
  // Each process knows the limits.
  for (let i = 0; i < 10; i += 1) await until(async () => (await use()).length === 2);

  const banks = await Promise.all(
    ["6789", "0001", "0007"].map((lastFour) => world.bank(business, wallet, lastFour)),
  );
  // More than the wallet has, so some are declined.
  const asked = Array.from({ length: 90 }, (_, i) => banks[i % 3] as (typeof banks)[0]).map(
    (bank) => world.withdraw(user, bank, { amount: 5 }),
  );
  let isDone = false;
  const traffic = Promise.all(asked).finally(() => {
    isDone = true;
  });
  do await world.verifyBooks();
  while (!isDone);
  const statuses = new Set((await traffic).map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 400]));
  const isAtRest = async () => {
    const path = `/v1/business/${business.id}/transactions?flow=PAYOUT&status=PENDING`;
    return dataOf(await world.http.get(path, { token }), 200).length === 0;
  };
  await until(isAtRest);
  await world.verifyBooks();
});
