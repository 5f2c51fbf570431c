// The world of one schedule: processes (the product's own code) over a simulated replica set, and
// the books that check them.

import type { mongo } from "mongoose";
import type { createRequests, Requests } from "../../../services/wallet-ledger/by-reference.ts";
import type { Block } from "../../../services/wallet-ledger/journal.model.ts";
import type { Ledger, ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import type { Collections } from "../../../services/wallet-ledger/store.ts";
import type { WalletTransfer } from "../../../services/wallet-ledger/wallet-transfer.model.ts";
import type { walletTransferKind } from "../../../services/wallet-ledger/wallet-transfers.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import { type Collection, createClient, createNetwork, type Send } from "../client.ts";
import { createClock } from "../clock.ts";
import {
  type Cluster,
  type Command,
  createCluster,
  type Reply,
  type ServerFaults,
} from "../cluster.ts";
import { type Random, randomFrom } from "../random.ts";
import { fail, guarded, type Open, type Run, Violation } from "../run.ts";
import { type Actor, createTimeline } from "../timeline.ts";
import type { Weather } from "../weather.ts";
import { type Books, createBooks } from "./books.ts";
import { createAccounts, createCollections, type Dropped } from "./database.ts";
import { describeExchange } from "./describe.ts";
import type { Plan } from "./plan.ts";
import { createTransfers } from "./transfers.ts";

/** The subject of a schedule: the ledger, and a server with all or some of its safeguards. */
export interface Subject {
  ledgerOver: typeof ledgerOver;
  createRequests: typeof createRequests;
  walletTransferKind: typeof walletTransferKind;
  server?: ServerFaults & { dropped?: Dropped[] };
}

export interface Process {
  actor: Actor;
  ledger: Ledger;
  transfers: Requests<WalletTransfer>;
  /** The collection in which the process opens wallets. */
  accounts: Collection;
  clock: Clock;
}

/** A request, a read or a stop that has not ended; `id` is the id of a sent posting. */
export interface Call extends Open {
  id?: string;
}

export interface World extends Run {
  plan: Plan;
  subject: Subject;
  random: Random;
  cluster: Cluster;
  books: Books;
  processes: Process[];
  started: number;
  weather: Weather;
  /** All actors that ever ran. */
  actors: Actor[];
  open: Set<Call>;
  isHealed: boolean;
  /** The wallets that a process has reported as open; `waiting` has the requests for the others. */
  opened: Set<string>;
  waiting: Map<string, (() => void)[]>;
  /** The ids that were made, and the events that webhooks has taken, by id. */
  made: number;
  told: Map<string, RelayedEvent>;
}

const BOUNDS = { events: 60_000, waitMs: 120_000 };
/** The time of the processes' clocks at the beginning, without their skew. */
export const EPOCH_MS = 1_000_000;

/** @param print is called with each line of the schedule as it happens */
export function createWorld(plan: Plan, subject: Subject, print?: (line: string) => void): World {
  const timeline = createTimeline();
  const random = randomFrom(plan.seed, "run");
  const documents = createAccounts(plan);
  const books = createBooks(plan, documents);
  const cluster = createCluster({
    timeline,
    random,
    weather: () => world.weather,
    setups: createCollections(plan, documents, subject.server?.dropped ?? []),
    onDurable: (entry) => guarded(world, () => books.onDurable(entry)),
    faults: subject.server,
  });
  const world: World = {
    plan,
    subject,
    timeline,
    random,
    cluster,
    books,
    processes: [],
    actors: [],
    started: 0,
    weather: plan.weather,
    open: new Set(),
    failure: null,
    bounds: BOUNDS,
    isHealed: false,
    opened: new Set(plan.wallets.filter((each) => !each.opensLate).map(({ id }) => id)),
    waiting: new Map(),
    made: 0,
    told: new Map(),
    trace: (line) => print?.(`${timeline.now().toFixed(1).padStart(9)} ${line()}`),
  };
  for (let i = 0; i < plan.processes; i++) start(world);
  return world;
}

/** Starts one more process. */
export function start(world: World): void {
  const { plan, timeline, random, cluster, subject } = world;
  const name = `p${world.started++}`;
  const actor: Actor = { name, alive: true, pausedUntil: 0 };
  const onExchange = (command: Command, reply: Reply | "lost") =>
    world.trace(() => `${name}  ${describeExchange(command, reply)}`);
  const send = createNetwork({
    actor,
    timeline,
    random,
    weather: () => world.weather,
    cluster,
    onExchange,
  });
  const client = createClient(checkAppends(world, name, send));
  const collections = {
    blocks: client.collection("ledger_blocks"),
    accounts: client.collection("ledger_accounts"),
    watermarks: client.collection("ledger_watermarks"),
  };
  const clock = createClock({ timeline, random }, actor, EPOCH_MS + drawSkew(world));
  const ledger = subject.ledgerOver({
    client: client as unknown as mongo.MongoClient,
    collections: collections as unknown as Collections,
    partitionCount: plan.partitionCount,
    clock,
    onProblem: () => {},
    bounds: plan.bounds,
  });
  const transfers = createTransfers(world, { actor, clock, ledger }, () =>
    createClient(send, { w: "majority" }).collection("ledger_wallet_transfers"),
  );
  world.processes.push({ actor, ledger, transfers, accounts: collections.accounts, clock });
  world.actors.push(actor);
  world.trace(() => `${name}  starts`);
}

/** Checks that a process never has two appends to one partition in flight. */
function checkAppends(world: World, name: string, send: Send): Send {
  const inFlight = new Set<number>();
  return async (command) => {
    const insert = "write" in command && "insert" in command.write ? command.write : null;
    if (insert?.collection !== "ledger_blocks") return send(command);
    const partitions = new Set((insert.insert as unknown as Block[]).map(({ p }) => p));
    for (const p of partitions) {
      if (inFlight.has(p))
        fail(world, new Violation("one append", `${name} appends to ${p} twice`));
      inFlight.add(p);
    }
    const reply = await send(command);
    for (const p of partitions) inFlight.delete(p);
    return reply;
  };
}

function drawSkew({ plan, random }: World): number {
  return Math.round((random.next() - 0.5) * plan.skewMs);
}
