// The row of invoices: many subscriptions are due at one moment, and each invoice is computed,
// stored, charged in the sandbox and posted, and its event is stored by webhooks. A tenth of the
// subscriptions comes first and warms up.

import { createConnection, type mongo } from "mongoose";
import type { PaymentLink } from "../../services/payment-links/links/link.model.ts";
import { newId } from "../../shared/ids.ts";
import { pause } from "../platform/processes.ts";
import type { Replica } from "../platform/replica.ts";
import { openBalances } from "./support/conditional-update.ts";
import { cpuPer, usageOf } from "./support/cpu.ts";
import { createCard, createLink, createMerchant } from "./support/merchant.ts";
import { inTurns, pick, rateOf } from "./support/rate.ts";
import { makeDue, type Soil, seedSubscriptions } from "./support/seed-subscriptions.ts";
import type { Setting } from "./support/setting.ts";
import { type System, startSystem } from "./support/system.ts";
import { type AimRow, formatCount, formatCpu } from "./support/table.ts";

const BUSINESSES = 16;
/** The time between the creation of the links and the start of their subscriptions. */
const TRIAL_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** A drain without progress for this long counts as stuck. */
const STUCK_AFTER_MS = 60_000;
const BASELINE_CALLERS = 64;

/** Invoices per second, in one process. */
export async function benchInvoices(setting: Setting): Promise<AimRow[]> {
  const { subscriptions: count, ms, say } = setting;
  const system = await startSystem(setting, { name: "one" });
  const connection = await createConnection(setting.config.mongoUrl as string).asPromise();
  const wallets = Array.from({ length: 10_000 }, () => newId());
  const own = connection.getClient().db(connection.name);
  const debit = await openBalances(own, wallets);
  await drain(system, Math.ceil(count / 10), say);
  const { subject, baseline } = await inTurns(
    ms,
    () => drain(system, count, say),
    (forMs) => rateOf(BASELINE_CALLERS, forMs, () => debit(pick(wallets))),
  );
  await connection.close();
  await system.close();
  const { perSecond, cpu, peakMb } = subject;
  return [
    {
      what: `invoices, ${formatCount(count)} due at once`,
      figure: perSecond,
      unit: "/s",
      behind: `${formatCpu(cpu)}; at most ${peakMb} MB resident`,
      means: `It charges ${formatCount(perSecond)} renewals a second that are due at one moment.`,
    },
    {
      what: "the same invoices",
      baseline: `conditional update, ${BASELINE_CALLERS} callers`,
      figure: perSecond / baseline,
      aim: { atLeast: 0.8 },
      behind: `${formatCount(perSecond)}/s beside ${formatCount(baseline)}/s`,
    },
  ];
}

/** Bills a number of subscriptions at the same time. */
async function drain(
  { db, pool, config, servers, cpu }: System,
  count: number,
  say: Setting["say"],
) {
  const begins = Date.now() + TRIAL_MS;
  say(`Seeding ${formatCount(count)} subscriptions`);
  const soil = await createSoil({ db, pool, config }, begins);
  await seedSubscriptions(soil, count);
  // All subscriptions are stored as due before that moment.
  const midnight = Math.max(begins, Date.now() + TRIAL_MS + count / 20);
  const storedBefore = await countEvents(db);
  await makeDue(db, midnight);
  await pause(midnight - Date.now());
  say("Billing them");
  const before = await cpu();
  const started = performance.now();
  const peakBytes = await untilStored(db, servers[0] as Replica, storedBefore + count);
  const perSecond = (count * 1_000) / (performance.now() - started);
  const used = cpuPer(before, await cpu(), count);
  const ids = soil.links.map(({ _id }) => _id);
  const isPaid = { linkId: { $in: ids }, status: "paid" };
  const paid = await db.collection("invoices").countDocuments(isPaid);
  if (paid !== count) throw new Error(`${paid} invoices of ${count} are paid`);
  return { perSecond, peakMb: Math.round(peakBytes / 1e6), cpu: used };
}

/** Waits for a number of events. @returns the largest resident memory meanwhile */
async function untilStored(db: mongo.Db, { pid }: Replica, count: number): Promise<number> {
  let peakBytes = 0;
  let last = 0;
  let movedAt = performance.now();
  for (;;) {
    peakBytes = Math.max(peakBytes, (await usageOf(pid())).rssBytes);
    const stored = await countEvents(db);
    if (stored >= count) return peakBytes;
    if (stored > last) movedAt = performance.now();
    last = stored;
    if (performance.now() - movedAt > STUCK_AFTER_MS) throw new Error(`Stuck at ${stored} events`);
    await pause(LOOK_EVERY_MS);
  }
}

function countEvents(db: mongo.Db): Promise<number> {
  return db.collection("webhook_events").estimatedDocumentCount();
}

/** Creates a card and one link per business; the links' subscriptions begin at that moment. */
async function createSoil(
  { db, pool, config }: Pick<System, "db" | "pool" | "config">,
  begins: number,
): Promise<Soil> {
  const link = linkBeginning(begins);
  const ids = await Promise.all(
    Array.from({ length: BUSINESSES }, async () => {
      const { id } = await createLink(pool, await createMerchant(pool, config), link);
      return id;
    }),
  );
  const stored = db.collection<PaymentLink>("payment_links");
  const links = await stored.find({ _id: { $in: ids } }).toArray();
  return { db, config, links, cardToken: await createCard(pool) };
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
