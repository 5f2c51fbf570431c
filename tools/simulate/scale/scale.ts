// Posts per second of several ledger nodes in simulated time (world.ts). Callers post by the same
// code as payouts; they and NATS never wait for a processor. The figures show how the rate grows,
// not how high it is.

import { DEFAULT_BOUNDS } from "../../../services/wallet-ledger/bounds.ts";
import { assignOwners } from "../../../shared/rpc/partition-owners.ts";
import { gatherPosts, type Posted, type PostingRequest } from "../../../shared/rpc/posts.ts";
import type { Actor } from "../timeline.ts";
import { CALL_US } from "./costs.ts";
import type { Station } from "./station.ts";
import { createWorld, guarded, type Node, startNode, travel, type World } from "./world.ts";

export interface ScaleOptions {
  seed: number;
  /** The ledger's nodes. */
  nodes: number;
  /** Calls go to the owners of the partitions, or each to the next node. */
  hasOwners: boolean;
  /** The callers for each node, in two processes; each posts again as soon as it is answered. */
  callers: number;
  /** The primaries of the database, and the cores of each. */
  shards: number;
  cores: number;
  /** Simulated time, of which the first half warms up. */
  ms: number;
}

export interface Scale {
  postsPerSecond: number;
  /** In the second half. */
  blocks: { committed: number; refused: number };
  /** The share of their time that the nodes' threads and the primaries' cores have worked. */
  nodeLoad: number;
  primaryLoad: number;
}

const EVENTS_AT_MOST = 50_000_000;
const ENDS_WITHIN_MS = 10_000;

/** @throws Violation if the books are wrong; an error if a post is not committed or never ends */
export async function simulateScale(options: ScaleOptions): Promise<Scale> {
  const { ms } = options;
  const world = createWorld(options.seed, options.shards, options.cores);
  const { timeline, blocks, books, primaries } = world;
  const nodes = Array.from({ length: options.nodes }, (_, i) => startNode(world, `node-${i}`));
  const traffic = startTraffic(world, nodes, options);

  await drive(world, () => timeline.now() >= ms / 2);
  const before = { posts: traffic.count(), from: timeline.now(), ...blocks };
  await drive(world, () => timeline.now() >= ms);
  const measured: Scale = {
    postsPerSecond: ((traffic.count() - before.posts) * 1_000) / (timeline.now() - before.from),
    blocks: {
      committed: blocks.committed - before.committed,
      refused: blocks.refused - before.refused,
    },
    nodeLoad: meanLoad(nodes.map(({ thread }) => thread)),
    primaryLoad: meanLoad(primaries),
  };

  let hasEnded = false;
  void traffic
    .stop()
    .then(() => Promise.all(nodes.map(({ ledger }) => ledger.stop())))
    .then(() => {
      hasEnded = true;
    });
  await drive(world, () => hasEnded || timeline.now() > ms + ENDS_WITHIN_MS);
  if (!hasEnded) throw new Error("A post or a stop never ends");
  books.onEnd();
  return measured;
}

/** Lets time pass until a condition holds. @throws the first error of the run */
async function drive(world: World, isSo: () => boolean): Promise<void> {
  await world.timeline.drive(() => world.failure !== null || isSo(), EVENTS_AT_MOST);
  if (world.failure) throw world.failure.error;
}

function meanLoad(stations: Station[]): number {
  return stations.reduce((sum, station) => sum + station.load(), 0) / stations.length;
}

/** Starts all callers. */
function startTraffic(world: World, nodes: Node[], options: ScaleOptions) {
  let made = 0;
  let count = 0;
  let isOver = false;
  const postAlways = async (post: (posting: PostingRequest) => Promise<Posted>) => {
    while (!isOver) {
      const { outcome } = await post(newCredit(world, made++));
      if (outcome !== "committed") {
        world.failure ??= { error: new Error(`A post was answered ${outcome}`) };
      }
      count += 1;
    }
  };
  const open = createProcesses(world, nodes, options.hasOwners);
  const working = Array.from({ length: 2 * nodes.length }, open).flatMap((post) =>
    Array.from({ length: options.callers / 2 }, () => postAlways(post)),
  );
  return {
    /** The number of answered posts. */
    count: () => count,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}

/** Returns a function that starts one more process of callers. */
function createProcesses(world: World, nodes: Node[], hasOwners: boolean) {
  const owners = assignOwners(nodes.map(({ actor }) => actor.name));
  const ownerOf = (p: number) => nodes.find(({ actor }) => actor.name === owners[p]) as Node;
  let turn = 0;
  const next = () => nodes[turn++ % nodes.length] as Node;
  return () => {
    const actor: Actor = { name: "caller", alive: true, pausedUntil: 0 };
    return gatherPosts({
      owners: () => owners,
      post: (postings, p) =>
        new Promise((resolve) => {
          const node = hasOwners ? ownerOf(p) : next();
          const answer = (answers: Posted[]) => travel(world, actor, () => resolve(answers));
          const begin = () => void postAll(world, node, postings).then(answer);
          travel(world, null, () => node.thread.serve(CALL_US, node.actor, begin));
        }),
    });
  };
}

/** Posts to a node and reports the answers to the books. */
function postAll(
  world: World,
  { actor, ledger }: Node,
  postings: PostingRequest[],
): Promise<Posted[]> {
  const { books } = world;
  return Promise.all(
    postings.map(async (posting) => {
      const ask = books.ask(actor.name, { posting });
      const answer = await ledger.log.post({ posting });
      guarded(world, () => books.onAnswer(ask, answer, DEFAULT_BOUNDS.queued));
      return answer;
    }),
  );
}

/** A credit, because empty wallets decline debits. */
function newCredit({ random, wallets }: World, i: number): PostingRequest {
  const { id: walletId } = random.pick(wallets);
  const money = { currency: "USD", method: "ACH", amountMinor: 1, feesMinor: 1 } as const;
  return { id: `t${i}`, kind: "payout-reversal", walletId, ...money };
}
