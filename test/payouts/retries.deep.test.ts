// The waits between a payout's retries: queries of an unknown outcome, and submissions to a rail
// that is unavailable.

import { openBooks, scriptedRail } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

let world: World;
afterEach(async () => {
  await world.verifyBooks();
  await world.stop();
});

async function pay(lastFour: string) {
  const { business, user, wallet } = await world.payer(100);
  const hook = await world.hook(business);
  const bank = await world.bank(business, wallet, lastFour);
  const { id } = dataOf(await world.withdraw(user, bank), 200) as { id: string };
  return { business, wallet, hook, id };
}

test("the rail is queried again after 1, 2 and 4 seconds", async () => {
  const { timesAsked, answers, rails } = scriptedRail(0);
  answers.submit = { kind: "unknown" };
  answers.query = { kind: "unknown" };
  world = await startWorld({ payoutsInstead: [{ rails }] });
  const books = await openBooks(world);
  const { business, wallet, id } = await pay("6789");
  await until(() => timesAsked("query", id) >= 3);
  // The delay doubles with the time since the outcome became unknown: 1 + 2 + 4 after three
  // queries.
  await until(async () => {
    const { unknownSince = 0, nextAttemptAt = 0 } =
      (await books.payouts.findOne({ _id: id })) ?? {};
    return nextAttemptAt - unknownSince >= 15_000;
  });
  const path = `/v1/transactions/${id}`;
  expect(dataOf(await world.http.get(path, { token: business.token }), 200)).toMatchObject({
    status: "PENDING",
    needsAttention: false,
  });
  expect(await world.balance(business, wallet)).toBe("74.75");
  await books.close();
});

test("0009 is unavailable three times and is resubmitted under the same id", async () => {
  world = await startWorld();
  const { business, hook, id } = await pay("0009");
  await world.status(business, id, "SUCCESS");
  const statuses = () =>
    hook.received
      .filter(({ body }) => body.payload.transactionId === id)
      .map(({ body }) => body.status);
  await until(() => statuses().includes("SUCCESS"));
  expect(statuses()).toEqual(["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"]);
  const path = `/v1/transactions/${id}/timeline`;
  const { states, entries } = dataOf(await world.http.get(path, { token: business.token }), 200);
  expect(states.map(({ status }: { status: string }) => status)).toEqual([
    "PENDING",
    "PROCESSING_PAY_OUT",
    "SUCCESS",
  ]);
  expect(entries).toHaveLength(1);
});
