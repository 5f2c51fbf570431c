// The broadcast payout.status.changed (docs/generated/actions.md).

import type { Context } from "moleculer";
import type { Payload } from "../../shared/contracts/contracts.ts";
import { until } from "../support/system.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

test("a payout broadcasts each status that it enters, with the documented payload", async () => {
  const received: Payload<"payout.status.changed">[] = [];
  const listen = ({ params }: Context<Payload<"payout.status.changed">>) => {
    received.push(params);
  };
  world.broker.createService({ name: "listener", events: { "payout.status.changed": listen } });

  const { business, user, wallet } = await world.payer(100);
  const { id } = (await world.withdraw(user, await world.bank(business, wallet))).body.data;
  await until(() => received.some(({ status }) => status === "SUCCESS"));

  const change = { id, businessId: business.id, at: expect.any(Number) };
  const statuses = new Map(received.map((each) => [each.status, each]));
  expect([...statuses]).toEqual(
    ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"].map((status) => [status, { ...change, status }]),
  );
});
