// Deliveries outside development beside a silent name server.

import { createResolver } from "../../services/webhooks/exchange/resolve.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { newId } from "../../shared/ids.ts";
import { type NameServer, type Records, startNameServer } from "../support/name-server.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { type System, startSystem } from "../support/system.ts";
import { anEvent, deliveriesOnce } from "../support/webhook-events.ts";

let system: System;
let receiver: Receiver;
let names: NameServer;
let records: Record<string, Records> = {};

beforeAll(async () => {
  names = await startNameServer((name) => records[name] ?? "unknown");
  receiver = await startReceiver();
  system = await startSystem(
    [
      (config) =>
        webhooks(config, {
          resolve: createResolver({ withinMs: 5_000, servers: [names.address] }),
        }),
    ],
    { WEBHOOK_RETRY_SCHEDULE: "1h", WEBHOOK_TIMEOUT: "20s" },
  );
});
afterAll(async () => {
  await system.stop();
  await receiver.stop();
  await names.stop();
});

async function anEndpointAt(host: string) {
  const businessId = newId();
  const { port } = new URL(receiver.url());
  const url = `http://${host}:${port}/`;
  await system.call("webhooks.createEndpoint", { businessId, url });
  return businessId;
}

test("a delivery to a name whose server never answers fails as usual and is tried again, while other deliveries continue", async () => {
  records = { "good.example.com": { A: ["127.0.0.1"] }, "silent.example.com": "silence" };
  const silent = await anEndpointAt("silent.example.com");
  const good = await anEndpointAt("good.example.com");
  const lost = Array.from({ length: 100 }, () => anEvent({ businessId: silent }));
  const wanted = anEvent({ businessId: good });

  await system.call("webhooks.publish", { events: [...lost, wanted] });
  const [delivered] = await deliveriesOnce(system, wanted, (d) => d.status !== "PENDING");
  expect(delivered).toMatchObject({ status: "DELIVERED", attempts: [{ statusCode: 200 }] });

  const [failed] = await deliveriesOnce(
    system,
    lost[0] as (typeof lost)[0],
    (d) => d.attempts.length > 0,
  );
  expect(failed).toMatchObject({
    status: "PENDING",
    attempts: [
      {
        statusCode: null,
        errorClass: "dns",
        error: "The host name could not be looked up",
        response: null,
      },
    ],
  });
  expect(Date.parse(failed?.nextAttemptAt as string)).toBeGreaterThan(Date.now() + 1_800_000);
});
