// The end of a schedule: the faults stop, all live nodes finish their work, every payout ends, and
// the books are checked as a whole.

import { guarded, until } from "../run.ts";
import { CALM } from "../weather.ts";
import { CALM_NETWORK, LATE_NETWORK } from "./network.ts";
import { BANKS, SOUND_MODULES, type Withdrawal } from "./plan.ts";
import { ASKED, withdraw } from "./requests.ts";
import type { Node, World } from "./world.ts";

/**
 * The time after the healing in which rails may answer late. A payout that waits longer is answered
 * in time.
 */
const LATE_MS = 600_000;

/** Stops the faults, lets every live node finish its work, and checks the books as a whole. */
export async function heal(world: World): Promise<void> {
  const { plan, timeline, cluster, banks, books, nodes } = world;
  const healedAt = timeline.now();
  world.trace(() => "--  all heals");
  world.weather = CALM;
  // Late neighbours too, so that a rail's late answer may find a payout on its way back.
  world.network = plan.lateAtTheEnd ? LATE_NETWORK : CALM_NETWORK;
  world.rails = world.network;
  timeline.after(LATE_MS, null, () => {
    world.rails = CALM_NETWORK;
  });
  world.modules = SOUND_MODULES;
  world.unseen = 0;
  world.configured = BANKS;
  world.brokenUntil = healedAt + (plan.broken?.ms ?? 0);
  world.outageUntil = { ledger: 0, accounts: 0, webhooks: 0, rail: 0, screening: 0 };
  world.ambushes = [];
  world.faultsAtPoints = 0;
  world.isHealed = true;
  for (const bank of banks.values()) bank.heal();
  cluster.heal();
  world.controls.heal();
  for (const node of world.all) {
    timeline.resume(node.actor);
    node.configureAll();
  }
  if (plan.lateAtTheEnd) pushAll(world);
  decideHeld(world);
  await rest(world);
  world.network = CALM_NETWORK;
  // No driver of a push waits for a late answer any more, and no repeat for a slow request and its
  // slow reply.
  const pushedAt = healedAt + PUSHES_WITHIN_MS + PUSHED_AGAIN_WITHIN_MS;
  const quietAt = Math.max(pushedAt, timeline.now()) + LATE_NETWORK.timeoutMs;
  await until(world, () => timeline.now() >= quietAt);
  repeatAll(world);
  await rest(world);
  for (const id of books.flagged()) ASKED.resolve(world, nodes[0] as Node, id);
  await rest(world);
  if (!world.failure) guarded(world, () => books.onEnd());
}

/** Has an admin decide, now and then, about what a bank has a problem with or the screening holds. */
function decideHeld(world: World): void {
  const { timeline, ids, nodes, random, books } = world;
  for (const id of ids) {
    if (books.waitsForPerson(id)) ASKED.review(world, random.pick(nodes), id);
    if (world.isHeld(id)) ASKED.resolve(world, random.pick(nodes), id);
  }
  timeline.after(DECIDED_EVERY_MS, null, () => decideHeld(world));
}

const DECIDED_EVERY_MS = 120_000;

/** Repeats every request with a key or a reference: what was debited for it is answered. */
function repeatAll(world: World): void {
  const { plan, random, nodes } = world;
  const byNames = new Map<string, Withdrawal>();
  for (const step of plan.steps) {
    if (step.do !== "withdraw" || (step.key ?? step.reference) === undefined) continue;
    byNames.set(`${step.key} ${step.reference}`, step);
  }
  for (const { waitsMs: _, ...asked } of byNames.values()) {
    withdraw(world, random.pick(nodes), asked, true);
  }
}

/**
 * Makes the rails push half of the payments, each push twice, so that a driver that is asking loses
 * to the second one. A push has a payout asked about that no node would ask about by itself.
 */
function pushAll(world: World): void {
  const { timeline, random, ids, nodes } = world;
  for (const id of ids.filter(() => random.chance(0.5))) {
    for (let i = 0; i < PUSHES; i++) {
      const firstMs = random.next() * PUSHES_WITHIN_MS;
      for (const ms of [firstMs, firstMs + 500 + random.next() * (PUSHED_AGAIN_WITHIN_MS - 500)]) {
        timeline.after(ms, null, () => ASKED.push(world, random.pick(nodes), id));
      }
    }
  }
}

const PUSHES = 3;
const PUSHES_WITHIN_MS = 60_000;
const PUSHED_AGAIN_WITHIN_MS = 3_500;

/** Waits until all unfinished work has ended. */
async function rest(world: World): Promise<void> {
  const { books, cluster } = world;
  await until(world, () => world.open.size === 0);
  const restless = () => books.restless();
  await until(world, () => cluster.isSettled() && restless().length === 0, restless);
}
