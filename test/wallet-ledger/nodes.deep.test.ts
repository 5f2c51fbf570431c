// Several nodes of the ledger over NATS on one database, each a process. An id is decided once and
// the books are right for every choice of nodes, any number of repeated calls, and a node that is
// killed, or frozen and thawed.
// The ways to balance the calls differ only in speed.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import mongoose, { type Connection } from "mongoose";
import { newId } from "../../shared/ids.ts";
import { nodesServing } from "../../shared/rpc/actions.ts";
import {
  gatherPosts,
  ledgerClient,
  type Posted,
  type PostingRequest,
} from "../../shared/rpc/posts.ts";
import { verifyLedger } from "../../tools/verify/verify.ts";
import { startService } from "../support/processes.ts";
import { type System, startSystem, until } from "../support/system.ts";

const NODES = 3;
const CALLERS = 48;
const POSTS_EACH = 10;
/** The funds of the wallet that every third posting debits: less than the sum of the debits. */
const HOT_FUNDS = 5_000;
const FUNDS = 100_000;
const PRICE = 100;

let system: System;
let nodes: ChildProcess[];
let connection: Connection;

beforeEach(async () => {
  // Replaces accounts and accepts every entity, because this test does not check entities.
  const accounts = {
    name: "accounts",
    actions: {
      entity: ({ params }: { params: { entityId: string } }) => ({ id: params.entityId }),
    },
  };
  system = await startSystem([() => accounts], {}, { overNats: true });
  connection = await mongoose.createConnection(system.config.mongoUrl as string).asPromise();
  const started = Array.from({ length: NODES }, () => startService(system, "wallet-ledger"));
  nodes = (await Promise.all(started)).map(({ child }) => child);
  await until(() => serving().length === NODES);
});

afterEach(async () => {
  for (const node of nodes) {
    if (!isRunning(node)) continue;
    // A thawed node goes on with its old fold; the fence refuses its blocks.
    node.kill("SIGCONT");
    node.disconnect();
    await once(node, "exit");
  }
  const report = await verifyLedger(connection);
  await connection.close();
  await system.stop();
  expect(report.violations).toEqual([]);
});

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && !signalCode;
const serving = () => nodesServing(system.broker, "wallet-ledger.post");

const businessId = newId();

async function openWallet(amount: number): Promise<string> {
  const owner = { businessId, entityId: newId(), currency: "USD" as const };
  const { wallet } = await system.call("wallet-ledger.openWallet", owner);
  const fund = { businessId, walletId: wallet.id, amount, reference: "first" };
  await system.call("wallet-ledger.fund", fund);
  return wallet.id;
}

/** Reads again after a call to the killed node, which fails. */
function readBalance(walletId: string): Promise<string> {
  const read = () => system.call("wallet-ledger.wallet", { businessId, walletId });
  return until(() =>
    read().then(
      ({ balance }) => balance,
      () => null,
    ),
  );
}

function payout(walletId: string): PostingRequest {
  const money = { currency: "USD", method: "ACH", amountMinor: PRICE, feesMinor: 0 } as const;
  return { id: newId(), kind: "payout", walletId, ...money };
}

type Post = (posting: PostingRequest) => Promise<Posted>;

const SOON = { timeoutMs: 1_500 };

/**
 * The ways to balance calls: each call to the next node, or each posting to the node that owns its
 * partition.
 */
const WAYS: Record<string, () => Post> = {
  "in turn": () => async (posting) => {
    const [posted] = await system.call("wallet-ledger.post", { postings: [posting] }, SOON);
    return posted as Posted;
  },
  "to the owners": () => gatherPosts(ledgerClient(system.broker)),
};

/** Posts the same id until the ledger gives a decision, as payouts does. */
async function decided(post: Post, posting: PostingRequest): Promise<Posted> {
  let asked = posting;
  const isDecided = async () => {
    const posted = await post(asked).catch(() => null);
    asked = { ...posting, retry: true };
    return posted && posted.outcome !== "failed" && posted;
  };
  return until(isDecided, { awaited: `${posting.id} to be decided` });
}

const CASES = Object.keys(WAYS).flatMap((way) =>
  (["SIGKILL", "SIGSTOP"] as const).map((signal) => ({ way, signal })),
);

describe.each(CASES)("posting $way, with $signal to a node", ({ way, signal }) => {
  test("decides every id once, and never overdraws", async () => {
    const post = (WAYS[way] as () => Post)();
    const hot = await openWallet(HOT_FUNDS / 100);
    const wallets = await Promise.all(Array.from({ length: 20 }, () => openWallet(FUNDS / 100)));
    const postings = Array.from({ length: CALLERS * POSTS_EACH }, (_, i) =>
      payout(i % 3 === 0 ? hot : (wallets[i % wallets.length] as string)),
    );
    const answers = new Map<string, Posted>();
    const caller = async (own: PostingRequest[]) => {
      for (const posting of own) {
        // Sends each posting twice at once, so that nodes race for one id.
        const [first, second] = await Promise.all([
          decided(post, posting),
          decided(post, { ...posting, retry: true }),
        ]);
        expect(second).toEqual(first);
        answers.set(posting.id, first);
        if (answers.size === postings.length / 3) nodes[1]?.kill(signal);
      }
    };
    await Promise.all(
      Array.from({ length: CALLERS }, (_, i) =>
        caller(postings.filter((_posting, at) => at % CALLERS === i)),
      ),
    );

    if (signal === "SIGKILL") await until(() => nodes[1]?.signalCode === signal);
    else nodes[1]?.kill("SIGCONT");
    const committed = (walletId: string) =>
      postings.filter(
        ({ id, walletId: of }) => of === walletId && answers.get(id)?.outcome === "committed",
      ).length;
    expect(committed(hot)).toBe(HOT_FUNDS / PRICE);
    expect(await readBalance(hot)).toBe("0.00");
    for (const wallet of wallets) {
      const asked = postings.filter(({ walletId }) => walletId === wallet).length;
      expect(committed(wallet)).toBe(asked);
      expect(await readBalance(wallet)).toBe(((FUNDS - asked * PRICE) / 100).toFixed(2));
    }
    const again = await Promise.all(postings.map((posting) => decided(post, posting)));
    expect(again).toEqual(postings.map(({ id }) => answers.get(id)));
  });
});
