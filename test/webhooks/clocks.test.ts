// Clocks that differ by minutes: one node creates an event, another one its endpoint. If the clocks
// cannot decide which came first, the endpoint gets the event, because it cannot be sent later.

import webhooks from "../../services/webhooks/webhooks.service.ts";
import { CLOCKS_DIFFER_BY_MS } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { type System, startSystem } from "../support/system.ts";
import { anEvent, deliveriesNow, type HandedOver } from "../support/webhook-events.ts";
import { type Past, pastOf } from "../support/webhook-past.ts";

/** The longest delay of a machine between two lines of a test. */
const MARGIN_MS = 60_000;
const WITHIN = CLOCKS_DIFFER_BY_MS - MARGIN_MS;
const BEYOND = CLOCKS_DIFFER_BY_MS + MARGIN_MS;
/** No server listens there, so deliveries to the endpoint stay pending. */
const URL = "http://127.0.0.1:1/hooks";

let system: System;
let past: Past;
beforeAll(async () => {
  system = await startSystem([webhooks], { WEBHOOK_RETRY_SCHEDULE: "1h" });
  past = await pastOf(system);
});
afterAll(async () => {
  await past.close();
  await system.stop();
});

interface Made {
  businessId: string;
  id: string;
}

async function aWebhook(): Promise<Made> {
  const businessId = newId();
  const { id } = await system.call("webhooks.createEndpoint", { businessId, url: URL });
  return { businessId, id };
}

const switched = ({ businessId, id }: Made, disabled: boolean) =>
  system.call("webhooks.updateEndpoint", { businessId, id, disabled });

/**
 * Changes stored times, as if the endpoint had been registered, switched off and on that long ago.
 */
async function setTimes({ id }: Made, ago: Record<string, number>): Promise<void> {
  const times = Object.entries(ago).map(([name, ms]) => [name, new Date(Date.now() - ms)]);
  const endpoints = past.connection.collection<{ _id: string }>("webhook_endpoints");
  await endpoints.updateOne({ _id: id }, { $set: Object.fromEntries(times) });
}

/**
 * Publishes an event.
 * @param fromNowMs the event's time on its node's clock, relative to now
 * @returns whether the endpoint gets it
 */
async function isFor(
  { businessId }: Made,
  fromNowMs: number,
  event: Partial<HandedOver> = {},
): Promise<boolean> {
  const made = anEvent({ businessId, at: Date.now() + fromNowMs, ...event });
  await system.call("webhooks.publish", { events: [made] });
  return (await deliveriesNow(system, made)).length > 0;
}

test("an event from a node with a slow clock goes to an endpoint that was just created", async () => {
  const endpoint = await aWebhook();
  expect(await isFor(endpoint, -WITHIN)).toBe(true);
  expect(await isFor(endpoint, -BEYOND)).toBe(false);
});

test("an event from a node with a slow clock goes to a link's endpoint that was just created", async () => {
  const [businessId, paymentLinkId] = [newId(), newId()];
  const params = { businessId, paymentLinkId, url: URL };
  const { id } = await system.call("webhooks.createLinkEndpoint", params);
  expect(await isFor({ businessId, id }, -WITHIN, { paymentLinkId })).toBe(true);
  expect(await isFor({ businessId, id }, -BEYOND, { paymentLinkId })).toBe(false);
});

test("an event that was published earlier never goes to an endpoint that is created later", async () => {
  const endpoint = await aWebhook();
  const event = anEvent({ businessId: endpoint.businessId });
  const alone = anEvent();
  await system.call("webhooks.publish", { events: [event, alone] });
  const more = [endpoint.businessId, alone.businessId].map((businessId) =>
    system.call("webhooks.createEndpoint", { businessId, url: URL }),
  );
  await Promise.all(more);
  await system.call("webhooks.publish", { events: [event, alone] });
  expect(await deliveriesNow(system, event)).toHaveLength(1);
  expect(await deliveriesNow(system, alone)).toEqual([]);
});

test("a new event is not stored for an endpoint that is switched off", async () => {
  const endpoint = await aWebhook();
  await switched(endpoint, true);
  expect(await isFor(endpoint, 1)).toBe(false);
});

test("an endpoint misses only the events that certainly happened while it was switched off", async () => {
  const endpoint = await aWebhook();
  await switched(endpoint, true);
  await switched(endpoint, false);
  const offFor = 3 * CLOCKS_DIFFER_BY_MS;
  await setTimes(endpoint, { createdAt: 2 * offFor, disabledAt: offFor, enabledAt: 0 });
  expect(await isFor(endpoint, -offFor - MARGIN_MS)).toBe(true);
  expect(await isFor(endpoint, -offFor + MARGIN_MS)).toBe(false);
  expect(await isFor(endpoint, -BEYOND)).toBe(false);
  expect(await isFor(endpoint, -WITHIN)).toBe(true);
});
