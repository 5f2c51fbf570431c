// Measures billing: many subscriptions are due at one moment, and each invoice is computed, stored,
// charged in the sandbox and posted, and its event is stored by webhooks. The baseline is the
// ledger's posts in the same run. Runs in one process, and over NATS with a process for each
// service. A tenth of the subscriptions comes first, because the memory of the billing process must
// not grow with their number. CPU and written documents are per invoice.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createConnection, type mongo } from "mongoose";
import { Pool } from "undici";
import { migrateConfigured } from "../scripts/migrate/migrate.ts";
import { provideBinary } from "../scripts/support/binaries.ts";
import { startNats } from "../scripts/support/nats.ts";
import { freePort } from "../scripts/support/ports.ts";
import type { PaymentLink } from "../services/payment-links/links/link.model.ts";
import type { Config } from "../shared/config.ts";
import { SERVICE_NAMES, type ServiceName } from "../shared/service-names.ts";
import { openFunded, pick } from "./support/funded.ts";
import { createCard, createMerchant, creating } from "./support/merchant.ts";
import { type Row, rateOf } from "./support/rate.ts";
import { makeDue, seedSubscriptions } from "./support/seed-subscriptions.ts";
import type { Usage } from "./support/server.ts";
import type { Setting } from "./support/setting.ts";
import { pause } from "./support/webhooks.ts";
import { startServer, untilReady, usageOf, verifyBooks } from "./withdrawals.ts";

const BUSINESSES = 16;
const POSTERS = 256;
/** The time between the creation of the links and the start of their subscriptions. */
const TRIAL_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** A drain without progress for this long counts as stuck. */
const STUCK_AFTER_MS = 60_000;

/** Invoices per second, and the memory of the billing process. */
export async function benchBilling(setting: Setting): Promise<Row[]> {
  const posts = await postsPerSecond(setting);
  const inOne = { ...setting, how: "in one process", posts, groups: [[...SERVICE_NAMES]] };
  const inProcess = await measure(inOne);
  const binary = await provideBinary("nats-server", setting.binaries, setting.say);
  const nats = await startNats({ binary, say: setting.say });
  try {
    const groups = SERVICE_NAMES.map((name) => [name]);
    const environment = { ...setting.environment, NATS_URL: nats.url };
    const overNats = { ...setting, how: "over NATS", posts, groups, environment };
    return [...inProcess, ...(await measure(overNats))];
  } finally {
    await nats.stop();
  }
}

async function postsPerSecond({ config, ms }: Setting): Promise<number> {
  const url = new URL(config.mongoUrl as string);
  url.pathname += "_ledger";
  const place = { ...config, mongoUrl: url.href };
  await migrateConfigured(place);
  const ledger = await openFunded(place);
  const perSecond = await rateOf(POSTERS, ms, () => ledger.post(pick(ledger.wallets)));
  await ledger.close();
  return perSecond;
}

interface Measured extends Setting {
  how: string;
  groups: ServiceName[][];
  /** The ledger's posts per second. */
  posts: number;
}

/** The parts of the measured system that a drain uses. */
interface Place extends Measured {
  db: mongo.Db;
  pool: Pool;
  /** Runs payment-links. */
  biller: ChildProcess;
}

async function measure(setting: Measured): Promise<Row[]> {
  const port = await freePort();
  const environment = { ...setting.environment, PORT: String(port) };
  const { groups, config, subscriptions } = setting;
  const servers = await Promise.all(groups.map((names) => startServer(names, environment)));
  const biller = servers[groups.findIndex((names) => names.includes("payment-links"))];
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: BUSINESSES });
  const connection = await createConnection(config.mongoUrl as string).asPromise();
  try {
    await untilReady(pool);
    const db = connection.getClient().db(connection.name);
    const place: Place = { ...setting, db, pool, biller: biller as ChildProcess };
    const rows: Row[] = [];
    for (const count of [Math.ceil(subscriptions / 10), subscriptions]) {
      rows.push(await drain(place, count));
    }
    await verifyBooks(config);
    return rows;
  } finally {
    await connection.close();
    await pool.close();
    for (const server of servers.toReversed()) {
      server.disconnect();
      await once(server, "exit");
    }
  }
}

/** Bills a number of subscriptions at once. */
async function drain(place: Place, count: number): Promise<Row> {
  const { db, config, pool, posts, say, how } = place;
  const begins = Date.now() + TRIAL_MS;
  say(`Seeding ${count} subscriptions`);
  const soil = await createSoil(pool, config, db, begins);
  await seedSubscriptions({ db, config, ...soil }, count);
  // All subscriptions are stored as due before that moment.
  const midnight = Math.max(begins, Date.now() + TRIAL_MS + count / 20);
  const storedBefore = await eventsIn(db);
  await makeDue(db, midnight);
  await pause(midnight - Date.now());
  const before = await spent(place);
  const started = performance.now();
  const peak = await untilStored(place, storedBefore + count);
  const seconds = (performance.now() - started) / 1_000;
  const after = await spent(place);
  const ids = soil.links.map(({ _id }) => _id);
  const isPaid = { linkId: { $in: ids }, status: "paid" };
  const paid = await db.collection("invoices").countDocuments(isPaid);
  if (paid !== count) throw new Error(`${paid} invoices of ${count} are paid`);
  const perSecond = Math.round(count / seconds);
  return {
    what: `invoices ${how}, ${count} due at once`,
    perSecond,
    baseline: posts,
    ratio: perSecond / posts,
    billerUs: Math.round((after.billerUs - before.billerUs) / count),
    mongodUs: Math.round((after.mongodUs - before.mongodUs) / count),
    writes: Math.round((10 * (after.writes - before.writes)) / count) / 10,
    heapMb: toMb(peak.heapBytes),
    rssMb: toMb(peak.rssBytes),
  };
}

/** CPU in microseconds and written documents, since the start. */
async function spent({ biller, db }: Place) {
  const { cpuUs: billerUs } = await usageOf(biller);
  const { extra_info: mongod, metrics } = await db.command({ serverStatus: 1 });
  const mongodUs = Number(mongod.user_time_us) + Number(mongod.system_time_us);
  const { inserted, updated, deleted } = metrics.document;
  return { billerUs, mongodUs, writes: Number(inserted) + Number(updated) + Number(deleted) };
}

/** Waits for a number of events. @returns the largest memory of the billing process meanwhile */
async function untilStored(
  { biller, db }: Place,
  count: number,
): Promise<Pick<Usage, "heapBytes" | "rssBytes">> {
  const peak = { heapBytes: 0, rssBytes: 0 };
  let last = 0;
  let movedAt = performance.now();
  for (;;) {
    const usage = await usageOf(biller);
    peak.heapBytes = Math.max(peak.heapBytes, usage.heapBytes);
    peak.rssBytes = Math.max(peak.rssBytes, usage.rssBytes);
    const stored = await eventsIn(db);
    if (stored >= count) return peak;
    if (stored > last) movedAt = performance.now();
    last = stored;
    if (performance.now() - movedAt > STUCK_AFTER_MS) throw new Error(`Stuck at ${stored} events`);
    await pause(LOOK_EVERY_MS);
  }
}

function eventsIn(db: mongo.Db): Promise<number> {
  return db.collection("webhook_events").estimatedDocumentCount();
}

const toMb = (bytes: number) => Math.round(bytes / 1e6);

/** Creates a card and one link per business; the links' subscriptions begin at that moment. */
async function createSoil(
  pool: Pool,
  config: Config,
  db: mongo.Db,
  begins: number,
): Promise<{ links: PaymentLink[]; cardToken: string }> {
  const create = creating(pool);
  const ids = await Promise.all(
    Array.from({ length: BUSINESSES }, async () => {
      const token = await createMerchant(pool, config);
      const path = "/v1/ext/collections/payment-link";
      const body = linkBeginning(begins);
      const { application } = await create<{ application: { id: string } }>(path, token, body);
      return application.id;
    }),
  );
  const stored = db.collection<PaymentLink>("payment_links");
  const links = await stored.find({ _id: { $in: ids } }).toArray();
  return { links, cardToken: await createCard(pool) };
}

function linkBeginning(begins: number) {
  return {
    currency: "USD",
    amount: 25,
    name: "Plan",
    customerPays: false,
    itemDeliveryAddress: "1 Main St, New York",
    cartItems: [{ name: "Plan", description: "A month of it" }],
    checkoutType: "recurring",
    recurringCharge: {
      type: "subscription",
      startDate: new Date(begins).toISOString(),
      interval: { type: "month", count: 1 },
    },
  };
}
