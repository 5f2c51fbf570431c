// Traffic for a cluster under test: users withdraw and merchants cancel, at random from a seed.
// Afterwards the test checks that money and events are right despite killed processes. The proof
// uses the callers' answers, the services' collections, the sandbox rail's books and the webhook
// receiver.

import { randomInt } from "node:crypto";
import { type SandboxPayment, sandboxState } from "../../partners/sandbox/rail-book.ts";
import type { Payout } from "../../services/payouts/payout.model.ts";
import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../services/wallet-ledger/journal.model.ts";
import { ERRORS } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Cluster } from "./cluster.ts";
import type { Answer, Http } from "./http.ts";
import { until } from "./system.ts";
import type { TestAccount, TestBusiness, TestHook, TestUser, TestWallet } from "./world.ts";

export interface Random {
  /** A random integer, from 0 to one less than the bound. */
  below(bound: number): number;
  oneOf<T>(list: readonly T[]): T;
}

/**
 * Random numbers from a seed, which is printed (mulberry32); SEED in the environment repeats a run.
 */
export function seeded(seed = Number(process.env.SEED ?? randomInt(2 ** 31))): Random {
  process.stderr.write(`SEED=${seed}\n`);
  let state = seed;
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
  return { below, oneOf: (list) => list[below(list.length)] as never };
}

interface Customer {
  user: TestUser;
  wallet: TestWallet;
  fundedMinor: number;
  accounts: TestAccount[];
}

/** A merchant with end users, each with a wallet and accounts. */
export interface Merchant {
  business: TestBusiness;
  hook: TestHook;
  customers: Customer[];
}

/**
 * The sandbox rail's result by last four digits: paid, refused late or at once, returned, unknown.
 */
const BANKS = [
  ["6789", "0001"],
  ["6789", "0003"],
  ["6789", "0007"],
  ["6789", "0008"],
];
const CARDS = ["4242", "0005"];
const RICH = 100_000;
const POOR = 60;

/** Four users with more money than they will withdraw, and one with little. */
export async function arrangeMerchant(cluster: Cluster): Promise<Merchant> {
  const business = await cluster.business();
  const hook = await cluster.hook(business);
  const customer = async (banks: string[], cards: string[], amount: number): Promise<Customer> => {
    const user = await cluster.user(business);
    const wallet = await cluster.wallet(business, user, amount);
    const accounts = await Promise.all([
      ...banks.map((lastFour) => cluster.bank(business, wallet, lastFour)),
      ...cards.map((lastFour) => cluster.card(business, wallet, lastFour)),
    ]);
    return { user, wallet, fundedMinor: amount * 100, accounts };
  };
  const customers = await Promise.all([
    ...BANKS.map((banks) => customer(banks, CARDS, RICH)),
    customer(["6789"], [], POOR),
  ]);
  return { business, hook, customers };
}

/** An attempted withdrawal, identified by its unique reason. */
export interface Attempt {
  reason: string;
  /** Epoch ms. */
  sentAt: number;
  gateway: Http;
  /** Null without an answer: the connection was refused or broken. */
  answer: Answer | null;
  /** Epoch ms; 0 until the answer comes. */
  answeredAt: number;
}

export interface Load {
  attempts: Attempt[];
  /** Waits for that many more answers or failures. */
  answered(more: number): Promise<void>;
  /** Waits until a withdrawal that was requested after that moment is accepted. */
  accepted(since: number): Promise<void>;
  /** Sends no more requests, and waits for those under way. */
  stop(): Promise<Attempt[]>;
}

const MOST_UNDER_WAY = 500;
const CANCELLED_ONE_IN = 8;

/**
 * Withdraws at a rate per second, and cancels some of the payouts.
 * @param gateways used in turn
 */
export function startLoad(
  { business, customers }: Merchant,
  { random, perSecond, gateways }: { random: Random; perSecond: number; gateways: Http[] },
): Load {
  const attempts: Attempt[] = [];
  const underWay = new Set<Promise<void>>();
  const run = newId();
  let answers = 0;

  async function withdraw(attempt: Attempt): Promise<void> {
    const http = attempt.gateway;
    const { user, accounts } = random.oneOf(customers);
    const { id, currency } = random.oneOf(accounts);
    const amount = (100 + random.below(2_000)) / 100;
    const routingType = random.oneOf(["ACH", "RTP", "WIRE"]);
    const isCancelled = random.below(CANCELLED_ONE_IN) === 0;
    const body = { amount, walletType: "SPEND", reason: attempt.reason, routingType };
    const path = `/v1/ext/linked-accounts/${currency}/${id}/withdrawal`;
    const answer = await http.post(path, body, { token: user.token }).catch(brokenOff);
    Object.assign(attempt, { answer, answeredAt: Date.now() });
    answers += 1;
    if (!isCancelled || answer?.status !== 200) return;
    const { id: transactionId } = answer.body.data;
    // The result of the cancellation does not matter here.
    const { token } = business;
    await http.post(`/v1/transactions/${transactionId}/cancel`, {}, { token }).catch(() => {});
  }

  const timer = setInterval(() => {
    if (underWay.size === MOST_UNDER_WAY) return;
    const reason = `${run} ${attempts.length}`;
    const gateway = gateways[attempts.length % gateways.length] as Http;
    const attempt: Attempt = { reason, gateway, sentAt: Date.now(), answer: null, answeredAt: 0 };
    attempts.push(attempt);
    const done = withdraw(attempt).finally(() => underWay.delete(done));
    underWay.add(done);
  }, 1_000 / perSecond);

  return {
    attempts,
    async answered(more) {
      const enough = answers + more;
      await until(() => answers >= enough, { awaited: `${more} answers` });
    },
    async accepted(since) {
      const isAccepted = ({ sentAt, answer }: Attempt) => sentAt > since && answer?.status === 200;
      await until(() => attempts.some(isAccepted), { awaited: "a withdrawal" });
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      return attempts;
    },
  };
}

/** Null for a refused or broken connection; any other error fails the test. */
function brokenOff(error: Error & { code?: string }): null {
  if (["ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(error.code ?? "")) return null;
  throw error;
}

/** The stored state of the services after all work has ended. */
interface Stored {
  payouts: Payout[];
  /**
   * The number of commits by posting id: a debit has the payout's id, a reversal adds `:reversal`.
   */
  committed: Map<string, number>;
  rail: Map<string, SandboxPayment>;
  settleMs: number;
}

/**
 * Fails with all errors found. Every 200 has exactly one debit, an unknown outcome has at most one,
 * a refusal has none. Every payout has ended, and is paid or given back but never both. Each state
 * reached the merchant in order and under one id. Balances are exact, and the books are right.
 */
export async function expectSound(
  cluster: Cluster,
  { business, hook, customers }: Merchant,
  attempts: Attempt[],
): Promise<void> {
  await cluster.ready();
  await atRest(cluster);
  const stored = await readStored(cluster);
  const wrong = [
    ...attempts.flatMap((attempt) => wrongAnswer(attempt, stored)),
    ...stored.payouts.flatMap((payout) => wrongEnd(payout, stored)),
    ...stored.payouts.flatMap((payout) => wrongEvents(payout, hook)),
  ];
  if (wrong.length > 0) process.stderr.write(cluster.logs());
  expect(wrong).toEqual([]);
  for (const { wallet, fundedMinor } of customers) {
    const paidMinor = stored.payouts
      .filter(({ walletId, status }) => walletId === wallet.id && status === "SUCCESS")
      .reduce((sum, { amountMinor, feesMinor }) => sum + amountMinor + feesMinor, 0);
    expect(await cluster.balance(business, wallet)).toBe(toDecimal(fundedMinor - paidMinor));
  }
  await cluster.verifyBooks();
}

/** Waits until every payout has ended and all its events are delivered. */
export async function atRest(cluster: Pick<Cluster, "db" | "call" | "logs">): Promise<void> {
  const { db, logs } = cluster;
  const moving = {
    $or: [{ step: { $nin: ["closed", "declined"] } }, { nextAttemptAt: { $exists: true } }],
  };
  const pending = { status: "PENDING" };
  const isOver = async () => {
    await hurry(cluster);
    return (
      (await db.collection("payouts").countDocuments(moving)) === 0 &&
      (await db.collection("webhook_deliveries").countDocuments(pending)) === 0
    );
  };
  try {
    await until(isOver, { awaited: "the end of all payouts and deliveries" });
  } catch (error) {
    const payouts = await db.collection("payouts").find(moving).limit(5).toArray();
    const deliveries = await db.collection("webhook_deliveries").find(pending).limit(5).toArray();
    process.stderr.write(`${JSON.stringify({ payouts, deliveries }, null, 2)}\n${logs()}`);
    throw error;
  }
}

const SOON_MS = 15_000;

/**
 * Notifies payouts of each watched payment, because after an outage the next query is at least a
 * minute away.
 */
async function hurry({ db, call }: Pick<Cluster, "db" | "call">): Promise<void> {
  const later = { step: "watch" as const, nextAttemptAt: { $gt: Date.now() + SOON_MS } };
  const watched = await db.collection<Payout>("payouts").find(later).toArray();
  const push = ({ _id: id, method }: Payout) => call("payouts.railNotified", { id, method });
  // A failed notification is repeated by the caller's next round.
  await Promise.allSettled(watched.map(push));
}

async function readStored({ db, config }: Cluster): Promise<Stored> {
  const payouts = await db.collection<Payout>("payouts").find().toArray();
  const committed = new Map<string, number>();
  for await (const stored of db.collection<StoredBlock>("ledger_blocks").find()) {
    for (const { id, outcome } of readBlock(stored).transfers) {
      if (outcome === "committed") committed.set(id, (committed.get(id) ?? 0) + 1);
    }
  }
  const book = await db.collection<SandboxPayment>("sandbox_rail").find().toArray();
  const rail = new Map(book.map((payment) => [payment._id, payment]));
  return { payouts, committed, rail, settleMs: config.sandboxSettleMs };
}

/** An error if the answer does not match the stored payouts and debits. */
function wrongAnswer({ reason, answer }: Attempt, { payouts, committed }: Stored): string[] {
  const made = payouts.filter((payout) => payout.reason === reason);
  const debits = made.reduce((sum, { _id }) => sum + (committed.get(_id) ?? 0), 0);
  const text = answer ? `${answer.status} ${answer.text}` : "nothing";
  const complaint = `${reason}: ${debits} debits, ${made.length} payouts, answered ${text}`;
  return isKept(answer, made, debits) ? [] : [complaint];
}

function isKept(answer: Attempt["answer"], made: Payout[], debits: number): boolean {
  if (made.length > 1 || debits > 1) return false;
  // The outcome is unknown; a payout that exists is checked on its own.
  if (!answer) return true;
  const { status, body } = answer;
  if (status === 200) return debits === 1 && made[0]?._id === body.data.id;
  if (body.message === ERRORS.OUTCOME_UNKNOWN.message) return status === 500;
  const refusals = [ERRORS.INSUFFICIENT_FUNDS.message, ERRORS.UNAVAILABLE.message];
  return refusals.includes(body.message) && debits === 0;
}

/** The errors in a payout's end state, by the ledger and by the rail's own books. */
function wrongEnd(
  { _id: id, status, step, visible }: Payout,
  { committed, rail, settleMs }: Stored,
): string[] {
  const debits = committed.get(id) ?? 0;
  const reversals = committed.get(`${id}:reversal`) ?? 0;
  const { kind } = sandboxState(rail.get(id), Date.now(), settleMs);
  const isPaid = kind === "settled";
  const isRight =
    step === "declined"
      ? !visible && debits === 0 && reversals === 0 && !rail.has(id)
      : visible &&
        debits === 1 &&
        reversals === (isPaid ? 0 : 1) &&
        status === (isPaid ? "SUCCESS" : "FAILED");
  const found = `${step} ${status}, ${debits} debits, ${reversals} reversals, the rail: ${kind}`;
  return isRight ? [] : [`${id}: ${found}`];
}

/** Each state reached the merchant, in order, under its own id. */
function wrongEvents({ _id: id, visible, states }: Payout, { received }: TestHook): string[] {
  const events = received
    .filter(({ body }) => body.payload.transactionId === id)
    .map(({ body, headers }) => ({
      status: String(body.status),
      id: String(headers["webhook-id"]),
    }));
  const order = events.map((event) => states.findIndex(({ status }) => status === event.status));
  const isInOrder = order.every((state, i) => state >= (order[i - 1] ?? 0));
  const names = new Set(events.map((event) => `${event.status} ${event.id}`));
  const ids = new Set(events.map((event) => event.id));
  const expected = visible ? states.length : 0;
  const isRight = isInOrder && names.size === expected && ids.size === expected;
  const entered = states.map(({ status }) => status).join(", ");
  return isRight ? [] : [`${id} entered ${entered}, and events of ${[...names].join(", ")}`];
}
