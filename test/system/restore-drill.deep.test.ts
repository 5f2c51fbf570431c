// The restore drill: a crash under traffic loses payrail's database, and it comes back from a
// backup in the order of docs/operate/restore.md. The sandbox's partners keep their newest books,
// because real partners are other companies.

import { randomUUID } from "node:crypto";
import type { Payout, Step } from "../../services/payouts/payout.model.ts";
import { idAfter } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import { DAY_MS } from "../support/billing.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import { testUnless, whyMissing } from "../support/needed-tools.ts";
import { until } from "../support/system.ts";
import {
  type Attempt,
  arrangeMerchant,
  atRest,
  type Merchant,
  seeded,
  startLoad,
} from "../support/traffic.ts";
import { type Builders, buildersOver, dataOf } from "../support/world.ts";
import { type Backup, dump, snapshot } from "./backups.ts";
import { openRestored, type Restored, readPartnerBooks } from "./restored.ts";

/** Each withdrawal is in flight for a second, so a backup under traffic has some of them. */
const ENVIRONMENT = { SANDBOX_SETTLE_MS: "1000" };
const PER_SECOND = 15;
/** A busy machine may post nothing for as long. */
const QUIET_MS = 5_000;
const HOUR_MS = 3_600_000;
const FIRST_BILL = Date.parse("2030-01-01") + DAY_MS;
const SECOND_BILL = FIRST_BILL + 31 * DAY_MS;

const withDump = testUnless(
  await whyMissing("mongodump", "mongorestore"),
  "the dump of k8s/backup",
);

test("payrail comes back from a snapshot of the files", () => drill(snapshot));

withDump("payrail comes back from a dump of k8s/backup", () => drill(dump));

async function drill(make: () => Promise<Backup>): Promise<void> {
  const backup = await make();
  const cluster = await startCluster({ ...ENVIRONMENT, ...backup.environment });
  let restored: Restored | undefined;
  try {
    const merchant = await arrangeMerchant(cluster);
    const shop = await arrangeShop(cluster, merchant);
    const lost = await loseUnderTraffic(cluster, merchant, shop, backup);
    restored = await openRestored(await backup.restore(), lost.partners);
    const since = lost.began - HOUR_MS;
    const named = await checkBooks(restored, lost, since);
    await heal(cluster, shop, restored);
    await expectHealed(restored, named, since);
    await reopen(cluster, merchant, shop, restored);
    expect(await restored.compare("acquirer", since)).toEqual({ onlyAtPartner: [lost.payment] });
  } catch (error) {
    process.stderr.write(cluster.logs());
    throw error;
  } finally {
    await restored?.close();
    await cluster.stop();
    await backup.end();
  }
}

type Shop = Awaited<ReturnType<typeof arrangeShop>>;

/** Makes a funded wallet, a payment, a billed subscription and an unpaid link of the merchant. */
async function arrangeShop(world: Builders, { business }: Merchant) {
  const treasury = await world.wallet(business, business, 100);
  const paid = await world.pay(await world.paymentLink(business), await world.cardToken());
  await world.subscription(business);
  const consumptionDetails = { unit: "call", costPerUnit: 1, baseFee: 10 };
  const byUsage = { recurringCharge: { type: "consumption", consumptionDetails } };
  const metered = await world.subscription(business, byUsage);
  await world.testClock(business, FIRST_BILL);
  const unpaid = await world.paymentLink(business);
  return { business, treasury, payment: dataOf(paid, 200).id as string, unpaid, metered };
}

/** Reports usage, with the same reference and moment each time. */
async function report(world: Builders, { business, metered }: Shop): Promise<void> {
  const used = { units: 500, reference: "late", at: new Date(FIRST_BILL).toISOString() };
  dataOf(await world.toSubscription(business, metered, "usage", used), 201);
}

/** Asks for a refund and for a funding, with the same references each time. */
async function refundAndFund({ http }: Pick<Builders, "http">, shop: Shop): Promise<void> {
  const { token, id } = shop.business;
  const ask = async (path: string, amount: number) => {
    const body = { amount, reference: "late" };
    return dataOf(await http.post(`/v1/business/${id}/${path}`, body, { token }), 201);
  };
  await ask(`wallets/${shop.treasury.id}/fund`, 50);
  const { status } = await ask(`payments/${shop.payment}/refunds`, 10);
  expect(status).toBe("SUCCEEDED");
}

type Lost = Awaited<ReturnType<typeof loseUnderTraffic>>;

/** Takes the backup under traffic, which goes on; then kills every process at once. */
async function loseUnderTraffic(cluster: Cluster, merchant: Merchant, shop: Shop, backup: Backup) {
  const gateways = [cluster.gateway.http];
  const random = seeded();
  const load = startLoad(merchant, { random, perSecond: PER_SECOND, gateways });
  await load.answered(2 * PER_SECOND);
  // Many requests at once, so that the backup has some that have not reached the rail.
  const rush = startLoad(merchant, { random, perSecond: 6 * PER_SECOND, gateways });
  await rush.answered(PER_SECOND);
  const began = Date.now();
  await backup.take(cluster);
  const ended = Date.now();
  await rush.stop();

  const paid = dataOf(await cluster.pay(shop.unpaid, await cluster.cardToken()), 200);
  await refundAndFund(cluster, shop);
  await report(cluster, shop);
  await cluster.testClock(shop.business, SECOND_BILL);
  await load.answered(2 * PER_SECOND);
  await Promise.all(cluster.replicas.map((replica) => replica.stop("SIGKILL")));
  const attempts = [...(await load.stop()), ...rush.attempts];
  const partners = await readPartnerBooks(cluster.db);
  await backup.kill(cluster);
  return { attempts, began, ended, partners, payment: paid.id as string };
}

/** The books before any service runs. @returns the ids that the first comparison has to name */
async function checkBooks(restored: Restored, lost: Lost, since: number) {
  expect(await restored.command("migrate")).toMatchObject({ code: 0 });
  expect(await restored.command("verify")).toMatchObject({ code: 0 });

  const point = await restored.lastPosting();
  expect(point).toBeGreaterThan(lost.began - QUIET_MS);
  expect(point).toBeLessThanOrEqual(lost.ended);

  const payouts = await restored.payouts();
  const idsAt = (...steps: Step[]) =>
    payouts.filter(({ step }) => steps.includes(step)).map(({ _id }) => _id);
  const undebited = idsAt("claim", "debit");
  const unsubmitted = [...undebited, ...idsAt("submit", "submitting")];
  const inFlight = [...unsubmitted, ...idsAt("settle", "reverse")];
  const accepted = lost.attempts.filter(({ answer }) => answer?.status === 200);
  const has = ({ answer }: Attempt) => payouts.some(({ _id }) => _id === answer?.body.data.id);
  expect(accepted.filter(({ answeredAt }) => answeredAt < lost.began).every(has)).toBe(true);
  expect(accepted.filter(({ sentAt }) => sentAt > lost.ended).some(has)).toBe(false);
  expect(inFlight).not.toEqual([]);

  const [rail, acquirer] = [await restored.atRail(), await restored.atAcquirer()];
  const { onlyAtPartner, states = [], ...others } = await restored.compare("rail", since);
  expect([onlyAtPartner, others]).toEqual([rail.lost, {}]);
  expect(inFlight).toEqual(expect.arrayContaining(states));
  expect(await restored.compare("acquirer", since)).toEqual({ onlyAtPartner: acquirer.lost });
  // A payment, a renewal, an invoice of usage and a refund.
  expect(acquirer.lost).toHaveLength(4);
  expect(await restored.command("hold-billing")).toMatchObject({
    code: 0,
    stdout: "Held until they are released: 1 subscriptions.\n",
  });
  return { rail, acquirer, undebited, unsubmitted };
}

/** Starts all services but the gateway and webhooks, and waits until they have nothing to do. */
async function heal(cluster: Cluster, { business }: Shop, { url, payouts }: Restored) {
  for (const name of ["wallet-ledger", "accounts", "payouts", "payment-links"] as const) {
    await cluster.start(name, { MONGO_URL: url });
  }
  const clock = { businessId: business.id, now: new Date(SECOND_BILL).toISOString() };
  // The first call may go to a killed node, because the caller has not noticed its death.
  await until(() => cluster.call("payment-links.setTestClock", clock).catch(() => null), {
    awaited: "the set clock",
  });
  const { businessId } = clock;
  const run = () => cluster.call("payment-links.testClockRun", { businessId }).catch(() => null);
  await until(async () => (await run())?.isOver, { awaited: "the renewal" });
  const hasEnded = ({ step }: Payout) => step === "closed" || step === "declined";
  await until(async () => (await payouts()).every(hasEnded), { awaited: "every payout's end" });
}

type Named = Awaited<ReturnType<typeof checkBooks>>;

/**
 * Expects that payrail asked no partner under a new id, and that the second comparison names the
 * losses that stay.
 */
async function expectHealed(
  restored: Restored,
  { rail, acquirer, undebited, unsubmitted }: Named,
  since: number,
) {
  const { all } = await restored.atRail();
  expect(all).toEqual(expect.arrayContaining(rail.all));
  // payrail submits a payout that was cancelled before its submit, if the cancellation is lost.
  const isNew = (id: string) => !rail.all.includes(id);
  expect(unsubmitted).toEqual(expect.arrayContaining(all.filter(isNew)));
  const { onlyAtPartner, states = [], ...others } = await restored.compare("rail", since);
  expect([onlyAtPartner, others]).toEqual([rail.lost, {}]);
  // payrail declines a withdrawal that had no debit at the restore point, even if the rail paid it.
  expect(undebited).toEqual(expect.arrayContaining(states));
  const now = await restored.atAcquirer();
  expect(now.all).toEqual(acquirer.all);
  // Only the renewal has healed, because the invoice of usage is held.
  expect(now.lost).toHaveLength(3);
  expect(await restored.compare("acquirer", since)).toEqual({ onlyAtPartner: now.lost });
}

/** Starts webhooks and the gateway; the merchant repeats its lost refund and its lost funding. */
async function reopen(cluster: Cluster, merchant: Merchant, shop: Shop, restored: Restored) {
  await cluster.start("webhooks", { MONGO_URL: restored.url });
  const gateway = await cluster.startGateway();
  const { close, ...world } = buildersOver(cluster, gateway.http);
  const isReady = async () => (await gateway.http.get("/health/ready")).body.away?.length === 0;
  await until(isReady, { awaited: "readiness" });
  const { all } = await restored.atAcquirer();
  await refundAndFund(world, shop);
  await refundAndFund(world, shop);
  await report(world, shop);
  const token = world.tokens.admin(randomUUID());
  const body = { note: "The merchant has reported again" };
  const released = await gateway.http.post("/v1/admin/billing/release", body, { token });
  expect(dataOf(released, 200)).toEqual({ released: 1, held: 0 });
  const isHealed = async () => (await restored.atAcquirer()).lost.length === 1;
  await until(isHealed, { awaited: "the payment of the released invoice" });
  expect((await restored.atAcquirer()).all).toEqual(all);
  expect(await world.balance(shop.business, shop.treasury)).toBe("150.00");

  await atRest({ ...cluster, db: restored.db });
  const payouts = await restored.payouts();
  for (const { wallet, fundedMinor } of merchant.customers) {
    const paidMinor = payouts
      .filter(({ walletId, status }) => walletId === wallet.id && status === "SUCCESS")
      .reduce((sum, { amountMinor, feesMinor }) => sum + amountMinor + feesMinor, 0);
    expect(await world.balance(shop.business, wallet)).toBe(toDecimal(fundedMinor - paidMinor));
  }
  expectEvents(merchant, payouts);
  expect(await restored.command("verify")).toMatchObject({ code: 0 });
  close();
}

/** Each state of a payout reached the merchant under its own id, before or after the restore. */
function expectEvents({ hook }: Merchant, payouts: Payout[]): void {
  const received = new Set(
    hook.received.map(({ body, headers }) => `${String(headers["webhook-id"])} ${body.status}`),
  );
  const entered = payouts
    .filter(({ visible }) => visible)
    .flatMap(({ _id, states }) =>
      states.map(({ status }, i) => `${idAfter(_id, i + 1)} ${status}`),
    );
  expect(entered.filter((event) => !received.has(event))).toEqual([]);
}
