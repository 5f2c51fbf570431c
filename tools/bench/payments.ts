// The row of payments over HTTP, as the hosted page pays: their whole life against that of
// withdrawals of the same process.

import { randomUUID } from "node:crypto";
import type { Pool } from "undici";
import { createCard, createLink, createMerchant } from "./support/merchant.ts";
import { inTurns, pick } from "./support/rate.ts";
import type { Setting } from "./support/setting.ts";
import { type System, startSystem } from "./support/system.ts";
import { type AimRow, ratioRow } from "./support/table.ts";
import { createUsers } from "./support/users.ts";
import { countOpenIn, measureWholeLife, SETTLE_MS } from "./support/whole-life.ts";

const CALLERS = 64;
/** Each has its own collection account, because one partition writes all payments of an account. */
const BUSINESSES = 16;

const LINK = {
  currency: "USD",
  amount: 25,
  name: "Spring sale",
  itemDeliveryAddress: "1 Main St, New York",
  cartItems: [{ name: "Tulips", description: "A dozen, red", qty: 1, price: 25 }],
};

/** Payments against withdrawals. */
export async function benchPayments(setting: Setting): Promise<AimRow[]> {
  const variables = { SANDBOX_SETTLE_MS: String(SETTLE_MS) };
  const system = await startSystem(setting, { name: "one", variables });
  const { db, pool, cpu } = system;
  const { withdraw } = await createUsers(system);
  const links = await createLinks(system);
  const withdrawals = { send: withdraw, countOpen: () => countOpenIn(db) };
  const payments = { ...withdrawals, cpu, send: () => pay(pool, pick(links)) };
  setting.say(`Payments, ${CALLERS} callers`);
  const compared = await inTurns(
    setting.ms,
    (ms) => measureWholeLife(payments, CALLERS, ms),
    async (ms) => (await measureWholeLife(withdrawals, CALLERS, ms)).perSecond,
  );
  await system.close();
  return [ratioRow([`card payments, ${CALLERS} callers`, "withdrawals"], 0.9, compared)];
}

interface OpenLink {
  linkToken: string;
  cardToken: string;
}

function createLinks({ pool, config }: System): Promise<OpenLink[]> {
  return Promise.all(
    Array.from({ length: BUSINESSES }, async () => {
      const { token } = await createLink(pool, await createMerchant(pool, config), LINK);
      return { linkToken: token, cardToken: await createCard(pool) };
    }),
  );
}

const CUSTOMER = {
  email: "ada@example.com",
  firstName: "Ada",
  lastName: "Bench",
  phone: "+1 555 0100",
};

async function pay(pool: Pool, { linkToken, cardToken }: OpenLink): Promise<void> {
  const path = `/v1/checkout/${linkToken}/payments`;
  const headers = { "content-type": "application/json", "idempotency-key": randomUUID() };
  const paymentMethod = { type: "card", token: cardToken };
  const body = JSON.stringify({ customer: CUSTOMER, paymentMethod });
  const answer = await pool.request({ method: "POST", path, headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
  const { status } = (JSON.parse(text) as { data: { status: string } }).data;
  if (status !== "SUCCEEDED") throw new Error(`A payment is ${status}`);
}
