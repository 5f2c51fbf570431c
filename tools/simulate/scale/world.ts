// Several ledger nodes in simulated time: the ledger's own code, with service times (costs.ts), a
// network and a replica set without faults. The books check every block, answer and checkpoint.
//
// A sharded database is one journal behind several primaries: each serves the blocks of its
// partitions, and a command ends with its last part.

import type { mongo } from "mongoose";
import { DEFAULT_BOUNDS } from "../../../services/wallet-ledger/bounds.ts";
import { type Ledger, ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import type { Collections } from "../../../services/wallet-ledger/store.ts";
import { NO_METRICS } from "../../../shared/observability/metrics.ts";
import { PARTITIONS, partitionFor } from "../../../shared/rpc/partitions.ts";
import { createClient, type Send } from "../client.ts";
import { createClock } from "../clock.ts";
import { type Cluster, createCluster } from "../cluster.ts";
import { type Books, createBooks } from "../ledger/books.ts";
import { createAccounts, createCollections } from "../ledger/database.ts";
import type { Plan } from "../ledger/plan.ts";
import { type Random, randomFrom } from "../random.ts";
import { type Actor, createTimeline, type Timeline } from "../timeline.ts";
import { CALM } from "../weather.ts";
import { nodeUs, ONE_WAY_US, primariesUs, REPLICATION_MS } from "./costs.ts";
import { createStation, type Station } from "./station.ts";

export interface World {
  timeline: Timeline;
  random: Random;
  cluster: Cluster;
  books: Books;
  wallets: Plan["wallets"];
  primaries: Station[];
  blocks: { committed: number; refused: number };
  /** The first error of the run, such as a violated rule of the books. */
  failure: { error: unknown } | null;
}

/** A ledger node: a process with one thread. */
export interface Node {
  actor: Actor;
  ledger: Ledger;
  thread: Station;
}

const WALLETS_PER_PARTITION = 40;

/** @param cores of each primary */
export function createWorld(seed: number, shards: number, cores: number): World {
  const timeline = createTimeline();
  const random = randomFrom(seed, "scale");
  const wallets = listWallets();
  const plan = { partitionCount: PARTITIONS, wallets } as Plan;
  const accounts = createAccounts(plan);
  const books = createBooks(plan, accounts);
  const weather = { ...CALM, replicationMs: REPLICATION_MS };
  const cluster = createCluster({
    timeline,
    random,
    weather: () => weather,
    setups: createCollections(plan, accounts, []),
    onDurable: (entry) => guarded(world, () => books.onDurable(entry)),
  });
  const world: World = {
    timeline,
    random,
    cluster,
    books,
    wallets,
    primaries: Array.from({ length: shards }, () => createStation(timeline, cores)),
    blocks: { committed: 0, refused: 0 },
    failure: null,
  };
  return world;
}

/** As many wallets in each partition. */
function listWallets(): Plan["wallets"] {
  const room = Array.from({ length: PARTITIONS }, () => WALLETS_PER_PARTITION);
  const wallets: Plan["wallets"] = [];
  for (let i = 0; room.some((left) => left > 0); i++) {
    const p = partitionFor(`w${i}`, PARTITIONS);
    if (room[p] === 0) continue;
    room[p] = (room[p] as number) - 1;
    wallets.push({ id: `w${i}`, currency: "USD", opensLate: false });
  }
  return wallets;
}

/** Runs work whose error ends the run. */
export function guarded(world: World, work: () => void): void {
  try {
    work();
  } catch (error) {
    world.failure ??= { error };
  }
}

/** Sends something to another process. */
export function travel({ timeline }: World, to: Actor | null, go: () => void): void {
  timeline.after(ONE_WAY_US / 1_000, to, go);
}

export function startNode(world: World, name: string): Node {
  const { timeline, random, blocks } = world;
  const actor: Actor = { name, alive: true, pausedUntil: 0 };
  const thread = createStation(timeline, 1);
  const client = createClient(createSend(world, actor, thread));
  const collections = {
    blocks: client.collection("ledger_blocks"),
    accounts: client.collection("ledger_accounts"),
    watermarks: client.collection("ledger_watermarks"),
  };
  const ledger = ledgerOver({
    client: client as unknown as mongo.MongoClient,
    collections: collections as unknown as Collections,
    partitionCount: PARTITIONS,
    clock: createClock({ timeline, random }, actor, 0),
    onProblem(_problem, error) {
      world.failure ??= { error };
    },
    bounds: DEFAULT_BOUNDS,
    metrics: {
      ...NO_METRICS,
      count(_name, labels) {
        const { outcome } = labels as { outcome: keyof typeof blocks };
        blocks[outcome] += 1;
      },
    },
  });
  return { actor, ledger, thread };
}

/** The way of a node's commands: its thread, the network, the primaries, and back. */
function createSend(world: World, actor: Actor, thread: Station): Send {
  const { primaries, cluster } = world;
  return (command) =>
    new Promise((resolve) => {
      const execute = () =>
        cluster.receive(actor, command, (reply) => travel(world, actor, () => resolve(reply)));
      const arrive = () => {
        const parts = primariesUs(command, primaries.length);
        let left = parts.filter((us) => us > 0).length;
        for (const [i, us] of parts.entries()) {
          if (us === 0) continue;
          primaries[i]?.serve(us, null, () => {
            left -= 1;
            if (left === 0) execute();
          });
        }
      };
      thread.serve(nodeUs(command), actor, () => travel(world, null, arrive));
    });
}
