// SIGTERM and frozen processes: a stopping process finishes its accepted work, and a process that
// resumes after a freeze does not undo the decisions that others made meanwhile.

import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { type SandboxPayment, sandboxState } from "../../partners/sandbox/rail-book.ts";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { ERRORS } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { PARTITIONS, partitionFor } from "../../shared/rpc/partitions.ts";
import type { ServiceName } from "../../shared/rpc/service-names.ts";
import { nodeIdFor } from "../../shared/rpc/subjects.ts";
import type { Replica } from "../../tools/platform/replica.ts";
import { type Cluster, startCluster } from "../support/cluster.ts";
import type { Answer } from "../support/http.ts";
import { until } from "../support/system.ts";
import {
  arrangeMerchant,
  expectSound,
  type Merchant,
  seeded,
  startLoad,
} from "../support/traffic.ts";
import type { TestAccount, TestBusiness, TestUser, TestWallet } from "../support/world.ts";

const PER_SECOND = 20;
const AT_ONCE = 10;
const WHOLE = "1000.00";

let cluster: Cluster;
let merchant: Merchant;
const random = seeded();

beforeAll(async () => {
  cluster = await startCluster({ SCREENING: "off" });
  merchant = await arrangeMerchant(cluster);
});
afterAll(() => cluster?.stop());

const replicaOf = (service: ServiceName) =>
  cluster.replicas.find((replica) => replica.service === service) as Replica;

function succeed(old: Replica, successor: Replica): void {
  cluster.replicas.splice(cluster.replicas.indexOf(old), 1, successor);
}

const payouts = () => cluster.db.collection<Payout>("payouts");

interface Customer {
  business: TestBusiness;
  user: TestUser;
  wallet: TestWallet;
  bank: TestAccount;
}

async function customer(): Promise<Customer> {
  const { business } = merchant;
  const user = await cluster.user(business);
  const wallet = await cluster.wallet(business, user, Number(WHOLE));
  return { business, user, wallet, bank: await cluster.bank(business, wallet) };
}

/** A customer with a wallet in a partition of this ledger process. */
async function customerOf(ledger: Replica, all: Replica[]): Promise<Customer> {
  const nodeOf = ({ pid }: Replica) => nodeIdFor("wallet-ledger", pid());
  const place = all.map(nodeOf).toSorted().indexOf(nodeOf(ledger));
  for (;;) {
    const owner = await customer();
    if (partitionFor(owner.wallet.id, PARTITIONS) % all.length === place) return owner;
  }
}

/** Sends withdrawals that wait for their debits at a frozen ledger. */
async function heldAtLedger({ user, bank }: Customer, ledger: Replica): Promise<Promise<Answer>[]> {
  ledger.signal("SIGSTOP");
  const answers = Array.from({ length: AT_ONCE }, () => cluster.withdraw(user, bank));
  const waiting = { entityId: user.id, step: "debit" as const };
  await until(async () => (await payouts().countDocuments(waiting)) === AT_ONCE);
  return answers;
}

async function expectAccepted(answers: Promise<Answer>[]): Promise<void> {
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual(Array(AT_ONCE).fill(200));
}

test("a stopping gateway answers its accepted requests and accepts no more", async () => {
  const owner = await customer();
  const gateway = await cluster.startGateway();
  const ledger = replicaOf("wallet-ledger");
  ledger.signal("SIGSTOP");
  const path = `/v1/ext/linked-accounts/USD/${owner.bank.id}/withdrawal`;
  const body = { amount: 1, walletType: "SPEND", reason: newId() };
  const answer = gateway.http.post(path, body, { token: owner.user.token });
  await until(() => payouts().findOne({ reason: body.reason, step: "debit" }));

  const stopped = gateway.stop();
  const refuses = () =>
    gateway.http.get("/health/live").then(
      ({ status }) => status === 503,
      () => true,
    );
  await until(refuses);
  ledger.signal("SIGCONT");
  expect((await answer).status).toBe(200);
  expect(await stopped).toBe(0);
});

test("a stopping payouts process answers its accepted calls, and new requests get a 503", async () => {
  const owner = await customer();
  const ledger = replicaOf("wallet-ledger");
  const answers = await heldAtLedger(owner, ledger);
  const old = replicaOf("payouts");
  const stopped = old.stop();
  const isUnavailable = (error: { type?: string }) => error.type === "UNAVAILABLE";
  await until(() => cluster.call("payouts.ready", {}).then(() => false, isUnavailable));
  // The gateway also learns of it within this time, after the node has begun to refuse calls.
  await pause(300);
  const refused = await cluster.withdraw(owner.user, owner.bank);
  expect([refused.status, refused.body.message]).toEqual([503, ERRORS.UNAVAILABLE.message]);
  ledger.signal("SIGCONT");
  await expectAccepted(answers);
  expect(await stopped).toBe(0);

  succeed(old, await cluster.start("payouts"));
  await cluster.ready();
});

test("a posting at a stopping ledger is decided once, by that ledger or by another one", async () => {
  const ledger = replicaOf("wallet-ledger");
  // Ready before the freeze, because callers wait for the ledger for a few seconds only.
  const successor = await cluster.start("wallet-ledger");
  const owner = await customerOf(ledger, [ledger, successor]);
  successor.signal("SIGSTOP");
  const answers = await heldAtLedger(owner, ledger);
  successor.signal("SIGCONT");
  const stopped = ledger.stop();
  ledger.signal("SIGCONT");
  await expectAccepted(answers);
  expect(await stopped).toBe(0);
  succeed(ledger, successor);
  const debited = AT_ONCE * 25.25;
  expect(await cluster.balance(owner.business, owner.wallet)).toBe(
    (Number(WHOLE) - debited).toFixed(2),
  );
});

test("replicas are replaced one after the other under load", async () => {
  const { user, bank } = await customer();
  const gateways = [await cluster.startGateway(), cluster.gateway];
  const load = startLoad(merchant, {
    random,
    perSecond: PER_SECOND,
    gateways: gateways.map(({ http }) => http),
  });
  for (const service of ["payouts", "wallet-ledger", "accounts", "webhooks"] as const) {
    const old = replicaOf(service);
    succeed(old, await cluster.start(service));
    expect(await old.stop()).toBe(0);
    // Callers find a process as soon as it reports that it is ready.
    expect((await cluster.withdraw(user, bank)).status).toBe(200);
  }
  const [leaving] = gateways;
  expect(await leaving?.stop()).toBe(0);
  await load.accepted(Date.now());
  const attempts = await load.stop();
  for (const { answer, gateway, reason } of attempts) {
    // While processes start, a few calls may time out; the books show their outcome.
    const isUnknown = answer?.body.message === ERRORS.OUTCOME_UNKNOWN.message;
    if (answer) expect([200, 400, 503, ...(isUnknown ? [500] : [])]).toContain(answer.status);
    else {
      // The gateway did not accept the request.
      expect(gateway).toBe(leaving?.http);
      expect(await payouts().findOne({ reason })).toBeNull();
    }
  }
  await expectSound(cluster, merchant, attempts);
  // At its stop no process waited for calls that had already timed out.
  expect(cluster.logs()).not.toContain("GracefulStopTimeoutError");
});

const TRIES_AT_MOST = 20;

/**
 * Starts one more payouts process, which freezes when a payout of that customer reaches the point.
 */
async function frozenAt(point: string, { user, bank }: Customer) {
  const environment = { PAYRAIL_CRASH_AT: `${point}:${user.id}:SIGSTOP` };
  const sleeper = await cluster.start("payouts", environment);
  const isFrozen = () =>
    execFileSync("ps", ["-o", "state=", "-p", String(sleeper.pid())])
      .toString()
      .startsWith("T");
  // Payouts of the other process end as usual.
  for (let i = 0; i < TRIES_AT_MOST && !isFrozen(); i++) {
    const { status, body } = await cluster.withdraw(user, bank);
    expect(status).toBe(200);
    const ended = { _id: body.data.id, status: "SUCCESS" as const };
    await until(async () => isFrozen() || (await payouts().findOne(ended)));
  }
  const [payout] = await payouts().find({ entityId: user.id }).sort({ _id: -1 }).toArray();
  return { sleeper, payout: payout as Payout };
}

/** Sends a cancellation to both processes; returns the answer of the one that runs. */
function cancel({ _id }: Payout): Promise<Answer> {
  const { token } = merchant.business;
  const ask = () => cluster.http.post(`/v1/transactions/${_id}/cancel`, {}, { token });
  return Promise.race([ask(), ask()]);
}

const rail = () => cluster.db.collection<SandboxPayment>("sandbox_rail");

async function railState({ _id }: Payout): Promise<string> {
  const payment = await rail().findOne({ _id });
  return sandboxState(payment ?? undefined, Date.now(), cluster.config.sandboxSettleMs).kind;
}

test("a payout cancelled while its process is frozen is not paid after the process resumes", async () => {
  const owner = await customer();
  const { sleeper, payout } = await frozenAt("submitting-stored", owner);
  expect(payout.step).toBe("debit");
  const before = await cluster.balance(owner.business, owner.wallet);
  const answer = await cancel(payout);
  expect([answer.status, answer.body.data?.status]).toEqual([200, "FAILED"]);
  expect(answer.body.data.failureReason).toBe("Payment was cancelled.");

  sleeper.signal("SIGCONT");
  // The process submits what the freeze had interrupted, or has too little of its lease left and
  // finds that another one has changed the payout.
  expect(await sleeper.stop()).toBe(0);
  expect(await rail().findOne({ _id: payout._id })).not.toHaveProperty("acceptedAt");
  expect(await payouts().findOne({ _id: payout._id })).toMatchObject({ status: "FAILED" });
  const after = await cluster.balance(owner.business, owner.wallet);
  expect(Number(after) - Number(before)).toBe(25.25);
  await cluster.verifyBooks();
});

test("a payout that is paid while its process is frozen cannot be cancelled", async () => {
  const owner = await customer();
  const { sleeper, payout } = await frozenAt("rail-answered", owner);
  expect(payout.step).toBe("debit");
  const before = await cluster.balance(owner.business, owner.wallet);
  await until(async () => (await railState(payout)) === "settled");
  expect((await cancel(payout)).status).toBe(409);

  sleeper.signal("SIGCONT");
  await cluster.status(owner.business, payout._id, "SUCCESS");
  expect(await sleeper.stop()).toBe(0);
  expect(await cluster.balance(owner.business, owner.wallet)).toBe(before);
  await cluster.verifyBooks();
});
