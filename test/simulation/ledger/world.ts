// The world of one schedule: the processes (the product's own code) over a simulated replica set, and
// the books that watch them.

import type { mongo } from "mongoose";
import type { Ledger, ledgerOver } from "../../../services/wallet-ledger/ledger.ts";
import type { Collections } from "../../../services/wallet-ledger/store.ts";
import { type Clock, LATE } from "../../../shared/clock.ts";
import { createClient, networkOf } from "../client.ts";
import {
  type Cluster,
  type Command,
  createCluster,
  type Reply,
  type ServerFaults,
} from "../cluster.ts";
import { type Random, randomFrom } from "../random.ts";
import { type Actor, createTimeline, type Timeline } from "../timeline.ts";
import type { Weather } from "../weather.ts";
import { type Books, createBooks, Violation } from "./books.ts";
import { accountsOf, collectionsOf } from "./database.ts";
import { describeExchange } from "./describe.ts";
import type { Plan } from "./plan.ts";

/** What a schedule is run against: the ledger, and a server with all or not all of its safeguards. */
export interface Subject {
  ledgerOver: typeof ledgerOver;
  server?: ServerFaults & { dropped?: ("fence" | "ids")[] };
}

export interface Process {
  actor: Actor;
  ledger: Ledger;
}

/** A call, a read or a stop that has not ended; `id` is what it wants posted, once it was asked. */
export interface Call {
  actor: Actor;
  what: string;
  id?: string;
}

export interface World {
  plan: Plan;
  subject: Subject;
  timeline: Timeline;
  random: Random;
  cluster: Cluster;
  books: Books;
  processes: Process[];
  started: number;
  weather: Weather;
  /** All that ever ran. */
  actors: Actor[];
  /** Of processes that live. */
  open: Set<Call>;
  failure: { rule: string; detail: string } | null;
  isHealed: boolean;
  trace: (line: () => string) => void;
}

const EVENTS_AT_MOST = 60_000;
const HEALING_MS = 120_000;
/** What the processes' clocks say in the beginning, but for their skew. */
export const EPOCH_MS = 1_000_000;

/** @param print is given the schedule, line by line, as it happens */
export function createWorld(plan: Plan, subject: Subject, print?: (line: string) => void): World {
  const timeline = createTimeline();
  const random = randomFrom(plan.seed, "run");
  const documents = accountsOf(plan);
  const books = createBooks(plan, documents);
  const cluster = createCluster({
    timeline,
    random,
    weather: () => world.weather,
    setups: collectionsOf(plan, documents, subject.server?.dropped ?? []),
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
    isHealed: false,
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
  const send = networkOf({
    actor,
    timeline,
    random,
    weather: () => world.weather,
    cluster,
    onExchange,
  });
  const client = createClient(send);
  const collections = {
    blocks: client.collection("ledger_blocks"),
    accounts: client.collection("ledger_accounts"),
    watermarks: client.collection("ledger_watermarks"),
  };
  const ledger = subject.ledgerOver({
    client: client as unknown as mongo.MongoClient,
    collections: collections as unknown as Collections,
    partitionCount: plan.partitionCount,
    clock: clockOf(world, actor),
    onCheckpointError: () => {},
    bounds: plan.bounds,
  });
  world.processes.push({ actor, ledger });
  world.actors.push(actor);
  world.trace(() => `${name}  starts`);
}

function clockOf({ plan, timeline, random }: World, actor: Actor): Clock {
  const skew = Math.round((random.next() - 0.5) * plan.skewMs);
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => timeline.after(Math.max(0, ms), actor, resolve));
  return {
    now: () => EPOCH_MS + Math.floor(timeline.now()) + skew,
    sleep,
    within: <T>(work: Promise<T>, ms: number) =>
      Promise.race<T | typeof LATE>([work, sleep(ms).then((): typeof LATE => LATE)]),
    random: () => random.next(),
  };
}

/** Time passes until something is so; that it never becomes so is a violation of liveness. */
export async function until(world: World, isSo: () => boolean): Promise<void> {
  const { timeline } = world;
  const lastMs = timeline.now() + HEALING_MS;
  if (world.failure) return;
  const isOver = () => world.failure !== null || isSo() || timeline.now() > lastMs;
  await timeline.drive(isOver, EVENTS_AT_MOST);
  if (world.failure || isSo()) return;
  const open = [...world.open].map(({ actor, what }) => `${actor.name}: ${what}`);
  fail(world, new Violation("liveness", `these never end: ${open.join("; ")}`));
}

/** Runs what may find a violation. */
export function guarded(world: World, run: () => void): void {
  try {
    run();
  } catch (error) {
    fail(world, error);
  }
}

/** The first failure counts. What is neither a violation nor the ledger's own word is ours. */
export function fail(world: World, error: unknown): void {
  if (world.failure) return;
  const rule = error instanceof Violation ? error.rule : "process died";
  const detail = error instanceof Error ? error.message : String(error);
  world.failure = { rule, detail };
  world.trace(() => `!!  ${rule}: ${detail}`);
}
