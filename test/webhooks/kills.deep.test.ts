// kill -9 of webhooks at each step of a delivery, and at random moments under load. The publisher
// repeats its call until webhooks acknowledges it, as payouts does, and another process takes over.
// Afterwards every event has arrived in order, and only exchanges that were in flight at a kill are
// repeated.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import mongoose, { type mongo } from "mongoose";
import { Webhook } from "standardwebhooks";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import webhooks from "../../services/webhooks/webhooks.service.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { call } from "../../shared/rpc/actions.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { inherited } from "../support/inherited.ts";
import {
  outOfOrder,
  type StormyReceiver,
  startStormyReceiver,
} from "../support/stormy-receiver.ts";
import { type System, testEnvironment, until } from "../support/system.ts";
import { seeded } from "../support/traffic.ts";
import { eventsOfPayout, type HandedOver } from "../support/webhook-events.ts";

const random = seeded();
const SETTINGS = {
  WEBHOOK_RETRY_SCHEDULE: Array(30).fill("200ms").join(","),
  WEBHOOK_TIMEOUT: "1s",
  LOG_LEVEL: "fatal",
};
const PATIENCE = { awaited: "all deliveries" };

/** A database, a receiver, and a broker that calls the running webhooks process. */
interface Place {
  deliveries: mongo.Collection<Delivery>;
  receiver: StormyReceiver;
  businessId: string;
  send: System["call"];
  /** Registers the receiver at the running webhooks process. */
  register(): Promise<{ id: string; secret: string }>;
  /** Starts a process; test/webhooks/webhooks-process.ts describes `dies`. */
  start(dies?: string): Promise<ChildProcess>;
  /** Runs webhooks in the test's own process. */
  succeed(): Promise<void>;
  stop(): Promise<void>;
}

const places: Place[] = [];
let made = 0;
afterEach(async () => {
  for (const place of places.splice(0)) await place.stop();
});

async function aPlace(): Promise<Place> {
  const environment = testEnvironment({
    ...SETTINGS,
    NATS_URL: process.env.TEST_NATS_URL as string,
  });
  const config = loadConfig(environment);
  await migrateConfigured(config);
  const namespace = newId();
  const broker = createBroker(config, `place${made++}`, namespace);
  await broker.start();
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  const db = connection.getClient().db(connection.name);
  const receiver = await startStormyReceiver(random, 0);
  const businessId = newId();
  const children: ChildProcess[] = [];
  const send: System["call"] = (name, params, options) => call(broker, name, params, options);

  async function start(dies = ""): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, "webhooks-process.ts"), {
      env: { ...inherited(), ...environment, TEST_NAMESPACE: namespace, TEST_DIES: dies },
    });
    children.push(child);
    await once(child, "message");
    const nodeID = nodeIdFor("webhooks", child.pid);
    await until(() => send("webhooks.ready", {}, { nodeID }).catch(() => null));
    return child;
  }

  const place: Place = {
    deliveries: db.collection<Delivery>("webhook_deliveries"),
    receiver,
    businessId,
    send,
    register: () => send("webhooks.createEndpoint", { businessId, url: receiver.url }),
    start,
    async succeed() {
      broker.createService(webhooks(config));
      const { nodeID } = broker;
      await until(() => send("webhooks.ready", {}, { nodeID }).catch(() => null));
    },
    async stop() {
      for (const child of children) await kill(child);
      await broker.stop();
      receiver.stop();
      await connection.dropDatabase();
      await connection.close();
    },
  };
  places.push(place);
  return place;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await exited(child);
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Repeats the call until it is acknowledged. */
function handOver({ send }: Place, events: HandedOver[]): Promise<unknown> {
  const publish = () =>
    send("webhooks.publish", { events }, { timeoutMs: 2_000 }).catch(() => null);
  return until(publish, PATIENCE);
}

async function allDelivered({ deliveries }: Place, events: HandedOver[]): Promise<void> {
  const ended = () => deliveries.countDocuments({ status: "DELIVERED" });
  await until(async () => (await ended()) === events.length, PATIENCE);
  expect(await deliveries.countDocuments()).toBe(events.length);
}

/** The number of acknowledgements of each event after the first one. */
function repeats({ receiver }: Place): Map<string, number> {
  const acknowledged = receiver.log.filter(({ kind }) => kind === "acknowledged");
  const byId = Map.groupBy(acknowledged, ({ id }) => id);
  return new Map([...byId].map(([id, times]) => [id, times.length - 1]));
}

/** The number of repeated exchanges of an event because of a late answer, as on a busy machine. */
async function givenUp({ deliveries }: Place): Promise<(eventId: string) => number> {
  const all = await deliveries.find().toArray();
  const times = ({ attempts }: Delivery) =>
    attempts.filter(({ errorClass }) => errorClass === "timeout").length;
  const byId = new Map(all.map((delivery) => [delivery.eventId, times(delivery)]));
  return (eventId) => byId.get(eventId) ?? 0;
}

function expectInOrder({ receiver }: Place, events: HandedOver[]): void {
  expect(outOfOrder(receiver.log, new Map(events.map((event) => [event.id, event])))).toEqual([]);
}

interface Row {
  step: string;
  /** The write that the process dies at; without it the test kills the process during a request. */
  dies?: string;
  /** The receiver's behaviour until then. */
  receiver?: "fails" | "stalls";
  payouts?: number;
  /** The number of stored deliveries. */
  deliveries: number;
  /** The number of events that the receiver had processed and gets again. */
  repeated: number;
}

const RECORD = "update webhook_deliveries .*DELIVERED";
const WALK: Row[] = [
  {
    step: "no event stored",
    dies: "before 1 insert webhook_events",
    deliveries: 0,
    repeated: 0,
  },
  { step: "events stored", dies: "after 1 insert webhook_events", deliveries: 0, repeated: 0 },
  {
    step: "deliveries stored, and claimed",
    dies: "after 1 insert webhook_deliveries",
    deliveries: 3,
    repeated: 0,
  },
  { step: "in the exchange, others held", receiver: "stalls", deliveries: 3, repeated: 1 },
  { step: "exchanged, not recorded", dies: `before 1 ${RECORD}`, deliveries: 3, repeated: 1 },
  { step: "recorded", dies: `after 1 ${RECORD}`, deliveries: 3, repeated: 0 },
  {
    step: "recorded, the next one not set free",
    dies: 'before 1 updateMany webhook_deliveries .*"held":true.*"held":false',
    deliveries: 3,
    repeated: 0,
  },
  {
    step: "set free",
    dies: 'after 1 updateMany webhook_deliveries .*"held":true.*"held":false',
    deliveries: 3,
    repeated: 0,
  },
  {
    step: "claimed for another attempt",
    dies: 'after 1 updateMany webhook_deliveries .*"claim":"',
    receiver: "fails",
    deliveries: 3,
    repeated: 0,
  },
];

/** Checks the result after a process has died at a step and another one has taken over. */
async function walk({ step, dies, receiver: does, deliveries, repeated }: Row): Promise<void> {
  const place = await aPlace();
  const { receiver, businessId } = place;
  if (does === "fails") receiver.fail(100);
  if (does === "stalls") receiver.stall();
  const child = await place.start(dies);
  await place.register();
  const events = eventsOfPayout(businessId);
  const acknowledged = place.send("webhooks.publish", { events }).then(
    () => true,
    () => false,
  );
  if (!dies) {
    const held = () => place.deliveries.countDocuments({ held: true });
    await until(async () => receiver.arrivals.length > 0 && (await held()) === 2);
    await kill(child);
  }
  await exited(child);
  expect([step, child.signalCode]).toEqual([step, "SIGKILL"]);
  expect([step, await place.deliveries.countDocuments()]).toEqual([step, deliveries]);
  const takenIn = new Set(
    receiver.arrivals.filter(({ failure }) => failure === null).map(({ id }) => id),
  );
  const cameBefore = receiver.arrivals.length;
  receiver.fail(0);
  await place.succeed();
  if (deliveries === 0) await handOver(place, events);
  await allDelivered(place, events);

  const again = receiver.arrivals.slice(cameBefore).filter(({ id }) => takenIn.has(id));
  const late = await givenUp(place);
  const excused = [...takenIn].reduce((sum, id) => sum + late(id), 0);
  expect([step, again.length - excused]).toEqual([step, repeated]);
  expectInOrder(place, events);
  await acknowledged;
}

const AT_ONCE = 3;

test("a process dies at every step, and another one completes the work", async () => {
  const rows = [...WALK];
  const walkOn = async () => {
    for (let row = rows.shift(); row; row = rows.shift()) await walk(row);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walkOn));
});

test("a process that dies during a batch repeats only arrivals that were not recorded", async () => {
  const place = await aPlace();
  const { receiver, businessId } = place;
  const child = await place.start(`before 2 ${RECORD}`);
  await place.register();
  const events = Array.from({ length: 100 }, () => eventsOfPayout(businessId)).flat();
  await Promise.race([handOver(place, events), exited(child)]);
  await exited(child);
  const pending = new Set(await place.deliveries.distinct("eventId", { status: "PENDING" }));
  expect(pending.size).toBeGreaterThan(0);
  await place.succeed();
  await handOver(place, events);
  await allDelivered(place, events);

  const repeated = [...repeats(place)].filter(([, times]) => times > 0);
  expect(repeated.length).toBeGreaterThan(0);
  const late = await givenUp(place);
  const explained = (id: string) => (pending.has(id) ? 1 : 0) + late(id);
  expect(repeated.filter(([id, times]) => times > explained(id))).toEqual([]);
  expectInOrder(place, events);
  process.stderr.write(`${repeated.length} of ${events.length} were repeated\n`);
  const again = repeated.reduce((sum, [, times]) => sum + times, 0);
  expect(receiver.arrivals).toHaveLength(events.length + again);
});

test.each(["before", "after"])(
  "a process killed %s a rotation is stored leaves the merchant's secret valid, and the next one",
  async (when) => {
    const place = await aPlace();
    const { receiver, businessId } = place;
    const child = await place.start(`${when} 1 findOneAndUpdate webhook_endpoints .*secrets`);
    const { id, secret } = await place.register();
    const lost = place.send("webhooks.rotateSecret", { businessId, id }).catch(() => null);
    await exited(child);
    await place.succeed();
    const deliver = async (signedWith: string) => {
      const events = eventsOfPayout(businessId);
      const before = receiver.arrivals.length;
      await handOver(place, events);
      const since = () => receiver.arrivals.slice(before);
      await until(() => since().length === events.length, PATIENCE);
      for (const { text, headers } of since()) {
        new Webhook(signedWith).verify(text, headers as Record<string, string>);
      }
    };
    await deliver(secret);
    const next = await place.send("webhooks.rotateSecret", { businessId, id });
    await deliver(next.secret);
    expect(await lost).toBeNull();
  },
);

const KILLS = 6;
const PAYOUTS = 400;

test("no event is lost when one or both processes are killed at random, and only those in flight repeat", async () => {
  const place = await aPlace();
  const { receiver, businessId, deliveries } = place;
  receiver.fail(10);
  const replicas = await Promise.all([place.start(), place.start()]);
  await place.register();
  const batches = Array.from({ length: PAYOUTS / 10 }, () =>
    Array.from({ length: 10 }, () => eventsOfPayout(businessId)).flat(),
  );
  const events = batches.flat();
  const publishing = handOverInTurn(place, batches);

  const inFlight = new Map<string, number>();
  for (let kills = 0; kills < KILLS; kills++) {
    const came = receiver.counts.requests;
    const more = Math.min(random.below(150), events.length - came);
    await until(() => receiver.counts.requests >= came + more, PATIENCE);
    const victims = random.below(3) === 0 ? [0, 1] : [random.below(2)];
    await Promise.all(victims.map((i) => kill(replicas[i] as ChildProcess)));
    const claimed = { status: "PENDING" as const, claim: { $ne: null } };
    for (const id of await deliveries.distinct("eventId", claimed)) {
      inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
    }
    for (const i of victims) replicas[i] = await place.start();
  }
  receiver.fail(0);
  await publishing;
  await allDelivered(place, events);

  const repeated = [...repeats(place)].filter(([, times]) => times > 0);
  const late = await givenUp(place);
  const explained = (id: string) => (inFlight.get(id) ?? 0) + late(id);
  const unexplained = repeated.filter(([id, times]) => times > explained(id));
  expect(unexplained).toEqual([]);
  expectInOrder(place, events);
  const counted = { events: events.length, kills: KILLS, inFlight: inFlight.size };
  process.stderr.write(`${JSON.stringify({ ...counted, repeated: repeated.length })}\n`);
});

/** Publishes a few batches at a time. */
async function handOverInTurn(place: Place, batches: HandedOver[][]): Promise<void> {
  const left = [...batches];
  const go = async () => {
    for (let batch = left.shift(); batch; batch = left.shift()) await handOver(place, batch);
  };
  await Promise.all([go(), go(), go()]);
}
