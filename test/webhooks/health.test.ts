// The health of endpoints: when failures began, the last success, and what waits.

import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Behaviour, type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesNow, deliveriesOnce } from "../support/webhook-events.ts";

let system: System;
let receiver: Receiver;
/** The receiver's behaviour. */
let behaviour: Behaviour;

beforeAll(async () => {
  system = await startSystem([webhooks], { WEBHOOK_RETRY_SCHEDULE: "1h,1h,1h,1h" });
});
afterAll(() => system.stop());

beforeEach(async () => {
  receiver = await startReceiver();
  behaviour = {};
  receiver.behave(() => behaviour);
});
afterEach(() => receiver.stop());

async function anEndpoint() {
  const businessId = newId();
  const { id } = await system.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
  return { businessId, id };
}

const healthOf = async (of: { businessId: string; id: string }) =>
  (await system.call("webhooks.endpoint", of)).health;

/** Publishes an event. @returns its delivery after the first attempt */
async function tried({ businessId }: { businessId: string }) {
  const event = anEvent({ businessId });
  await system.call("webhooks.publish", { events: [event] });
  const [delivery] = await deliveriesOnce(system, event, ({ attempts }) => attempts.length > 0);
  return delivery as NonNullable<typeof delivery>;
}

test("a new endpoint has neither failures nor a success, and nothing waits", async () => {
  const endpoint = await anEndpoint();
  const health = { failingSince: null, lastSuccessAt: null, waiting: 0 };
  expect(await healthOf(endpoint)).toEqual(health);
  const { businessId } = endpoint;
  const { items } = await system.call("webhooks.endpoints", { businessId });
  expect(items).toMatchObject([{ health }]);
});

test("health follows failures, waiting deliveries and successes", async () => {
  const endpoint = await anEndpoint();
  const first = await tried(endpoint);
  const firstAt = first.attempts[0]?.at;
  expect(await healthOf(endpoint)).toEqual({
    failingSince: null,
    lastSuccessAt: firstAt,
    waiting: 0,
  });

  behaviour = { status: 500 };
  const failed = await tried(endpoint);
  await tried(endpoint);
  const failing = await until(async () => {
    const health = await healthOf(endpoint);
    return health?.failingSince && health;
  });
  expect(failing).toEqual({
    failingSince: failed.attempts[0]?.at,
    lastSuccessAt: firstAt,
    waiting: 2,
  });

  // The older delivery succeeds last.
  behaviour = {};
  const last = await tried(endpoint);
  const { businessId, id } = endpoint;
  await system.call("webhooks.replayDelivery", { businessId, id, deliveryId: failed.id });
  const again = await until(async () => {
    const transactionId = failed.transactionId as string;
    const [delivery] = await deliveriesNow(system, { businessId, transactionId });
    return delivery?.status === "DELIVERED" && delivery;
  });
  const well = await until(async () => {
    const health = await healthOf(endpoint);
    return health?.failingSince === null && health;
  });
  const lastAt = again.attempts.at(-1)?.at as string;
  expect(lastAt >= (last.attempts[0]?.at as string)).toBe(true);
  expect(well).toEqual({ failingSince: null, lastSuccessAt: lastAt, waiting: 1 });
});

test("an endpoint that is gone fails from that answer on, and works again once enabled", async () => {
  const endpoint = await anEndpoint();
  behaviour = { status: 410 };
  const { attempts } = await tried(endpoint);
  const gone = await until(async () => {
    const view = await system.call("webhooks.endpoint", endpoint);
    return view.disabled && view;
  });
  expect(gone.health).toMatchObject({ failingSince: attempts[0]?.at, lastSuccessAt: null });
  const enabled = await system.call("webhooks.enableEndpoint", endpoint);
  expect(enabled.health).toMatchObject({ failingSince: null });
});

test("switching an endpoint off is no failure", async () => {
  const endpoint = await anEndpoint();
  const off = await system.call("webhooks.updateEndpoint", { ...endpoint, disabled: true });
  expect(off).toMatchObject({ disabled: true, health: { failingSince: null, waiting: 0 } });
});

test("the deliveries of a transaction name the URL of the endpoint, until it is deleted", async () => {
  const endpoint = await anEndpoint();
  const { businessId } = endpoint;
  const { transactionId } = await tried(endpoint);
  const transaction = { businessId, transactionId: transactionId as string };
  const named = await deliveriesNow(system, transaction);
  expect(named).toMatchObject([{ endpointUrl: receiver.url() }]);
  await system.call("webhooks.deleteEndpoint", endpoint);
  const unnamed = await deliveriesNow(system, transaction);
  expect(unnamed).toMatchObject([{ endpointUrl: null }]);
});
