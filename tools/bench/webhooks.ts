// Measures webhooks: the delay from the end of a payout to the merchant; the cost of dead endpoints
// for a healthy one; the cost of a backlog (webhooks-backlog.ts). The receiver is a separate process
// on the same machine.

import { newId } from "../../shared/ids.ts";
import { freePort } from "../platform/ports.ts";
import { quantile, type Row } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { startSystem } from "./support/system.ts";
import { createUsers } from "./support/users.ts";
import {
  anEvent,
  inPlace,
  type Place,
  pause,
  type Receiver,
  startReceiver,
} from "./support/webhooks.ts";
import { benchBacklog } from "./webhooks-backlog.ts";

const PER_SECOND = 100;
const DEAD = [0, 1, 10, 100];
/** The initial backlog of a dead endpoint. */
const BACKLOG_OF_DEAD = 50;
const SHORTEST_MS = 3_000;

export async function benchWebhooks(setting: Setting): Promise<Row[]> {
  const receiver = await startReceiver();
  try {
    return [
      ...(await measureEnds(setting, receiver)),
      ...(await measureBesideDead(setting, receiver)),
      ...(await benchBacklog(setting, receiver)),
    ];
  } finally {
    await receiver.stop();
  }
}

/** Milliseconds from a payout's last state to its arrival, at a steady rate of withdrawals. */
async function measureEnds(setting: Setting, receiver: Receiver): Promise<Row[]> {
  setting.say(`Paying out ${PER_SECOND} a second`);
  const variables = { SANDBOX_SETTLE_MS: "100" };
  const system = await startSystem(setting, { name: "ends", variables });
  const { make, withdraw } = await createUsers(system);
  await make("/webhooks", { url: receiver.url });
  await receiver.heard();
  const failures = await steadily(setting, withdraw);
  await pause(1_000);
  const { delaysMs } = await receiver.heard();
  await system.close();
  return [{ what: "from the end of a payout to the merchant, ms", ...told(delaysMs), failures }];
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
