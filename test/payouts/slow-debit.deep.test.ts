// A payout whose debit took long, at a rail that is slow: its driver renews the lease before it
// submits, so that no sweeper submits beside it.

import type { Point } from "../../services/payouts/deps.ts";
import { freezer } from "../support/freezer.ts";
import { scriptedRail } from "../support/payouts.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const SLOW_MS = 3_800;

const { answers, timesAsked, rail, rails } = scriptedRail();
const { reached, freeze } = freezer<Point>();
let world: World;
let underWay = 0;
let most = 0;

beforeAll(async () => {
  const { submit } = rail;
  rail.submit = async (...asked) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    underWay -= 1;
    return submit(...asked);
  };
  world = await startWorld({ payoutsInstead: [{ rails, reached }] });
});

afterAll(async () => {
  await world.verifyBooks();
  await world.stop();
});

test("a slow debit before a slow rail leaves one submit at a time", async () => {
  answers.submit = { kind: "settled" };
  // The rail does not know the payment before its submit has ended.
  answers.query = { kind: "notFound" };
  const { business, user, wallet } = await world.payer(100);
  const frozen = freeze("debit-answered");
  const asking = world.withdraw(user, await world.bank(business, wallet));
  const id = await frozen.reached;
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  frozen.release();
  expect(dataOf(await asking, 200).id).toBe(id);
  await world.status(business, id, "SUCCESS");
  expect([most, timesAsked("submit", id)]).toEqual([1, 1]);
});
