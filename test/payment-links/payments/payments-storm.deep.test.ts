// Hundreds of customers pay with every card of the sandbox while the merchant refunds and
// transfers, and one of two payment-links processes is killed repeatedly. At the end the acquirer's
// books, the ledger, the payments, the customers' answers and the merchant's events agree.

import mongoose from "mongoose";
import type { SandboxCharge } from "../../../partners/sandbox/acquirer.ts";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Refund } from "../../../services/payment-links/refunds/refund.model.ts";
import { readBlock } from "../../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import type { AccountTransfer } from "../../../services/wallet-ledger/transfer.model.ts";
import { toDecimal } from "../../../shared/money.ts";
import type { Answer } from "../../support/http.ts";
import { endOf, startService } from "../../support/processes.ts";
import { until } from "../../support/system.ts";
import { seeded } from "../../support/traffic.ts";
import { startWorld, type TestHook, type World } from "../../support/world.ts";
import { type Attempt, refund, type Shop, transfer, visit } from "./customers.ts";

const CUSTOMERS = 260;
const CUSTOMERS_AT_MOST = 1_500;
const AT_ONCE = 12;
const KILLS = 3;
const OPEN_LINKS = 4;
const CLOSED_LINKS = 40;
const GOOD_CARDS = Array<string>(6).fill("4242");
const CARDS = [...GOOD_CARDS, "0002", "9995", "0069", "0341", "0119", "5126"];

const random = seeded();
let world: World;
let shop: Shop;
let hook: TestHook;
let connection: mongoose.Connection;

beforeAll(async () => {
  world = await startWorld({
    overNats: true,
    // Each customer has a separate address, because another test covers the limit of declines.
    // The gateway logs calls that end with a killed process as errors.
    environment: { TRUST_PROXY: "127.0.0.1", LOG_LEVEL: "fatal" },
    paymentLinksInstead: [{ outcomeWithinMs: 1_000 }],
  });
  connection = await mongoose.createConnection(world.config.mongoUrl as string).asPromise();
  const business = await world.business();
  hook = await world.hook(business);
  const agent = { type: "sales", email: "agent@example.com", name: "Bob" };
  const links = (count: number, fields: object) =>
    Promise.all(Array.from({ length: count }, () => world.paymentLink(business, { ...fields })));
  shop = {
    world,
    business,
    open: [...(await links(OPEN_LINKS, {})), ...(await links(1, { agent, notifyPayee: true }))],
    closed: await links(CLOSED_LINKS, { isOpenLink: false }),
    cards: await Promise.all(CARDS.map((lastFour) => world.cardToken(lastFour))),
    accountId: await world.collectionAccount(business),
    walletId: (await world.wallet(business, business)).id,
  };
});

afterAll(async () => {
  await connection?.close();
  await world?.stop();
});

test("customers are charged once and all books agree while processes are killed", async () => {
  const { attempts, refusals, kills } = await storm();
  await atRest();
  const stored = await readStored();
  const { payments, refunds } = stored;
  printCounts({
    attempts: attempts.length,
    payments: payments.length,
    refunds: refunds.length,
    kills,
  });

  expect(wrongPayments(stored)).toEqual([]);
  expect(wrongAnswers(attempts, stored)).toEqual([]);
  expect(wrongRefunds(stored)).toEqual([]);
  expect(receivedEvents()).toEqual(expectedEvents(stored));
  expect(refusals.filter(({ status }) => status >= 500)).toEqual([]);
  expect(await world.balance(shop.business, { id: shop.accountId })).toBe(leftOf(stored));
  const paidUsed = payments.filter(({ holds }) => holds !== undefined);
  expect(paidUsed.map(({ status }) => status)).toEqual(paidUsed.map(() => "SUCCEEDED"));
  await world.verifyBooks();
});

/** Runs customers until there were enough customers and kills. */
async function storm() {
  const attempts: Attempt[] = [];
  const refusals: Answer[] = [];
  let customers = 0;
  let kills = 0;
  const isOver = () => (customers >= CUSTOMERS && kills >= KILLS) || customers >= CUSTOMERS_AT_MOST;

  async function shopper(): Promise<void> {
    while (!isOver()) {
      customers += 1;
      const visited = await visit(shop, random);
      attempts.push(...visited);
      const paid = visited.at(-1)?.answers.find(isPaid);
      const answers = paid && random.below(2) === 0 ? await refunded(paid) : [];
      refusals.push(...answers.filter(({ status }) => status !== 201));
      if (random.below(8) === 0) refusals.push(...(await transfer(shop)));
    }
  }

  async function killer(): Promise<void> {
    while (!isOver()) {
      const { child } = await startService(world, "payment-links");
      const enough = customers + 20 + random.below(20);
      await until(() => customers >= enough || isOver(), { awaited: "customers" });
      child.kill("SIGKILL");
      await endOf(child);
      kills += 1;
    }
  }

  await Promise.all([killer(), ...Array.from({ length: AT_ONCE }, shopper)]);
  return { attempts, refusals, kills };
}

const isPaid = ({ status, body }: Answer) => status === 200 && body.data.status === "SUCCEEDED";

const refunded = ({ body }: Answer) => refund(shop, random, body.data.id);

/** Waits until every payment, refund and transfer has ended and every event is delivered. */
async function atRest(): Promise<void> {
  const moving = { nextAttemptAt: { $exists: true } };
  const pending = { status: "PENDING" };
  const left = async () =>
    (await collection("payments").countDocuments(moving)) +
    (await collection("payment_refunds").countDocuments(moving)) +
    (await collection("ledger_transfers").countDocuments(pending)) +
    (await collection("webhook_deliveries").countDocuments(pending));
  await until(async () => (await left()) === 0, { awaited: "the end of all payments" });
}

function collection<T extends mongoose.mongo.Document>(name: string) {
  return connection.getClient().db(connection.name).collection<T>(name);
}

type Stored = Awaited<ReturnType<typeof readStored>>;

async function readStored() {
  const committed = new Map<string, number>();
  for await (const stored of collection<StoredBlock>("ledger_blocks").find()) {
    for (const { id, outcome } of readBlock(stored).transfers) {
      if (outcome === "committed") committed.set(id, (committed.get(id) ?? 0) + 1);
    }
  }
  const charges = await collection<SandboxCharge>("sandbox_charges").find().toArray();
  return {
    payments: await collection<Payment>("payments").find().toArray(),
    refunds: await collection<Refund>("payment_refunds").find().toArray(),
    transfers: await collection<AccountTransfer>("ledger_transfers").find().toArray(),
    charges: new Map(charges.map((charge) => [charge._id, charge])),
    /** The number of each posting in the ledger. */
    committed,
  };
}

/** Whether the acquirer took the customer's money. */
function isCharged(charge: SandboxCharge | undefined): boolean {
  return charge !== undefined && charge.charges > 0 && !charge.voided && !charge.declined;
}

/** Every captured charge has one succeeded payment and one posting, and there are no others. */
function wrongPayments({ payments, charges, committed }: Stored): string[] {
  const ids = new Set(payments.map(({ _id }) => _id));
  const strangers = [...charges.keys()].filter((id) => !ids.has(id));
  const wrong = payments.flatMap(({ _id, status, step, totalMinor }) => {
    const charge = charges.get(_id);
    const isDue = isCharged(charge);
    const isRight =
      step === "closed" &&
      (status === "SUCCEEDED") === isDue &&
      (charge?.charges ?? 0) <= 1 &&
      (!isDue || charge?.amountMinor === totalMinor) &&
      (committed.get(_id) ?? 0) === (isDue ? 1 : 0);
    return isRight ? [] : [JSON.stringify({ _id, step, status, charge })];
  });
  const closed = new Set(shop.closed.map(({ id }) => id));
  const paid = payments.filter(
    ({ status, linkId }) => status === "SUCCEEDED" && closed.has(linkId),
  );
  const paidTwice = paid.filter(({ linkId }, i) => paid.findIndex((p) => p.linkId === linkId) < i);
  return [...strangers, ...wrong, ...paidTwice.map(({ linkId }) => `${linkId} was paid twice`)];
}

/** Customers' answers are true, and no customer is charged twice or after a final failure. */
function wrongAnswers(attempts: Attempt[], { payments, charges }: Stored): string[] {
  const made = Map.groupBy(payments, ({ customer }) => customer.email);
  return [...Map.groupBy(attempts, ({ email }) => email)].flatMap(([email, tries]) => {
    const own = made.get(email) ?? [];
    const charged = own.filter(({ _id }) => isCharged(charges.get(_id)));
    const answers = tries.flatMap((attempt) => attempt.answers);
    const accepted = answers.filter(({ status }) => status === 200);
    const statusOf = new Map(own.map(({ _id, status }) => [_id, status]));
    const isTrue = accepted.every(({ body: { data } }) =>
      data.status === "PENDING" ? statusOf.has(data.id) : statusOf.get(data.id) === data.status,
    );
    // A customer with a key repeats the request until it is answered, and one key has one payment.
    const ofOneKey = tries.every(
      (attempt) => new Set(attempt.answers.filter(isOk).map(({ body }) => body.data.id)).size <= 1,
    );
    const mayBeCharged = accepted.some(({ body }) => body.data.status !== "FAILED");
    const isUnsure = answers.some(({ status }) => status === 500);
    const isRight =
      isTrue &&
      ofOneKey &&
      charged.length <= 1 &&
      (charged.length === 0 || mayBeCharged || isUnsure) &&
      (!accepted.some(isPaid) || charged.length === 1);
    const received = answers.map(({ status, text }) => `${status} ${text}`);
    return isRight ? [] : [JSON.stringify({ email, charged, received })];
  });
}

const isOk = ({ status }: Answer) => status === 200;

/** No refund exceeds its payment's total; payment, acquirer and ledger have equal amounts. */
function wrongRefunds({ payments, refunds, charges, committed }: Stored): string[] {
  const ofPayment = Map.groupBy(refunds, ({ paymentId }) => paymentId);
  const sums = payments.flatMap(({ _id, totalMinor, feesMinor, refundedMinor, ...payment }) => {
    const done = (ofPayment.get(_id) ?? []).filter(({ status }) => status === "SUCCEEDED");
    const amounts = done.map(({ key, amountMinor }) => `${key} ${amountMinor}`);
    const paidBack = charges.get(_id)?.refunds.map(({ id, amountMinor }) => `${id} ${amountMinor}`);
    const sum = done.reduce((total, { amountMinor }) => total + amountMinor, 0);
    const fees = done.reduce((total, each) => total + each.feesMinor, 0);
    const isRight =
      sum === refundedMinor &&
      fees === payment.refundedFeesMinor &&
      sum <= totalMinor &&
      (sum < totalMinor || fees === feesMinor) &&
      amounts.toSorted().join() === (paidBack ?? []).toSorted().join();
    return isRight ? [] : [JSON.stringify({ _id, sum, refundedMinor, amounts, paidBack })];
  });
  const postings = refunds.flatMap(({ _id, step, status, visible }) => {
    const found = [_id, `${_id}:reversal`].map((id) => committed.get(id) ?? 0);
    const expected = [visible ? 1 : 0, visible && status === "FAILED" ? 1 : 0];
    const isRight = step === (visible ? "closed" : "declined") && found.join() === expected.join();
    return isRight ? [] : [`${_id}: ${step} ${status}, posted ${found.join(", ")}`];
  });
  return [...sums, ...postings];
}

/** The events that the receiver got, each webhook-id once. */
function receivedEvents(): string[] {
  const byId = new Map(hook.received.map(({ headers, body }) => [headers["webhook-id"], body]));
  return [...byId.values()]
    .map(({ eventType, status, payload }) => {
      const { refundId, transactionId } = payload;
      return `${eventType} ${refundId ?? transactionId} ${status}`;
    })
    .toSorted();
}

/** One event for every outcome, and one for every success with a notification. */
function expectedEvents({ payments, refunds }: Stored): string[] {
  const ofPayments = payments.flatMap(({ _id, status, notifyPayee }) => [
    `COLLECTION ${_id} ${status}`,
    ...(notifyPayee && status === "SUCCEEDED" ? [`NOTIFICATION ${_id} ${status}`] : []),
  ]);
  const ofRefunds = refunds
    .filter(({ visible }) => visible)
    .map(({ _id, status }) => `REFUND ${_id} ${status}`);
  return [...ofPayments, ...ofRefunds].toSorted();
}

/** The expected balance of the collection account. */
function leftOf({ payments, refunds, transfers }: Stored): string {
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const isDone = ({ status }: Payment | Refund) => status === "SUCCEEDED";
  const collected = payments.filter(isDone).map(({ amountMinor }) => amountMinor);
  const back = refunds.filter(isDone).map(({ amountMinor, feesMinor }) => amountMinor - feesMinor);
  const gone = transfers.filter(({ status }) => status === "SUCCESS");
  return toDecimal(sum(collected) - sum(back) - sum(gone.map(({ amountMinor }) => amountMinor)));
}

function printCounts(counts: Record<string, number>): void {
  process.stderr.write(`${JSON.stringify(counts)}\n`);
}
