// Answers to a caller while services are unavailable, each service on its own broker over NATS: a
// 5xx, never a 4xx, and a readiness check that names the missing services and stays ready while one
// of them answers.

import { refusal } from "../support/refusal.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

const UNAVAILABLE = refusal("Temporarily unavailable. Please try again.");

let world: World;
beforeAll(async () => {
  world = await startWorld({ overNats: true });
});
afterAll(() => world?.stop());

const readiness = () => world.http.get("/health/ready");

function gatewayNotReady(): Promise<string[]> {
  const all = world.brokers.flatMap((broker) => broker.services);
  const gateway: unknown = all.find(({ name }) => name === "gateway");
  return (gateway as { notReady(): Promise<string[]> }).notReady();
}

/** Stops the service's broker. */
async function takeAway(name: string): Promise<void> {
  const owner = world.brokers.find((broker) => broker.services.some((each) => each.name === name));
  await owner?.stop();
}

test("readiness names the missing services, their routes are a 503, and the other routes work", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const { token } = business;
  const path = `/v1/business/${business.id}`;
  const paid = await world.withdraw(user, bank);
  await world.status(business, paid.body.data.id, "SUCCESS");
  await world.verifyBooks();
  // A service that answers slowly is unavailable for a moment too.
  const awayIs = (names: string[]) =>
    until(async () => {
      const answer = await readiness();
      return answer.body.away.toSorted().join() === names.join() && answer;
    });
  expect(await awayIs([])).toMatchObject({ status: 200, body: { status: "ready" } });

  await takeAway("payouts");
  const withdrawal = await world.withdraw(user, bank);
  expect([withdrawal.status, withdrawal.body]).toEqual([503, UNAVAILABLE]);
  const listed = await world.http.get(`${path}/transactions`, { token });
  expect([listed.status, listed.body]).toEqual([503, UNAVAILABLE]);
  const found = await world.http.get(`/v1/transactions/${paid.body.data.id}`, { token });
  expect([found.status, found.body]).toEqual([503, UNAVAILABLE]);
  const entities = await world.http.get(`${path}/entities`, { token });
  expect(entities.status).toBe(200);

  const missing = await awayIs(["payouts"]);
  expect([missing.status, missing.body.status]).toEqual([200, "ready"]);
  expect(await gatewayNotReady()).toEqual([]);

  await takeAway("accounts");
  const gone = await world.http.get(`${path}/entities`, { token });
  expect([gone.status, gone.body]).toEqual([503, UNAVAILABLE]);
  const issued = await world.http.post("/v1/oauth/token", { grant_type: "client_credentials" });
  expect([issued.status, issued.body.error]).toEqual([503, "temporarily_unavailable"]);
  await awayIs(["accounts", "payouts"]);

  for (const name of ["wallet-ledger", "payment-links", "webhooks"]) await takeAway(name);
  const all = ["accounts", "payment-links", "payouts", "wallet-ledger", "webhooks"];
  const none = await awayIs(all);
  expect([none.status, none.body.status]).toEqual([503, "unavailable"]);
  expect(await gatewayNotReady()).toEqual([expect.stringMatching(/^no answer from accounts, /)]);
  expect((await world.http.get("/health/live")).body).toEqual({ status: "live" });
});
