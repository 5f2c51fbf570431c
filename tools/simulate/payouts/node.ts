// A node of a schedule: the product's own code with its own clock, database client, neighbours and
// rails. It may die or stand still at any await, and then continue with its old state.

import type { mongo } from "mongoose";
import type { Point } from "../../../services/payouts/deps.ts";
import type { Payout } from "../../../services/payouts/payout.model.ts";
import type { Clock } from "../../../shared/clock.ts";
import { PAYOUT_METHODS } from "../../../shared/config/payout-methods.ts";
import { NO_METRICS } from "../../../shared/observability/metrics.ts";
import { LOOK_EVERY_MS } from "../../../shared/resumable/due.ts";
import { assignOwners } from "../../../shared/rpc/partition-owners.ts";
import { createClient, createNetwork } from "../client.ts";
import { createClock } from "../clock.ts";
import { randomFrom } from "../random.ts";
import { guarded } from "../run.ts";
import type { Actor } from "../timeline.ts";
import { BUSINESS } from "./accounts.ts";
import { KNOWN_WITHIN_MS } from "./controls.ts";
import { describeExchange } from "./describe.ts";
import { type Neighbour, type Network, reach, type Serve } from "./network.ts";
import { BANKS } from "./plan.ts";
import { type Ask, createRail, createRails } from "./rails.ts";
import { createScreening } from "./screening.ts";
import { EPOCH_MS, type Node, type Subject, type World } from "./world.ts";

const FEE = { fixed: 25, basisPoints: 0, min: 0, max: null };
const FEES = Object.fromEntries(PAYOUT_METHODS.map((method) => [method, { USD: FEE }]));
/** The ledger has one node. */
const OWNERS = assignOwners(["ledger"]);

/** Starts one more node. */
export function start(world: World): void {
  const { plan, timeline, random, cluster, subject } = world;
  const actor: Actor = { name: `n${world.started++}`, alive: true, pausedUntil: 0 };
  const send = createNetwork({
    actor,
    timeline,
    random,
    weather: () => world.weather,
    cluster,
    onExchange: (command, reply) =>
      world.trace(() => `${actor.name}  ${describeExchange(command, reply)}`),
  });
  const client = createClient(send, { w: "majority" });
  const payouts = client.collection("payouts");
  const skewMs = Math.round((random.next() - 0.5) * plan.skewMs);
  const clock = createClock(world, actor, EPOCH_MS + skewMs);
  const asks =
    (partner: "rail" | "screening"): Ask =>
    (label, serve) =>
      asking(world, actor, partner, world.rails, () => label, serve);
  const ask = asks("rail");
  const lateMs = randomFrom(plan.seed, `controls of ${actor.name}`).next() * KNOWN_WITHIN_MS;
  const rails = createRails(world, actor, ask, world.configured);
  const deps = subject.createDeps({
    clock,
    turns: {
      everyMs: LOOK_EVERY_MS,
      isOwn: (interval) => isTurnOf(world, actor, interval) && isDueSoon(world, clock.now()),
    },
    newId: createIds(world, clock),
    payouts: payouts as unknown as mongo.Collection<Payout>,
    services: createServices(world, actor),
    controls: world.controls.knownAfter(lateMs),
    limitCounters: client.collection("payout_limit_counters") as never,
    rails,
    ...(plan.screening && { screening: createScreening(world, actor, asks("screening")) }),
    config: {
      fees: FEES as never,
      withdrawalLimit: plan.withdrawalLimit,
      declineLimit: plan.declineLimit,
    },
    unsubmittedAtMost: plan.unsubmittedAtMost,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: NO_METRICS,
    reached: (point, payout) => passPoint(world, actor, point, payout),
  });
  const configureAll = () => {
    for (const name of BANKS) {
      if (!rails.named.has(name)) rails.named.set(name, createRail(world, actor, ask, name));
    }
  };
  const node: Node = { actor, deps, clock, lateMs, payouts, configureAll };
  world.nodes.push(node);
  world.all.push(node);
  const configured = world.configured.join(", ");
  world.trace(() => `${actor.name}  starts, its clock ${skewMs} ms off, its rails ${configured}`);
  timeline.after(0, actor, () => deps.machine.start());
}

/** Makes ids of version 7 by the clock of their node. */
function createIds(world: World, clock: Clock): () => string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, "0");
  return () => {
    world.made += 1;
    const time = hex(clock.now(), 12);
    const end = hex(Math.floor(world.random.next() * 2 ** 31), 8);
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${hex(world.made, 4)}${end}`;
  };
}

function createServices(
  world: World,
  actor: Actor,
): Parameters<Subject["createDeps"]>[0]["services"] {
  const { accounts, ledger, webhooks } = world;
  const ask = <T>(neighbour: Neighbour, label: () => string, serve: Serve<T>): Promise<T> =>
    asking(world, actor, neighbour, world.network, label, serve);
  return {
    findDestinations: (requests) => ask("accounts", () => `destinations`, accounts.find(requests)),
    post: (postings) =>
      ask(
        "ledger",
        () => postings.map((each) => `${each.void ? "void of " : ""}${each.id}`).join(", "),
        ledger.post(postings),
      ),
    committed: (postings) =>
      ask(
        "ledger",
        () => `committed ${postings.map(({ id }) => id).join(", ")}`,
        ledger.committed(postings),
      ),
    owners: () => OWNERS,
    businessOf: () =>
      ask(
        "accounts",
        () => "business",
        (reply) => reply(BUSINESS),
      ),
    wallet: ({ walletId: id, businessId }) =>
      ask(
        "ledger",
        () => `wallet ${id}`,
        (reply) =>
          reply({
            id,
            businessId,
            entityId: businessId,
            currency: "USD",
            type: "SPEND",
            balance: "0.00",
            disabled: false,
            createdAt: "",
          }),
      ),
    claimToken: (claim) =>
      ask("accounts", () => `claim of a token for ${claim.payoutId}`, accounts.claim(claim)),
    releaseToken: (release) =>
      ask("accounts", () => `release of a token by ${release.payoutId}`, accounts.release(release)),
    findPayees: (accountIds) => ask("accounts", () => "payees", accounts.payees(accountIds)),
    openInstrument: () => Promise.reject(new Error("No rail here asks for it")),
    publish: (events) =>
      ask(
        "webhooks",
        () => events.map((each) => `${each.transactionId} ${each.body.status}`).join(", "),
        webhooks.publish(events),
      ),
    announce() {},
  };
}

async function asking<T>(
  world: World,
  actor: Actor,
  neighbour: Neighbour,
  network: Network,
  label: () => string,
  serve: Serve<T>,
): Promise<T> {
  const { timeline, random, outageUntil, trace } = world;
  const isUnavailable = timeline.now() < outageUntil[neighbour];
  try {
    const answer = await reach({ timeline, random, network, isUnavailable }, actor, serve);
    trace(() => `${actor.name}  ${neighbour}: ${label()} -> ${JSON.stringify(answer)}`);
    return answer;
  } catch (error) {
    trace(() => `${actor.name}  ${neighbour}: ${label()} -> ${(error as Error).message}`);
    throw error;
  }
}

const STANDSTILLS_MS = [300, 3_000, 12_000, 30_000];

/** Passes a named point, unless the node dies, stands still or throws there. */
function passPoint(
  world: World,
  actor: Actor,
  point: Point,
  { _id: id }: Payout,
): Promise<void> | undefined {
  const { random, timeline } = world;
  if (isBroken(world, point, id)) {
    guarded(world, () => world.books.onThrow(id, world.isHealed));
    throw new Error(`The step is broken at ${point}`);
  }
  const ambush = world.ambushes.find((each) => each.point === point && each.times > 0);
  if (ambush) ambush.times -= 1;
  else if (!random.chance(world.faultsAtPoints)) return;
  const ms = ambush ? ambush.ms : random.pick([null, ...STANDSTILLS_MS]);
  if (ms === null) {
    world.trace(() => `${actor.name}  dies at ${point} of ${id}`);
    timeline.after(0, null, () => crash(world, actor));
    return new Promise(() => {});
  }
  if (ambush?.isWhole ?? random.chance(0.5)) actor.pausedUntil = timeline.now() + ms;
  world.trace(() => `${actor.name}  stands still for ${ms} ms at ${point} of ${id}`);
  return new Promise((resolve) => timeline.after(ms, actor, resolve));
}

/** Whether a step of this payout throws at this point, until some time after the healing. */
function isBroken({ plan, timeline, brokenUntil }: World, point: Point, id: string): boolean {
  if (plan.broken?.point !== point || timeline.now() >= brokenUntil) return false;
  return Number.parseInt(id.slice(-1), 16) % 2 === 0;
}

/** Kills a node and starts another one. */
export function crash(world: World, actor: Actor): void {
  if (!actor.alive) return;
  actor.alive = false;
  world.trace(() => `${actor.name}  dies`);
  for (const each of world.open) if (each.actor === actor) world.open.delete(each);
  replace(world, actor);
}

export function replace(world: World, actor: Actor): void {
  const at = world.nodes.findIndex((node) => node.actor === actor);
  if (at < 0) return;
  world.nodes.splice(at, 1);
  start(world);
}

/** Whether it is the turn of a node among the present ones; always if it was replaced. */
function isTurnOf({ nodes }: World, actor: Actor, interval: number): boolean {
  const place = nodes.findIndex((node) => node.actor === actor);
  return place < 0 || interval % nodes.length === place;
}

const SOON_MS = 60_000;

/** Whether a payout is due soon. Looks that would find nothing are left out. */
function isDueSoon({ cluster }: World, now: number): boolean {
  const payouts = cluster.set.newest.get("payouts")?.values() ?? [];
  return payouts.some((doc) => {
    const { nextAttemptAt = Infinity } = doc as unknown as Payout;
    return nextAttemptAt <= now + SOON_MS;
  });
}
