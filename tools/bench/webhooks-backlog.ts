// Measures a backlog of webhooks: the memory of a process with many pending deliveries to a dead
// endpoint, and the documents read to find due deliveries beside as many ended ones. The baseline
// is a small backlog.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { mongo } from "mongoose";
import { newDelivery } from "../../services/webhooks/events/events.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Event } from "../../services/webhooks/queue/event.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { migrate } from "../migrate/migrate.ts";
import type { Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { anEvent, inPlace, type Place, pause, type Receiver } from "./support/webhooks.ts";

const FEW = 1_000;
const MOST = 1_000_000;
/** Fewer in a short run, because seeding takes most of the time. */
const PER_SECOND_OF_BENCH = 50_000;
const PER_INSERT = 5_000;
/** The due deliveries of a backlog; the others are due later. */
const DUE = 1_000;
const DAY_MS = 86_400_000;
const SWEEPS_MS = 3_000;

export async function benchBacklog(setting: Setting, receiver: Receiver): Promise<Row[]> {
  const many = Math.min(MOST, Math.round((setting.ms / 1_000) * PER_SECOND_OF_BENCH));
  const rows: Row[] = [];
  for (const count of [FEW, many]) {
    setting.say(`${count} deliveries pending`);
    rows.push(await inPlace(setting, `pending_${count}`, (at) => memory(at, receiver, count)));
  }
  for (const count of [FEW, many]) {
    setting.say(`${count} deliveries done and dead`);
    rows.push(await inPlace(setting, `done_${count}`, (at) => finding(at, receiver, count)));
  }
  return rows;
}

async function memory(place: Place, receiver: Receiver, count: number): Promise<Row> {
  const [dead, healthy] = [newId(), newId()];
  const deadId = await place.register(dead, receiver.silentUrl);
  await place.register(healthy, receiver.url);
  await place.stopService();
  // Seeding is quicker without indexes.
  await place.db.collection("webhook_deliveries").dropIndexes();
  await seed(place.db, count, (i) => ({
    ...blank(dead, deadId),
    status: "PENDING",
    nextAttemptAt: new Date(Date.now() + (i < DUE ? 0 : DAY_MS)),
  }));
  await migrate(place.db, { sandbox: true });
  const node = fork(join(import.meta.dirname, "support", "webhooks-node.ts"), {
    env: { ...process.env, ...place.environment },
    execArgv: ["--expose-gc"],
  });
  await once(node, "message");
  await pause(SWEEPS_MS);
  node.send("memory");
  const [{ heapBytes, rssBytes }] = (await once(node, "message")) as [
    { heapBytes: number; rssBytes: number },
  ];
  // Stopping it would wait for the dead endpoint's answers.
  node.kill("SIGKILL");
  await once(node, "exit");
  const what = `memory with ${count} pending for a dead endpoint, MB`;
  return { what, heapMb: megabytes(heapBytes), rssMb: megabytes(rssBytes) };
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576);

/** The reads of mongod for the sweeps of a service that delivers little. */
async function finding(place: Place, receiver: Receiver, count: number): Promise<Row> {
  const { db } = place;
  const businessId = newId();
  const endpointId = await place.register(businessId, receiver.url);
  await seed(db, count, (i) => ({
    ...blank(businessId, endpointId),
    status: i % 2 === 0 ? "DELIVERED" : "DEAD_LETTER",
    nextAttemptAt: null,
  }));
  await db.command({ profile: 2, filter: { ns: `${db.databaseName}.webhook_deliveries` } });
  const end = performance.now() + SWEEPS_MS;
  while (performance.now() < end) {
    await seedDue(db, businessId, endpointId);
    await pause(SWEEPS_MS / 10);
  }
  await db.command({ profile: 0 });
  const reads = await db
    .collection<{ keysExamined?: number; docsExamined?: number; millis: number }>("system.profile")
    .find({ "command.aggregate": "webhook_deliveries" })
    .toArray();
  const sum = (of: (read: (typeof reads)[number]) => number | undefined) =>
    reads.reduce((total, read) => total + (of(read) ?? 0), 0) / reads.length;
  return {
    what: `a look for due ones beside ${count} done and dead`,
    looks: reads.length,
    keys: Number(sum(({ keysExamined }) => keysExamined).toFixed(1)),
    documents: Number(sum(({ docsExamined }) => docsExamined).toFixed(1)),
    ms: Number(sum(({ millis }) => millis).toFixed(2)),
  };
}

async function seed(db: mongo.Db, count: number, of: (i: number) => Delivery): Promise<void> {
  const deliveries = db.collection<Delivery>("webhook_deliveries");
  for (let from = 0; from < count; from += PER_INSERT) {
    const length = Math.min(PER_INSERT, count - from);
    const batch = Array.from({ length }, (_, i) => of(from + i));
    await deliveries.insertMany(batch, { ordered: false });
    // No other collection is read.
    const due = batch.filter((_, i) => from + i < DUE);
    if (due.length > 0) await db.collection<Event>("webhook_events").insertMany(due.map(eventOf));
  }
}

const DUE_AT_ONCE = 10;

async function seedDue(db: mongo.Db, businessId: string, endpointId: string): Promise<void> {
  const due = Array.from({ length: DUE_AT_ONCE }, () => blank(businessId, endpointId));
  await db.collection<Event>("webhook_events").insertMany(due.map(eventOf));
  await db.collection<Delivery>("webhook_deliveries").insertMany(due);
}

function blank(businessId: string, endpointId: string): Delivery {
  const told = { transactionId: newId(), seq: 1, eventType: "WITHDRAWAL" as const };
  return newDelivery(
    { clock: systemClock, newId },
    { _id: newId(), businessId, ...told },
    endpointId,
  );
}

function eventOf({ eventId, businessId, transactionId, seq, createdAt, endpointId }: Delivery) {
  return {
    _id: eventId,
    businessId,
    transactionId,
    seq,
    at: createdAt,
    eventType: "WITHDRAWAL" as const,
    body: JSON.stringify(anEvent(businessId, { transactionId }).body),
    endpointIds: [endpointId],
  };
}
