// Measures payment links over HTTP: created links and answered payments, against an empty action
// behind the same gateway, in one process and over NATS with a process for each service; and the
// checkout page's size and time to first byte. The client is a separate process on the same
// machine. The work after an answer (webhooks) runs meanwhile.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Pool } from "undici";
import { provideBinary } from "../scripts/support/binaries.ts";
import { startNats } from "../scripts/support/nats.ts";
import { freePort } from "../scripts/support/ports.ts";
import type { Config } from "../shared/config.ts";
import { SERVICE_NAMES } from "../shared/service-names.ts";
import { createCard, createMerchant, creating } from "./support/merchant.ts";
import { type Row, rateOf } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { post, startServer, untilReady, verifyBooks } from "./withdrawals.ts";

const CALLERS = [1, 64, 256];
/** Each has its own collection account, because one partition writes all payments of an account. */
const BUSINESSES = 16;
const PAGES = 200;

const LINK = {
  currency: "USD",
  amount: 25,
  name: "Spring sale",
  itemDeliveryAddress: "1 Main St, New York",
  cartItems: [{ name: "Tulips", description: "A dozen, red", qty: 1, price: 25 }],
};

/** Links and payments per second by number of callers, and the cost of the page. */
export async function benchLinks(setting: Setting): Promise<Row[]> {
  const inProcess = await measure("in one process", [[...SERVICE_NAMES]], setting);
  const binary = await provideBinary("nats-server", setting.binaries, setting.say);
  const nats = await startNats({ binary, say: setting.say });
  try {
    const alone = SERVICE_NAMES.map((name) => [name]);
    const overNats = { ...setting, environment: { ...setting.environment, NATS_URL: nats.url } };
    return [...inProcess, ...(await measure("over NATS", alone, overNats))];
  } finally {
    await nats.stop();
  }
}

async function measure(how: string, groups: string[][], setting: Setting): Promise<Row[]> {
  const port = await freePort();
  const environment = { ...setting.environment, PORT: String(port) };
  const servers = await Promise.all(groups.map((names) => startServer(names, environment)));
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Math.max(...CALLERS) });
  try {
    await untilReady(pool);
    const merchants = await createMerchants(pool, setting.config);
    const rows: Row[] = [];
    for (const callers of CALLERS) {
      rows.push(await linksRow(how, callers, setting.ms, pool, merchants));
      rows.push(await paymentsRow(how, callers, setting.ms, pool, merchants));
    }
    rows.push(await pageRow(how, pool, merchants));
    await verifyBooks(setting.config);
    return rows;
  } finally {
    await pool.close();
    for (const server of servers.toReversed()) {
      server.disconnect();
      await once(server, "exit");
    }
  }
}

interface Merchant {
  token: string;
  /** The token of an open link. */
  linkToken: string;
  cardToken: string;
}

async function createMerchants(pool: Pool, config: Config): Promise<Merchant[]> {
  const create = creating(pool);
  return Promise.all(
    Array.from({ length: BUSINESSES }, async () => {
      const token = await createMerchant(pool, config);
      const path = "/v1/ext/collections/payment-link";
      const { application } = await create<{ application: { token: string } }>(path, token, LINK);
      return { token, linkToken: application.token, cardToken: await createCard(pool) };
    }),
  );
}

async function linksRow(
  how: string,
  callers: number,
  ms: number,
  pool: Pool,
  merchants: Merchant[],
): Promise<Row> {
  const body = JSON.stringify(LINK);
  const send = (path: string) => () => post(pool, path, oneOf(merchants).token, body);
  const baseline = await rateOf(callers, ms, send("/v1/bench/USD/link/empty"));
  const perSecond = await rateOf(callers, ms, send("/v1/ext/collections/payment-link"));
  const what = `links ${how}, ${callers} callers`;
  return { what, perSecond, baseline, ratio: perSecond / baseline };
}

async function paymentsRow(
  how: string,
  callers: number,
  ms: number,
  pool: Pool,
  merchants: Merchant[],
): Promise<Row> {
  const send = (pathOf: (linkToken: string) => string) => async () => {
    const { linkToken, cardToken } = oneOf(merchants);
    const status = await pay(pool, pathOf(linkToken), cardToken);
    if (status !== undefined && status !== "SUCCEEDED") throw new Error(`A payment is ${status}`);
  };
  const baseline = await rateOf(
    callers,
    ms,
    send((token) => `/v1/bench/${token}/empty`),
  );
  const perSecond = await rateOf(
    callers,
    ms,
    send((token) => `/v1/checkout/${token}/payments`),
  );
  const what = `payments ${how}, ${callers} callers`;
  return { what, perSecond, baseline, ratio: perSecond / baseline };
}

/** Pays as the hosted page does. @returns the payment's status */
async function pay(pool: Pool, path: string, token: string): Promise<string | undefined> {
  const customer = {
    email: "ada@example.com",
    firstName: "Ada",
    lastName: "Bench",
    phone: "+1 555 0100",
  };
  const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
  const body = JSON.stringify({ customer, paymentMethod: { type: "card", token } });
  const answer = await pool.request({ method: "POST", path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  return (JSON.parse(text) as { data: { status?: string } }).data.status;
}

/** Loads pages one after the other; `firstByteMs` is the median time to first byte. */
async function pageRow(how: string, pool: Pool, merchants: Merchant[]): Promise<Row> {
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < PAGES; i++) {
    const path = `/pay/page/${oneOf(merchants).linkToken}`;
    const start = performance.now();
    const answer = await pool.request({ method: "GET", path });
    times.push(performance.now() - start);
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
    bytes = (await answer.body.bytes()).length;
  }
  const [median, late] = [0.5, 0.99].map((part) => quantile(times, part));
  return { what: `checkout page ${how}`, bytes, firstByteMs: median ?? 0, lateMs: late ?? 0 };
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1));
}

function oneOf<T>(list: T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}
