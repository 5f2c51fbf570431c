// The world of one schedule: processes (process.ts) over a simulated replica set, and the books that
// check them.

import type { createRequests, Requests } from "../../../services/wallet-ledger/by-reference.ts";
import type { Ledger, ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import type { WalletTransfer } from "../../../services/wallet-ledger/wallet-transfer.model.ts";
import type { walletTransferKind } from "../../../services/wallet-ledger/wallet-transfers.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { Collection } from "../client.ts";
import { type Cluster, createCluster, type ServerFaults } from "../cluster.ts";
import { type Random, randomFrom } from "../random.ts";
import { guarded, type Open, type Run } from "../run.ts";
import { type Actor, createTimeline } from "../timeline.ts";
import type { Weather } from "../weather.ts";
import { type Books, createBooks } from "./books.ts";
import { createAccounts, createCollections, type Dropped } from "./database.ts";
import type { Plan } from "./plan.ts";

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
  /** Its document is stored, so another process posts it again. */
  isDriven?: true;
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
  return world;
}
