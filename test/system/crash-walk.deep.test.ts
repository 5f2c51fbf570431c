// kill -9 between any two steps of a withdrawal: a payouts process dies at each named point of the
// lifecycle, and another one takes over. Afterwards an answer 200 has one debit, any other request
// has at most one; no payout is both paid and refunded; every payout has ended, and the merchant
// has received every state in order. A repeat with the same Idempotency-Key debits nothing more.

import { sandboxState } from "../../partners/sandbox/rail-book.ts";
import type { Point } from "../../services/payouts/deps.ts";
import payouts from "../../services/payouts/payouts.service.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { SANDBOX_SCREENING } from "../../shared/partners/sandbox.ts";
import { createBroker } from "../../shared/rpc/broker.ts";
import { crashWalk } from "../support/crash-walk.ts";
import { type Books, openBooks } from "../support/payouts.ts";
import { until } from "../support/system.ts";
import { UNSENT } from "../support/unsent.ts";
import {
  dataOf,
  startWorld,
  type TestBusiness,
  type TestHook,
  type World,
} from "../support/world.ts";

const ENVIRONMENT = { WITHDRAWAL_LIMIT: "off", SANDBOX_SETTLE_MS: "100" };

let world: World;
let books: Books;
let business: TestBusiness;
let hook: TestHook;

beforeAll(async () => {
  world = await startWorld({ environment: ENVIRONMENT, overNats: true, payoutsInstead: [] });
  books = await openBooks(world);
  business = await world.business();
  hook = await world.hook(business);
});

afterAll(async () => {
  await books.close();
  await world.stop();
});

interface Row {
  point: Point;
  /** Decides the bank's result. */
  lastFour?: string;
  amount?: number;
  withToken?: boolean;
  /** With a screening, the payout is stored without a rail; the sandbox's denies `Deny`. */
  screened?: "Lovelace" | "Deny";
  /** The states that the merchant receives; empty if the payout is never accepted. */
  statuses: string[];
}

const SUCCESS = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"];
const TOO_MUCH = 1_000;
/** An answer that comes late on a busy machine is no refusal. */
const PATIENT_MS = 60_000;

/** The crash walk, row by row. */
const WALK: Row[] = [
  { point: "inserted", statuses: [] },
  { point: "token-claimed", withToken: true, statuses: [] },
  // The debit is committed, or the decline is in the journal, but the answer is lost.
  { point: "debit-answered", statuses: SUCCESS },
  { point: "debit-answered", withToken: true, statuses: SUCCESS },
  { point: "debit-answered", amount: TOO_MUCH, statuses: [] },
  { point: "token-released", withToken: true, amount: TOO_MUCH, statuses: [] },
  // Before the answer 200, and after it.
  { point: "accepted", statuses: SUCCESS },
  { point: "submitting-stored", statuses: SUCCESS },
  // The rail has answered, but the answer is lost.
  { point: "rail-answered", statuses: SUCCESS },
  { point: "rail-answered", lastFour: "0004", statuses: ["PENDING", "FAILED"] },
  // The bank was closed, so the payout must be submitted again.
  { point: "resubmission-stored", lastFour: "0009", statuses: SUCCESS },
  { point: "end-stored", lastFour: "0004", statuses: ["PENDING", "FAILED"] },
  { point: "reversal-posted", lastFour: "0004", statuses: ["PENDING", "FAILED"] },
  { point: "failed-stored", lastFour: "0004", statuses: ["PENDING", "FAILED"] },
  { point: "succeeded-stored", lastFour: "0007", statuses: [...SUCCESS, "FAILED"] },
  // Webhooks has the events, and they are still in the outbox.
  { point: "published", statuses: SUCCESS },
  // The process that takes over screens, also what a process without a screening has begun.
  { point: "debit-answered", screened: "Lovelace", statuses: SUCCESS },
  { point: "screened", screened: "Lovelace", statuses: SUCCESS },
  { point: "end-stored", screened: "Deny", statuses: ["PENDING", "FAILED"] },
];

/** A withdrawal during which its process dies. */
interface Walked extends Row {
  /** The payer, whose withdrawal kills the process. */
  owner: string;
  wallet: { id: string; currency: string };
  environment: Record<string, string>;
  token?: string;
  /** Sends the request; null for a refusal or no answer. */
  ask(options: { nodeID: string; timeout?: number }): Promise<Withdrawn | null>;
  answer?: Promise<Withdrawn | null>;
}

type Withdrawn = Result<"payouts.withdraw">;

test("a payouts process dies at every point, and another one completes the work", async () => {
  const successor = createBroker(world.config, "successor", world.broker.namespace);
  successor.createService(payouts(world.config));
  const walked = await crashWalk<Row, Walked>({
    world,
    service: "payouts",
    environment: ENVIRONMENT,
    rows: WALK,
    begin,
    ask(each, nodeID) {
      each.answer = each.ask({ nodeID });
    },
    takeOver: () => successor.start(),
    expectEnd,
  });
  for (const each of walked) await expectRepeat(each, successor.nodeID);
  await world.verifyBooks();
  await successor.stop();
});

async function begin(row: Row): Promise<Walked> {
  const { point, lastFour = "6789", amount = 25, withToken = false, screened } = row;
  const user = await world.user(business);
  const wallet = await world.wallet(business, user, 100);
  const bank = await world.bank(business, wallet, lastFour, { lastName: screened ?? "Lovelace" });
  const token = withToken ? await payoutToken(user.id, amount) : undefined;
  const params: Params<"payouts.withdraw"> = {
    currency: "USD",
    linkedAccountId: bank.id,
    ...(token && { applicationToken: token }),
    body: { amount, walletType: "SPEND", reason: `Dies at ${point}` },
  };
  const idempotency = { route: "payouts.withdraw", key: "walk", request: point };
  const meta = { actor: { sub: user.id, role: "user" }, idempotency };
  const ask: Walked["ask"] = (options) =>
    world.broker
      .call<Withdrawn, typeof params>("payouts.withdraw", params, {
        timeout: 5_000,
        meta,
        ...options,
      })
      .catch(() => null);
  const environment = { SCREENING: screened ? SANDBOX_SCREENING : "off" };
  return { ...row, owner: user.id, wallet, environment, token, ask };
}

async function payoutToken(entityId: string, amount: number): Promise<string> {
  const path = `/v1/business/${business.id}/application-tokens`;
  const fields = { tokenType: "PAYOUT", entityId, currency: "USD", amount };
  return dataOf(await world.http.post(path, fields, { token: business.token }), 201).token;
}

async function expectEnd({ point, wallet, token, answer, statuses }: Walked): Promise<void> {
  const id = await payoutOf(wallet);
  const accepted = statuses.length > 0;
  const failed = statuses.at(-1) === "FAILED";
  const payout = await books.step(id, accepted ? "closed" : "declined");
  await until(async () => (await books.payouts.findOne({ _id: id, ...UNSENT })) === null);

  const name = `${point}: ${statuses.join()}`;
  const entries = await world.call("wallet-ledger.entriesOf", {
    walletId: wallet.id,
    transactionId: id,
  });
  const expected = [...(accepted ? ["DEBIT"] : []), ...(failed ? ["CREDIT"] : [])];
  expect([name, entries.map(({ entry }) => entry)]).toEqual([name, expected]);
  const answered = await answer;
  if (answered) expect([name, answered.id, accepted]).toEqual([name, id, true]);
  expect([name, payout.states.map(({ status }) => status)]).toEqual([name, statuses]);

  await until(() => received(id).length >= statuses.length, {
    awaited: `the webhooks of ${name}`,
  });
  expect([name, received(id)]).toEqual([name, statuses]);

  const paid = await books.rail.findOne({ _id: id });
  const isPaid = paid !== null && sandboxState(paid, Date.now(), 100).kind === "settled";
  expect([name, isPaid]).toEqual([name, statuses.at(-1) === "SUCCESS"]);

  // A debit spends the token; without a debit the token is free.
  const spent = token && (await tokenIsSpent(id));
  expect([name, spent]).toEqual([name, token && accepted]);
}

/** The id of the first payout of a wallet, which the dying process stored. */
async function payoutOf({ id: walletId }: Walked["wallet"]): Promise<string> {
  const [first] = await books.payouts.find({ walletId }).sort({ _id: 1 }).limit(1).toArray();
  return (first as { _id: string })._id;
}

/** A repeat has the first answer or decline; without either, the first repeat withdraws. */
async function expectRepeat(
  { point, statuses, amount, wallet, ask }: Walked,
  nodeID: string,
): Promise<void> {
  const id = await payoutOf(wallet);
  const repeat = () => ask({ nodeID, timeout: PATIENT_MS });
  const [first, second] = [await repeat(), await repeat()];
  const isDecided = statuses.length > 0 || amount === TOO_MUCH;
  const isSame = first?.id === id;
  expect([point, isSame, first === null]).toEqual([
    point,
    statuses.length > 0,
    amount === TOO_MUCH,
  ]);
  expect([point, second?.id]).toEqual([point, first?.id]);
  const hasKey = { walletId: wallet.id, idempotencyKey: "walk" };
  expect([point, await books.payouts.countDocuments(hasKey)]).toEqual([point, 1]);
  if (isDecided) expect(await books.payouts.countDocuments({ walletId: wallet.id })).toBe(1);
}

/** The states that the merchant received, each once, in order of arrival. */
function received(id: string): string[] {
  const ofPayout = hook.received.filter(({ body }) => body.payload.transactionId === id);
  const byId = new Map(
    ofPayout.map(({ headers, body }) => [headers["webhook-id"], body.status as string]),
  );
  return [...byId.values()];
}

async function tokenIsSpent(payoutId: string): Promise<boolean> {
  return (await books.tokens.countDocuments({ claimedFor: payoutId })) === 1;
}
