// Withdrawals of gateways whose clocks differ from the payouts process's.

import type { ServiceBroker } from "moleculer";
import { contractFor } from "../../shared/contracts/contracts.ts";
import { call } from "../../shared/rpc/actions.ts";
import { dataOf, startWorld, type World } from "../support/world.ts";

const MINUTE_MS = 60_000;
const { timeoutMs } = contractFor("payouts.withdraw");

let world: World;
beforeAll(async () => {
  world = await startWorld({ overNats: true });
});
afterAll(() => world?.stop());

test("a request is served by its caller's clock, unless it was held up", async () => {
  const { business, user, wallet } = await world.payer(100);
  const bank = await world.bank(business, wallet);
  const others = world.brokers.filter((broker) => !broker.getLocalService("payouts"));
  const [behind, ahead] = others as [ServiceBroker, ServiceBroker];
  for (const [broker, offMs] of [
    [behind, -4 * MINUTE_MS],
    [ahead, 4 * MINUTE_MS],
  ] as const) {
    const withdraw = (leftMs: number) =>
      call(
        broker,
        "payouts.withdraw",
        {
          currency: "USD",
          linkedAccountId: bank.id,
          body: { amount: 10, walletType: "SPEND", reason: "Rent" },
        },
        { meta: { actor: { sub: user.id, role: "user" }, deadline: Date.now() + offMs + leftMs } },
      );
    expect(await withdraw(timeoutMs)).toMatchObject({ status: "PENDING" });
    await expect(withdraw(-MINUTE_MS)).rejects.toMatchObject({ type: "UNAVAILABLE" });
  }
  // Only the two that were served.
  const path = `/v1/business/${business.id}/transactions?flow=PAYOUT`;
  expect(dataOf(await world.http.get(path, business), 200)).toHaveLength(2);
  expect(await world.balance(business, wallet)).toBe("79.50");
  await world.verifyBooks();
});
