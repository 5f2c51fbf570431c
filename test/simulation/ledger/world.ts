// One schedule of the ledger: its processes (the product's own code) over a simulated replica set,
// their callers, everything that goes wrong, and then healing: whoever lives is heard out, and nothing
// may be left behind. The same plan and seed give the same schedule.

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
import type { Outcome } from "../suite.ts";
import { type Actor, createTimeline, type Timeline } from "../timeline.ts";
import { CALM, type Weather } from "../weather.ts";
import { ANYBODY, type Books, createBooks, Violation } from "./books.ts";
import { accountsOf, collectionsOf } from "./database.ts";
import { describeExchange, describeRequest } from "./describe.ts";
import type { Plan, Step } from "./plan.ts";

/** What a schedule is run against: the ledger, and a server with all or not all of its safeguards. */
export interface Subject {
  ledgerOver: typeof ledgerOver;
  server?: ServerFaults & { dropped?: ("fence" | "ids")[] };
}

interface Process {
  actor: Actor;
  ledger: Ledger;
}

/** A call, a read or a stop that has not ended; `id` is what it wants posted, once it was asked. */
interface Call {
  actor: Actor;
  what: string;
  id?: string;
}

interface World {
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

/** @param print is given the schedule, line by line, as it happens */
export async function runSchedule(
  plan: Plan,
  subject: Subject,
  print?: (line: string) => void,
): Promise<Outcome> {
  const world = createWorld(plan, subject, print);
  current = world;
  for (const step of plan.steps) {
    world.timeline.after(step.atMs, null, () => guarded(world, () => take(world, step)));
  }
  const { timeline } = world;
  let isHealing = false;
  timeline.after(plan.steps.at(-1)?.atMs ?? 0, null, () => {
    isHealing = true;
  });
  await until(world, () => isHealing);
  if (!world.failure) await heal(world);
  current = null;
  return { violation: world.failure, events: timeline.events() };
}

/** The schedule that runs: a promise that nobody awaits fails in it. */
let current: World | null = null;
process.on("unhandledRejection", (error) => {
  if (!current) throw error;
  fail(current, error);
});

function createWorld(plan: Plan, subject: Subject, print?: (line: string) => void): World {
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

function start(world: World): void {
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
    now: () => 1_000_000 + Math.floor(timeline.now()) + skew,
    sleep,
    within: <T>(work: Promise<T>, ms: number) =>
      Promise.race<T | typeof LATE>([work, sleep(ms).then((): typeof LATE => LATE)]),
    random: () => random.next(),
  };
}

function take(world: World, step: Step): void {
  const { timeline, cluster, processes } = world;
  const one = (number: number) => processes[number % processes.length] as Process;
  switch (step.do) {
    case "post":
      post(world, one(step.process), step);
      return;
    case "read":
      void read(world, one(step.process), step.walletId);
      return;
    case "crash":
      crash(world, one(step.process));
      return;
    case "stop":
      stop(world, one(step.process));
      return;
    case "pause": {
      const { actor } = one(step.process);
      world.trace(() => `${actor.name}  stands still for ${step.ms} ms`);
      actor.pausedUntil = timeline.now() + step.ms;
      if (step.replaced) start(world);
      return;
    }
    case "elect": {
      const left = step.left.processes.map((number) => one(number).actor);
      cluster.elect(step.surviving, step.lag, [left, step.left.ms]);
      const { set } = cluster;
      world.trace(
        () => `--  election: ${set.entries()} entries, ${set.known()} of ${set.durable()} known`,
      );
      return;
    }
    case "stall":
      world.trace(() => `--  replication stands still for ${step.ms} ms`);
      cluster.stall(step.ms);
  }
}

function crash(world: World, process: Process): void {
  const { actor } = process;
  actor.alive = false;
  world.trace(() => `${actor.name}  dies`);
  for (const call of world.open) if (call.actor === actor) world.open.delete(call);
  replace(world, process);
}

function replace(world: World, process: Process): void {
  world.processes.splice(world.processes.indexOf(process), 1);
  start(world);
}

/** It is asked nothing more, ends what it has, and is gone. */
function stop(world: World, process: Process): void {
  const { actor, ledger } = process;
  const stopping: Call = { actor, what: "stop" };
  world.open.add(stopping);
  replace(world, process);
  world.timeline.after(0, actor, () => {
    world.trace(() => `${actor.name}  is to stop`);
    ledger.stop().then(
      () => {
        actor.alive = false;
        world.trace(() => `${actor.name}  has stopped`);
        for (const call of world.open) {
          if (call.actor !== actor) continue;
          world.open.delete(call);
          if (call.id) fail(world, new Violation("liveness", `a stop left ${call.what}`));
        }
      },
      (error) => fail(world, error),
    );
  });
}

function post(
  world: World,
  { actor, ledger }: Process,
  { request, deadlineMs }: Extract<Step, { do: "post" }>,
): void {
  const { books, timeline } = world;
  const asked = deadlineMs ? { ...request, deadline: deadlineOf(world, deadlineMs) } : request;
  const ask = books.ask(actor.name, asked);
  const call: Call = { actor, what: describeRequest(asked) };
  // It reaches the process like anything else: later, where that stands still; never, once it is dead.
  world.open.add(call);
  timeline.after(0, actor, () => {
    if (!world.processes.some((process) => process.actor === actor)) {
      // It is about to stop, and is asked nothing more.
      world.open.delete(call);
      return;
    }
    world.trace(() => `${actor.name}  is asked: ${call.what}`);
    const room = roomIn(world, actor);
    call.id = asked.posting.id;
    ledger.log.post(asked).then(
      (answer) => {
        world.open.delete(call);
        world.trace(
          () => `${actor.name}  answers ${asked.posting.id}: ${Object.values(answer).join(" ")}`,
        );
        guarded(world, () => books.onAnswer(ask, answer, room));
      },
      (error) => fail(world, error),
    );
  });
}

/** How many more operations a process has to take in. */
function roomIn(world: World, actor: Actor): number {
  const queued = new Set<string>();
  for (const call of world.open) if (call.actor === actor && call.id) queued.add(call.id);
  const room = world.plan.bounds.queued - queued.size;
  if (room < 0) fail(world, new Violation("bounds", `${actor.name} has ${queued.size} queued`));
  return room;
}

function deadlineOf({ timeline }: World, ms: number): number {
  return 1_000_000 + Math.floor(timeline.now()) + ms;
}

function read(world: World, { actor, ledger }: Process, walletId: string): Promise<void> {
  const { books, cluster, timeline, isHealed } = world;
  const call: Call = { actor, what: `read of ${walletId}` };
  world.open.add(call);
  return new Promise((resolve) =>
    timeline.after(0, actor, () => {
      const own = books.mustShow(actor.name, walletId);
      const all = cluster.isSettled() ? books.mustShow(ANYBODY, walletId) : 0;
      const elections = cluster.set.elections();
      ledger.reads.account(walletId).then(
        (account) => {
          world.open.delete(call);
          world.trace(
            () => `${actor.name}  reads ${walletId}: ${account?.balance} at ${account?.n}`,
          );
          const stays = elections === cluster.set.elections();
          const mustShow = stays ? Math.max(own, all) : own;
          guarded(world, () => books.onRead(actor.name, walletId, account, mustShow));
          resolve();
        },
        (error) => {
          world.open.delete(call);
          if (isHealed || !String(error).includes("connection")) fail(world, error);
          resolve();
        },
      );
    }),
  );
}

/** The weather clears; everybody who lives is heard out; then all of the books are looked at. */
async function heal(world: World): Promise<void> {
  const { processes, timeline, cluster, plan, books } = world;
  world.trace(() => "--  all heals");
  world.weather = CALM;
  world.isHealed = true;
  cluster.heal();
  for (const actor of world.actors) actor.pausedUntil = timeline.now();
  await until(world, () => world.open.size === 0);
  plan.wallets.forEach(({ id: walletId, currency }, i) => {
    const posting = { id: `end${i}`, walletId, kind: "funding", currency, amountMinor: 1 } as const;
    const process = processes[i % processes.length] as Process;
    guarded(world, () =>
      post(world, process, { atMs: 0, do: "post", process: 0, request: { posting } }),
    );
  });
  await until(world, () => world.open.size === 0);
  await finish(world, (ledger) => ledger.stop(), "stop");
  if (!world.failure) guarded(world, () => books.onEnd());
  for (const process of processes) {
    for (const { id } of plan.wallets) void read(world, process, id);
  }
  await until(world, () => world.open.size === 0);
  const { id } = plan.wallets[plan.seed % plan.wallets.length] as { id: string };
  await finish(world, (ledger) => statement(world, ledger, id), "statement");
}

/** Every process does something that has to end. */
async function finish(
  world: World,
  what: (ledger: Ledger) => Promise<void>,
  name: string,
): Promise<void> {
  for (const { actor, ledger } of world.processes) {
    const call: Call = { actor, what: name };
    world.open.add(call);
    what(ledger).then(
      () => world.open.delete(call),
      (error) => fail(world, error),
    );
  }
  await until(world, () => world.open.size === 0);
}

async function statement({ books }: World, { reads }: Ledger, walletId: string): Promise<void> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, meta } = await reads.statement(walletId, { cursor, limit: 3 });
    ids.push(...items.map((item) => item.id));
    cursor = meta.nextCursor ?? undefined;
  } while (cursor);
  const expected = books.statementOf(walletId);
  const [listed, stored] = [ids.join(), expected.join()];
  if (listed !== stored) {
    throw new Violation("statement", `${walletId} lists ${listed}, the journal has ${stored}`);
  }
}

/** Time passes until something is so; that it never becomes so is a violation of liveness. */
async function until(world: World, isSo: () => boolean): Promise<void> {
  const { timeline } = world;
  const lastMs = timeline.now() + HEALING_MS;
  if (world.failure) return;
  const isOver = () => world.failure !== null || isSo() || timeline.now() > lastMs;
  await timeline.drive(isOver, EVENTS_AT_MOST);
  if (world.failure || isSo()) return;
  const open = [...world.open].map(({ actor, what }) => `${actor.name}: ${what}`);
  fail(world, new Violation("liveness", `these never end: ${open.join("; ")}`));
}

function guarded(world: World, run: () => void): void {
  try {
    run();
  } catch (error) {
    fail(world, error);
  }
}

/** The first failure counts. What is neither a violation nor the ledger's own word is ours. */
function fail(world: World, error: unknown): void {
  if (world.failure) return;
  const rule = error instanceof Violation ? error.rule : "process died";
  const detail = error instanceof Error ? error.message : String(error);
  world.failure = { rule, detail };
  world.trace(() => `!!  ${rule}: ${detail}`);
}
