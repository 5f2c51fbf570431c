// The row of webhook deliveries, stored, sent and recorded, against a bare loop of the same
// inserts, posts and updates: the same bodies, indexes, connections and receiver. The receiver is a
// separate process on the same machine.

import type { mongo } from "mongoose";
import { Pool } from "undici";
import { newDelivery } from "../../services/webhooks/events/events.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import { systemClock } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { pause } from "../platform/processes.ts";
import { inTurns, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { type AimRow, formatCount, ratioRow } from "./support/table.ts";
import {
  anEvent,
  type HandedOver,
  inPlace,
  type Place,
  type Receiver,
  startReceiver,
} from "./support/webhooks.ts";

/** The batch size of the payouts' relay. */
const BATCH = 200;
const ENDPOINTS = 8;
/** The bare loops that run beside each other, and the connections that they share. */
const LOOPS = 4;
const CONNECTIONS = 128;
/** Undelivered events at a time: as many as the service holds in memory. */
const ON_THE_WAY = ENDPOINTS * 256;
const DURABLE = { writeConcern: { w: "majority", j: true }, ordered: false } as const;

/** Deliveries per second. */
export async function benchDeliveries(setting: Setting): Promise<AimRow[]> {
  const receiver = await startReceiver();
  try {
    setting.say(`Delivering to ${ENDPOINTS} endpoints`);
    const compared = await inPlace(setting, "deliveries", (place) =>
      inPlace(setting, "bare", (bare) =>
        inTurns(
          setting.ms,
          async (ms) => ({ perSecond: await deliver(ms, receiver, place) }),
          (ms) => deliverBare(ms, receiver, bare.db),
        ),
      ),
    );
    const what = `deliveries to ${ENDPOINTS} endpoints`;
    const row = ratioRow([what, "their inserts, posts and updates bare"], 1, compared);
    const { perSecond } = compared.subject;
    return [{ ...row, means: `It delivers ${formatCount(perSecond)} webhooks a second.` }];
  } finally {
    await receiver.stop();
  }
}

/** Publishes as fast as the service delivers. */
async function deliver(
  ms: number,
  receiver: Receiver,
  { publish, register }: Place,
): Promise<number> {
  const businesses = Array.from({ length: ENDPOINTS }, newId);
  for (const businessId of businesses) await register(businessId, receiver.url);
  await receiver.heard();
  let handed = 0;
  let arrived = 0;
  const run = async (until: number) => {
    while (performance.now() < until) {
      arrived += await receiver.heard();
      if (handed - arrived > ON_THE_WAY - BATCH) await pause(5);
      else {
        await publish(eventsOf(businesses));
        handed += BATCH;
      }
    }
  };
  await run(performance.now() + Math.max(1_000, ms / 4));
  const [start, before] = [performance.now(), arrived];
  await run(start + ms);
  const perSecond = ((arrived - before) * 1_000) / (performance.now() - start);
  while (arrived < handed) arrived += await receiver.heard();
  return perSecond;
}

function eventsOf(businesses: string[]): HandedOver[] {
  return Array.from({ length: BATCH }, (_, i) =>
    anEvent(businesses[i % businesses.length] as string),
  );
}

/** Makes the same writes and posts, batch after batch. */
async function deliverBare(ms: number, { url }: Receiver, db: mongo.Db): Promise<number> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const batches = await rateOf(LOOPS, ms, () => deliverBatch(db, pool));
  await pool.close();
  return batches * BATCH;
}

async function deliverBatch(db: mongo.Db, pool: Pool): Promise<void> {
  const endpointId = newId();
  const events = eventsOf([newId()]).map(({ id, at, body, ...event }) => ({
    ...event,
    _id: id,
    at: new Date(at),
    eventType: body.eventType,
    body: JSON.stringify(body),
    endpointIds: [endpointId],
  }));
  await db.collection<{ _id: string }>("webhook_events").insertMany(events, DURABLE);
  const deliveries = events.map((event) => ({
    ...newDelivery({ clock: systemClock, newId }, event, endpointId),
    claim: endpointId,
  }));
  const stored = db.collection<Delivery>("webhook_deliveries");
  await stored.insertMany(deliveries, DURABLE);
  const answers = await Promise.all(
    events.map(async ({ _id, body }) => {
      const at = new Date();
      const headers = {
        "content-type": "application/json",
        "user-agent": "payrail-webhooks/1",
        "webhook-id": _id,
        "webhook-timestamp": "1700000000",
        "webhook-signature": `v1,${"0".repeat(44)}`,
      };
      const answer = await pool.request({ method: "POST", path: "/", headers, body });
      await answer.body.dump();
      const { statusCode } = answer;
      return { at, statusCode, durationMs: 1, error: null, errorClass: null, response: null };
    }),
  );
  const writes = deliveries.map(({ _id }, i) => ({
    updateOne: {
      filter: { _id, claim: endpointId },
      update: {
        $set: { status: "DELIVERED", nextAttemptAt: null, claim: null, held: false },
        $push: { attempts: answers[i] },
      },
    },
  }));
  await stored.bulkWrite(writes as mongo.AnyBulkWriteOperation<Delivery>[], DURABLE);
}
