// Several webhooks processes share the work, and no event is lost when one of them ends.

import type { ServiceBroker } from "moleculer";
import { START_LIMIT } from "../../services/webhooks/queue/endpoint.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { binDirectory, provideBinary } from "../../tools/platform/binaries.ts";
import { startNats } from "../../tools/platform/nats.ts";
import type { Server } from "../../tools/platform/supervisor.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runNode, type Script } from "../support/scripts.ts";
import { type System, startSystem, testEnvironment, until } from "../support/system.ts";
import { anEvent, deliveriesOnce, type HandedOver } from "../support/webhook-events.ts";

const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: "100ms,200ms,400ms,800ms",
  WEBHOOK_TIMEOUT: "10s",
  LOG_LEVEL: "fatal",
};

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const someEvents = (businessId: string, count: number) =>
  Array.from({ length: count }, () => anEvent({ businessId }));

describe("two processes over NATS", () => {
  let system: System;
  let businessId: string;

  beforeEach(async () => {
    system = await startSystem([webhooks, webhooks], SETTINGS, { overNats: true });
    businessId = newId();
    await system.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
  });
  afterEach(() => system.stop());

  /** Publishes events at one of the processes. */
  const publishAt = (i: number, events: HandedOver[]) =>
    call(system.brokers[i] as ServiceBroker, "webhooks.publish", { events });

  test("deliver each event once, even if both get the same events", async () => {
    const events = someEvents(businessId, 300);
    await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        Promise.all([0, 1].map((node) => publishAt(node, events.slice(i * 50, i * 50 + 50)))),
      ),
    );
    for (const event of events)
      await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");

    expect(receiver.requests.map(({ id }) => id).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
  });

  test("share a load that is too large for one of them", async () => {
    const events = someEvents(businessId, 700);
    const answered = Promise.withResolvers<void>();
    receiver.behave(() => ({ after: answered.promise }));
    await publishAt(0, events);
    await until(() => receiver.requests.length === 2 * START_LIMIT);

    answered.resolve();
    await until(() => receiver.accepted.length >= events.length);
    expect(receiver.requests.map(({ id }) => id).toSorted()).toEqual(
      events.map(({ id }) => id).toSorted(),
    );
  });

  test("make each attempt of a backlog once", async () => {
    const events = someEvents(businessId, 200);
    let up = false;
    receiver.behave(() => ({ status: up ? 200 : 503 }));
    await publishAt(0, events);
    await until(() => receiver.requests.length >= 250);
    up = true;

    let attempts = 0;
    for (const event of events) {
      const [delivery] = await deliveriesOnce(system, event, (d) => d.status === "DELIVERED");
      attempts += delivery?.attempts.length ?? 0;
    }
    expect(receiver.requests).toHaveLength(attempts);
    expect(receiver.accepted.toSorted()).toEqual(events.map(({ id }) => id).toSorted());
  });

  test("a stopped process finishes its exchanges in flight and leaves the rest to the other one", async () => {
    const events = someEvents(businessId, 100);
    const answered = Promise.withResolvers<void>();
    receiver.behave(() => ({ after: answered.promise }));
    await publishAt(0, events);
    await until(() => receiver.requests.length > 0);

    const stopped = (system.brokers[0] as ServiceBroker).stop();
    await until(() => receiver.requests.length >= 2 * START_LIMIT);
    answered.resolve();
    await stopped;
    const survivor: System = {
      ...system,
      call: (name, params) => call(system.brokers[1] as ServiceBroker, name, params),
    };
    for (const event of events) {
      const [delivery] = await deliveriesOnce(survivor, event, (d) => d.status === "DELIVERED");
      expect(delivery?.attempts).toHaveLength(1);
    }
    expect(receiver.requests).toHaveLength(events.length);
  });
});

describe("a separate process", () => {
  let nats: Server;
  let environment: Record<string, string>;
  let child: Script;
  const brokers: ServiceBroker[] = [];

  beforeEach(async () => {
    const binary = await provideBinary("nats-server", binDirectory(), () => {});
    nats = await startNats({ binary, say: () => {} });
    environment = testEnvironment({ ...SETTINGS, WEBHOOK_TIMEOUT: "3s", NATS_URL: nats.url });
    await migrateConfigured(loadConfig(environment));
  });
  afterEach(async () => {
    for (const broker of brokers.splice(0)) await broker.stop();
    child.interrupt();
    expect((await child.exit).code).toBe(0);
    await nats.stop();
  });

  /** Starts the service, and a broker that has not seen an earlier process of it. */
  async function start(): Promise<Pick<System, "call">> {
    child = runNode("tools/commands/service.ts", ["webhooks"], { ...process.env, ...environment });
    const broker = createBroker(loadConfig(environment), `caller${brokers.length}`);
    brokers.push(broker);
    await broker.start();
    await broker.waitForServices("webhooks", 30_000, 20);
    return { call: (name, params) => call(broker, name, params) };
  }

  test("that is killed repeats only the exchanges in flight, and no event is lost", async () => {
    const before = await start();
    const businessId = newId();
    await before.call("webhooks.createEndpoint", { businessId, url: receiver.url() });
    const done = someEvents(businessId, 20);
    const inFlight = someEvents(businessId, START_LIMIT);
    await before.call("webhooks.publish", { events: done });
    for (const event of done) await deliveriesOnce(before, event, (d) => d.status === "DELIVERED");
    receiver.behave(() => ({ stall: "headers" }));
    await before.call("webhooks.publish", { events: inFlight });
    await until(() => receiver.requests.length === done.length + START_LIMIT);
    process.kill(child.pid, "SIGKILL");
    await child.exit;
    receiver.behave(() => ({}));

    const after = await start();
    for (const event of inFlight) {
      const [delivery] = await deliveriesOnce(after, event, (d) => d.status === "DELIVERED");
      expect(delivery?.attempts).toHaveLength(1);
    }
    const expected = [...done, ...inFlight, ...inFlight].map(({ id }) => id);
    expect(receiver.requests.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });
});
