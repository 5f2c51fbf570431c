// The world of one schedule: nodes (the product's own code) over a simulated replica set, models of
// their neighbours, and the books that check them all.

import type { asAccepted } from "../../../services/payouts/accepted.ts";
import type { createDeps } from "../../../services/payouts/assembly.ts";
import type { cancel } from "../../../services/payouts/cancel.ts";
import type { Deps } from "../../../services/payouts/deps.ts";
import type { pay } from "../../../services/payouts/pay.ts";
import type { askNow } from "../../../services/payouts/push.ts";
import type { resolve } from "../../../services/payouts/resolve.ts";
import type { review } from "../../../services/payouts/review.ts";
import type { release } from "../../../services/payouts/stopped.ts";
import type { withdraw } from "../../../services/payouts/withdraw.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { Collection } from "../client.ts";
import { type Cluster, createCluster } from "../cluster.ts";
import { type Random, randomFrom } from "../random.ts";
import { guarded, type Run } from "../run.ts";
import { type Actor, createTimeline } from "../timeline.ts";
import type { Weather } from "../weather.ts";
import {
  type AccountsModel,
  BUSINESS,
  createAccounts,
  MERCHANTS_WALLET,
  newWallet,
} from "./accounts.ts";
import { BANK_STATES, type BankModel, type BankState, createBank } from "./bank.ts";
import { type Books, createBooks } from "./books.ts";
import { type ControlsModel, createControls } from "./controls.ts";
import { COUNTERS, PAYOUTS } from "./database.ts";
import { createLedger, type LedgerModel } from "./ledger.ts";
import type { Neighbour, Network } from "./network.ts";
import { type Ambush, BANKS, type Modules, type Plan } from "./plan.ts";
import { createWebhooks, type WebhooksModel } from "./webhooks.ts";

/** The code under test: the domain of services/payouts. */
export interface Subject {
  createDeps: typeof createDeps;
  withdraw: typeof withdraw;
  pay: typeof pay;
  cancel: typeof cancel;
  resolve: typeof resolve;
  review: typeof review;
  askNow: typeof askNow;
  release: typeof release;
  asAccepted: typeof asAccepted;
}

export interface Node {
  actor: Actor;
  deps: Deps;
  clock: Clock;
  /** How late it knows the operator's controls. */
  lateMs: number;
  payouts: Collection;
  /** Configures every bank at this node from now on. */
  configureAll(): void;
}

export interface World extends Run {
  plan: Plan;
  subject: Subject;
  random: Random;
  cluster: Cluster;
  books: Books;
  ledger: LedgerModel;
  accounts: AccountsModel;
  controls: ControlsModel;
  webhooks: WebhooksModel;
  /** The banks by the names of their rails. */
  banks: Map<string, BankModel>;
  /**
   * The state of an id at the banks. A state in which it is paid or may still be paid counts first.
   */
  bankState(id: string): BankState;
  /** Whether a bank has a problem with an id until an admin decides. */
  isHeld(id: string): boolean;
  /** The rails of the next node; the first takes new payouts. */
  configured: readonly string[];
  modules: Modules;
  /** The time until which broken steps throw. */
  brokenUntil: number;
  /** The probability that a majority read of the ledger does not show an existing wallet. */
  unseen: number;
  nodes: Node[];
  started: number;
  /** The number of made ids. */
  made: number;
  /** All nodes that ever ran. */
  all: Node[];
  weather: Weather;
  network: Network;
  rails: Network;
  /** The time until which each neighbour is unavailable. */
  outageUntil: { [neighbour in Neighbour]: number };
  /** The planned faults at points that remain. */
  ambushes: Ambush[];
  faultsAtPoints: number;
  /** The ids of withdrawals, in the order of their beginning. */
  ids: string[];
  isHealed: boolean;
}

const BOUNDS = { events: 60_000, waitMs: 3 * 3_600_000 };
/** The true time at the beginning; epoch ms. */
export const EPOCH_MS = 1_800_000_000_000;
/** The longest time from a bank's answer until a node has stored it. */
const ANSWER_AGES_MS = 6_000;
const MERCHANTS_FUNDS = 20_000;

/** @param print is called with each line of the schedule as it happens */
export function createWorld(plan: Plan, subject: Subject, print?: (line: string) => void): World {
  const timeline = createTimeline();
  const random = randomFrom(plan.seed, "run");
  const now = () => EPOCH_MS + Math.floor(timeline.now());
  const safely = (work: () => void) => guarded(world, work);
  const books = () => world.books;
  const skew = () => Math.round((random.next() - 0.5) * plan.skewMs);
  const ledgersSkew = skew();
  const bankNamed = (name: string) =>
    createBank({
      name,
      timeline,
      random,
      books,
      returnsWithinMs: plan.returnWindowMs - plan.skewMs - ANSWER_AGES_MS,
      guarded: safely,
    });
  const world: World = {
    plan,
    subject,
    timeline,
    random,
    cluster: createCluster({
      timeline,
      random,
      weather: () => world.weather,
      setups: [PAYOUTS, COUNTERS],
      onDurable: (entry) => safely(() => world.books.onDurable(entry)),
    }),
    books: createBooks(plan, now, (id) => world.bankState(id)),
    ledger: createLedger({
      timeline,
      random,
      books,
      wallets: new Map([
        [MERCHANTS_WALLET, MERCHANTS_FUNDS],
        ...plan.funds.map((funds, i): [string, number] => [newWallet(i), funds]),
      ]),
      now: () => now() + ledgersSkew,
      slow: () => world.network.slow,
      unseen: () => world.unseen,
      guarded: safely,
    }),
    accounts: createAccounts(plan, books, safely),
    controls: createControls(now, plan.limits, () => tellReleased(world)),
    webhooks: createWebhooks(books, safely),
    banks: new Map(BANKS.map((name) => [name, bankNamed(name)])),
    bankState(id) {
      const states = [...world.banks.values()].map((bank) => bank.findState(id));
      return BANK_STATES.find((state) => states.includes(state)) ?? "unknown";
    },
    isHeld: (id) => [...world.banks.values()].some((bank) => bank.isHeld(id)),
    configured: plan.configured,
    modules: plan.modules,
    brokenUntil: Number.POSITIVE_INFINITY,
    unseen: plan.unseen,
    nodes: [],
    started: 0,
    made: 0,
    all: [],
    weather: plan.weather,
    network: plan.network,
    rails: plan.rails,
    outageUntil: { ledger: 0, accounts: 0, webhooks: 0, rail: 0, screening: 0 },
    ambushes: plan.ambushes.map((ambush) => ({ ...ambush })),
    faultsAtPoints: plan.faultsAtPoints,
    ids: [],
    open: new Set(),
    failure: null,
    bounds: BOUNDS,
    isHealed: false,
    trace: (line) => print?.(`${timeline.now().toFixed(1).padStart(10)} ${line()}`),
  };
  return world;
}

/** Every node hears of the end of a stop, each a little later. */
function tellReleased({ nodes, timeline, subject }: World): void {
  for (const { actor, deps, lateMs } of nodes) {
    timeline.after(lateMs, actor, () => {
      // A node that fails to wake the held payouts leaves them to their waits.
      subject.release(deps, { businessId: BUSINESS }).catch(() => {});
    });
  }
}
