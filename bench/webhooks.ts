// Measures webhooks: stored and delivered events per second, against plain inserts and a plain HTTP
// client with the same bodies, connections and receiver; the delay from the end of a payout to the
// merchant; the cost of dead endpoints for a healthy one; the cost of a backlog
// (webhooks-backlog.ts). The receiver is a separate process on the same machine.

import { Pool } from "undici";
import { freePort } from "../scripts/support/ports.ts";
import { newId } from "../shared/ids.ts";
import { SERVICE_NAMES } from "../shared/service-names.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import {
  anEvent,
  type HandedOver,
  inPlace,
  type Place,
  pause,
  quantile,
  type Receiver,
  startReceiver,
} from "./support/webhooks.ts";
import { benchBacklog } from "./webhooks-backlog.ts";
import { startSystem } from "./withdrawals.ts";

/** The batch size of the payouts' relay. */
const BATCH = 200;
const ENDPOINTS = [1, 8];
/** The connections of the bare client to each endpoint. */
const CONNECTIONS = 32;
/** Undelivered events per endpoint at a time: as many as the service holds in memory for one. */
const ON_THE_WAY = 256;
const PER_SECOND = 100;
const DEAD = [0, 1, 10, 100];
/** The initial backlog of a dead endpoint. */
const BACKLOG_OF_DEAD = 50;
const SHORTEST_MS = 3_000;

export async function benchWebhooks(setting: Setting): Promise<Row[]> {
  const receiver = await startReceiver();
  try {
    return [
      ...(await measureStored(setting, receiver)),
      ...(await measureDelivered(setting, receiver)),
      ...(await measureEnds(setting, receiver)),
      ...(await measureBesideDead(setting, receiver)),
      ...(await benchBacklog(setting, receiver)),
    ];
  } finally {
    await receiver.stop();
  }
}

/** Events per second through `publish`, against inserts of the same documents. */
async function measureStored(setting: Setting, receiver: Receiver): Promise<Row[]> {
  const rows: Row[] = [];
  for (const wanted of [false, true]) {
    setting.say(`Storing events, ${wanted ? "each with a delivery" : "for nobody"}`);
    const row = await inPlace(setting, `stored_${wanted}`, async ({ db, publish, register }) => {
      const businessId = newId();
      // No event is delivered during this measurement.
      if (wanted) await register(businessId, receiver.silentUrl);
      const batch = () => Array.from({ length: BATCH }, () => anEvent(businessId));
      const bare = ["bare_events", ...(wanted ? ["bare_deliveries"] : [])];
      const baseline = await rateOf(1, setting.ms, async () => {
        const documents = batch().map(({ id, body, ...rest }) => ({
          _id: id as never,
          ...rest,
          body: JSON.stringify(body),
        }));
        for (const name of bare) {
          await db.collection(name).insertMany(documents, { ordered: false });
        }
      });
      const perSecond = await rateOf(1, setting.ms, () => publish(batch()));
      await receiver.hangUp();
      return { perSecond: perSecond * BATCH, baseline: baseline * BATCH };
    });
    const what = `events stored, ${wanted ? "each with a delivery" : "for nobody"}`;
    rows.push({ what, ...row, ratio: row.perSecond / row.baseline });
  }
  return rows;
}

/** Deliveries per second, stored, sent and recorded, against posts of the same bodies alone. */
async function measureDelivered(setting: Setting, receiver: Receiver): Promise<Row[]> {
  const rows: Row[] = [];
  for (const endpoints of ENDPOINTS) {
    const baseline = await postsOf(setting, receiver, endpoints);
    for (const states of [1, 3]) {
      setting.say(`Delivering to ${endpoints} endpoints, ${states} events of a transaction`);
      const perSecond = await inPlace(setting, `delivered_${endpoints}_${states}`, (place) =>
        deliveriesOf(setting, receiver, place, { endpoints, states }),
      );
      const kind = states === 1 ? "one event of each payout" : `${states} events of each payout`;
      const what = `deliveries to ${endpoints} endpoints, ${kind}`;
      rows.push({ what, perSecond, baseline, ratio: perSecond / baseline });
    }
  }
  return rows;
}

async function postsOf({ ms }: Setting, { url }: Receiver, endpoints: number): Promise<number> {
  const pools = Array.from(
    { length: endpoints },
    () => new Pool(url, { connections: CONNECTIONS }),
  );
  const headers = {
    "content-type": "application/json",
    "user-agent": "payrail-webhooks/1",
    "webhook-id": newId(),
    "webhook-timestamp": "1700000000",
    "webhook-signature": `v1,${"0".repeat(44)}`,
  };
  let next = 0;
  const rate = await rateOf(endpoints * CONNECTIONS, ms, async () => {
    const pool = pools[next++ % endpoints] as Pool;
    const body = JSON.stringify(anEvent(headers["webhook-id"]).body);
    const answer = await pool.request({ method: "POST", path: "/", headers, body });
    await answer.body.dump();
  });
  await Promise.all(pools.map((pool) => pool.close()));
  return rate;
}

async function deliveriesOf(
  { ms }: Setting,
  receiver: Receiver,
  { publish, register }: Place,
  { endpoints, states }: { endpoints: number; states: number },
): Promise<number> {
  const businesses = Array.from({ length: endpoints }, newId);
  for (const businessId of businesses) await register(businessId, receiver.url);
  const nextBatch = batches(businesses, states);
  await receiver.heard();
  let handed = 0;
  let arrived = 0;
  const run = async (until: number) => {
    while (performance.now() < until) {
      arrived += (await receiver.heard()).requests;
      if (handed - arrived > endpoints * ON_THE_WAY) await pause(5);
      else {
        const events = nextBatch();
        await publish(events);
        handed += events.length;
      }
    }
  };
  await run(performance.now() + Math.max(1_000, ms / 4));
  const [start, before] = [performance.now(), arrived];
  await run(start + ms);
  const perSecond = Math.round(((arrived - before) * 1_000) / (performance.now() - start));
  while (arrived < handed) arrived += (await receiver.heard()).requests;
  return perSecond;
}

/** Batches in which each payout's next event is in the next batch. */
function batches(businesses: string[], states: number): () => HandedOver[] {
  const begun = Math.floor(BATCH / states);
  let count = 0;
  let open: { transactionId: string; businessId: string; seq: number }[] = [];
  return () => {
    for (let i = 0; i < begun; i++) {
      const businessId = businesses[count++ % businesses.length] as string;
      open.push({ businessId, transactionId: newId(), seq: 0 });
    }
    open = open.map((payout) => ({ ...payout, seq: payout.seq + 1 }));
    const events = open.map((payout) => anEvent(payout.businessId, payout));
    open = open.filter(({ seq }) => seq < states);
    return events;
  };
}

/** Milliseconds from a payout's last state to its arrival, at a steady rate of withdrawals. */
async function measureEnds(setting: Setting, receiver: Receiver): Promise<Row[]> {
  setting.say(`Paying out ${PER_SECOND} a second`);
  const environment = { ...setting.environment, SANDBOX_SETTLE_MS: "100" };
  const payouts = await startSystem([[...SERVICE_NAMES]], { ...setting, environment });
  try {
    await payouts.make("/webhooks", { url: receiver.url });
    await receiver.heard();
    const failures = await steadily(setting, () => payouts.withdraw());
    await pause(1_000);
    const { delaysMs } = await receiver.heard();
    return [{ what: `from the end of a payout to the merchant, ms`, ...told(delaysMs), failures }];
  } finally {
    await payouts.stop();
  }
}

/** Starts the work at a steady rate, in calls per second. @returns the number of failures */
async function steadily({ ms }: Setting, work: () => Promise<unknown>): Promise<number> {
  const underWay = new Set<Promise<unknown>>();
  let failures = 0;
  const start = performance.now();
  const count = Math.round((Math.max(ms, SHORTEST_MS) * PER_SECOND) / 1_000);
  for (let i = 0; i < count; i++) {
    await pause(Math.max(0, start + (i * 1_000) / PER_SECOND - performance.now()));
    const done = work()
      .catch(() => {
        failures += 1;
      })
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }
  await Promise.all(underWay);
  return failures;
}

function told(delaysMs: number[]) {
  return {
    delivered: delaysMs.length,
    medianMs: quantile(delaysMs, 0.5),
    p99Ms: quantile(delaysMs, 0.99),
  };
}

interface Beside {
  dead: number;
  /** Whether it refuses connections; else it is silent. */
  refuses?: boolean;
  /** Whether the dead endpoints belong to the healthy endpoint's business. */
  own?: boolean;
}

/** The healthy endpoint's delay beside dead ones, measured while they are dead. */
async function measureBesideDead(setting: Setting, receiver: Receiver): Promise<Row[]> {
  const cases: Beside[] = [
    ...DEAD.map((dead) => ({ dead })),
    { dead: 100, own: true },
    { dead: 10, refuses: true },
  ];
  const rows: Row[] = [];
  for (const beside of cases) {
    const { dead, own, refuses } = beside;
    const kind = `${refuses ? "refusing" : "silent"} ones${own ? " of its business" : ""}`;
    const what = `a healthy endpoint beside ${dead} ${kind}, ms`;
    setting.say(what);
    const name = `beside_${rows.length}`;
    const delays = await inPlace(setting, name, (place) =>
      delaysBeside(setting, receiver, place, beside),
    );
    rows.push({ what, ...told(delays) });
  }
  return rows;
}

async function delaysBeside(
  setting: Setting,
  receiver: Receiver,
  { publish, register }: Place,
  { dead, refuses, own }: Beside,
): Promise<number[]> {
  const healthy = newId();
  await register(healthy, receiver.url, "WITHDRAWAL");
  const url = refuses ? `http://127.0.0.1:${await freePort()}/` : receiver.silentUrl;
  const others: string[] = [];
  for (let i = 0; i < dead; i++) {
    const businessId = own ? healthy : newId();
    await register(businessId, url, "COLLECTION");
    others.push(businessId);
  }
  const toDead = (businessId: string) => anEvent(businessId, { eventType: "COLLECTION" });
  // Within one business each event goes to all dead endpoints.
  const businesses = own ? [healthy] : others;
  for (let i = 0; i < BACKLOG_OF_DEAD; i++) {
    if (dead > 0) await publish(businesses.map(toDead));
  }
  await receiver.heard();
  let next = 0;
  await steadily(setting, async () => {
    const other = businesses[next++ % Math.max(1, businesses.length)];
    // With shared events each of a hundred endpoints gets ten a second.
    const isDue = dead > 0 && (!own || next % 10 === 0);
    await publish([anEvent(healthy), ...(isDue && other ? [toDead(other)] : [])]);
  });
  await pause(500);
  const { delaysMs } = await receiver.heard();
  await receiver.hangUp();
  return delaysMs;
}
