// Replay of ended deliveries with two processes of the webhooks service.

import type { ServiceBroker } from "moleculer";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { lowestIdAt, newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { type Past, pastOf } from "../support/webhook-past.ts";

const LONG_AGO = "2020-01-01T00:00:00.000Z";
const HOUR_MS = 3_600_000;

let system: System;
let ofSystem: Past;
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
  const environment = { WEBHOOK_RETRY_SCHEDULE: "100ms,200ms,400ms", WEBHOOK_TIMEOUT: "30s" };
  system = await startSystem([webhooks, webhooks], environment, { overNats: true });
  ofSystem = await pastOf(system);
});
afterEach(async () => {
  await ofSystem.close();
  await system.stop();
  await receiver.stop();
});

const at = (i: number) => system.brokers[i] as ServiceBroker;

test("one process stops during a replay, the other continues, and each delivery is sent again once", async () => {
  const businessId = newId();
  const url = receiver.url();
  const endpoint = await system.call("webhooks.createEndpoint", { businessId, url });
  const list = await ofSystem.add(
    { id: endpoint.id, businessId },
    Array.from({ length: 2_000 }, () => ({})),
  );
  const request = { businessId, id: endpoint.id, since: LONG_AGO };
  expect(await call(at(0), "webhooks.replay", request)).toEqual({
    id: endpoint.id,
    count: 2_000,
  });
  await at(0).stop();

  const sentAgain = { endpointId: endpoint.id, replayId: { $exists: true }, status: "DELIVERED" };
  await until(
    async () => (await ofSystem.deliveries.countDocuments(sentAgain as never)) === 2_000,
    { awaited: "the end of all repeated deliveries" },
  );
  await until(async () => !(await ofSystem.replayOf(endpoint.id)));
  const received = receiver.requests.map(({ id }) => id);
  expect(received.toSorted()).toEqual(list.map(({ eventId }) => eventId).toSorted());
});

test("each process sees the replays that the other one accepted", async () => {
  const businessId = newId();
  const url = receiver.url();
  const endpoint = await system.call("webhooks.createEndpoint", { businessId, url });
  const [delivery] = await ofSystem.add({ id: endpoint.id, businessId }, [{}]);
  const deliveryId = delivery?._id as string;
  const key = { businessId, id: endpoint.id };
  await ofSystem.setReplay(endpoint.id, {
    id: newId(),
    statuses: ["DELIVERED"],
    after: lowestIdAt(0),
    until: newId(),
    due: new Date(Date.now() + HOUR_MS),
  });
  for (const i of [0, 1]) {
    await expect(call(at(i), "webhooks.replay", { ...key, since: LONG_AGO })).rejects.toMatchObject(
      { type: "WEBHOOK_REPLAY_RUNNING" },
    );
    const one = await call(at(i), "webhooks.replayDelivery", { ...key, deliveryId });
    expect(one.status).toBe("PENDING");
    await until(() => receiver.accepted.length === i + 1);
    await until(
      async () =>
        (await call(at(1 - i), "webhooks.delivery", { ...key, deliveryId })).status === "DELIVERED",
    );
  }
});
