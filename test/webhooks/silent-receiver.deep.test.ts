// A receiver that does not answer is probed at growing distances, and gets its deliveries after it
// returns.

import { MAX_LIMIT, START_LIMIT } from "../../services/webhooks/queue/endpoint.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem, until } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

let system: System;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  system = await startSystem([webhooks], {
    WEBHOOK_RETRY_SCHEDULE: Array(50).fill("100ms").join(","),
    WEBHOOK_TIMEOUT: "5s",
  });
});
afterEach(async () => {
  await system.stop();
  await receiver.stop();
});

/** Waits for that many probes. @returns the number of requests before the first probe */
function probed(count: number): Promise<number> {
  const waited = ({ at }: Received, i: number, all: Received[]) =>
    i > START_LIMIT && at - (all[i - 1] as Received).at > 500 ? [i] : [];
  return until(() => {
    const places = receiver.requests.flatMap(waited);
    return places.length >= count && places[0];
  });
}

test("is not probed earlier after a change of its endpoint, unless the URL changes", async () => {
  const businessId = newId();
  const { id } = await system.call("webhooks.createEndpoint", {
    businessId,
    url: receiver.url("/first"),
  });
  const change = (changes: { url?: string; description?: string; disabled?: boolean }) =>
    system.call("webhooks.updateEndpoint", { businessId, id, ...changes });
  const publish = () =>
    system.call("webhooks.publish", {
      events: Array.from({ length: 10 }, () => anEvent({ businessId })),
    });
  receiver.behave(() => ({ drop: true }));
  await publish();
  // Two probes, because a pause of this machine can look like the first one.
  await probed(2);

  const { length } = receiver.requests;
  const { at: probedAt } = receiver.requests.at(-1) as Received;
  receiver.behave(() => ({ stall: "headers" }));
  await change({ description: "New", url: receiver.url("/first"), disabled: false });
  await system.call("webhooks.rotateSecret", { businessId, id });
  await until(() => receiver.requests.length > length);
  expect((receiver.requests[length] as Received).at - probedAt).toBeGreaterThan(1_000);

  // While that probe has no answer yet.
  await change({ url: receiver.url("/second") });
  const requestsAt = (at: string) => receiver.requests.filter(({ path }) => path === at);
  await until(() => requestsAt("/second").length === START_LIMIT - 1);
  expect(requestsAt("/first")).toHaveLength(length + 1);
});

test("is probed, and after its return gets all pending deliveries at a growing rate", async () => {
  const businessId = newId();
  await system.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
  const events = Array.from({ length: 2_000 }, () => anEvent({ businessId }));
  receiver.behave(() => ({ drop: true }));
  for (let i = 0; i < events.length; i += 500) {
    await system.call("webhooks.publish", { events: events.slice(i, i + 500) });
  }
  expect(await probed(1)).toBeLessThanOrEqual(2 * START_LIMIT);
  // Pending deliveries have no recorded attempt and keep all of their attempts.
  for (const event of events.slice(-50)) {
    const [delivery] = await deliveriesOnce(system, event, () => true);
    expect(delivery).toMatchObject({ status: "PENDING", attempts: [] });
  }

  let open = 0;
  let answered = 0;
  const tooMany: number[] = [];
  receiver.behave(() => {
    open += 1;
    if (open > Math.min(answered + 1, MAX_LIMIT)) tooMany.push(open);
    const after = new Promise(setImmediate).then(() => {
      open -= 1;
      answered += 1;
    });
    return { after };
  });
  await until(() => new Set(receiver.accepted).size === events.length);
  expect(tooMany).toEqual([]);
  for (const event of events.slice(0, 50)) {
    await deliveriesOnce(system, event, ({ status }) => status === "DELIVERED");
  }
});
