// One schedule of payouts: withdrawals, the planned faults, and then healing: every live node
// finishes its work, every payout ends, and no outbox keeps an event. The same plan and seed give
// the same schedule.

import { guarded, perform, until } from "../run.ts";
import type { Outcome } from "../suite.ts";
import { BUSINESS, entityName, newWallet } from "./accounts.ts";
import { heal } from "./heal.ts";
import { crash, replace, start } from "./node.ts";
import type { Plan, Step } from "./plan.ts";
import { ASKED, withdraw } from "./requests.ts";
import { createWorld, type Node, type Subject, type World } from "./world.ts";

/** @param print is called with each line of the schedule as it happens */
export async function runSchedule(
  plan: Plan,
  subject: Subject,
  print?: (line: string) => void,
): Promise<Outcome> {
  const world = createWorld(plan, subject, print);
  for (let i = 0; i < plan.nodes; i++) start(world);
  const { timeline } = world;
  for (const step of plan.steps) {
    timeline.after(step.atMs, null, () => guarded(world, () => take(world, step)));
  }
  let isHealing = false;
  timeline.after((plan.steps.at(-1)?.atMs ?? 0) + AFTERMATH_MS, null, () => {
    isHealing = true;
  });
  await perform(world, async () => {
    await until(world, () => isHealing);
    if (!world.failure) await heal(world);
  });
  return { violation: world.failure, events: timeline.events() };
}

/** The time for which faults continue after the last step. */
const AFTERMATH_MS = 10_000;

function take(world: World, step: Step): void {
  const { timeline, cluster, nodes } = world;
  const one = (number: number) => nodes[number % nodes.length] as Node;
  switch (step.do) {
    case "withdraw":
      withdraw(world, one(step.node), step);
      return;
    case "cancel":
    case "push":
    case "flag":
    case "resolve":
    case "review": {
      const id = world.ids.at(-1 - step.payout);
      if (id !== undefined) ASKED[step.do](world, one(step.node), id);
      return;
    }
    case "disable":
      world.ledger.disable(newWallet(step.entity), step.disabled);
      return;
    case "stop":
      stop(world, step);
      return;
    case "limit":
      world.trace(() => `--  limits: ${JSON.stringify(step.limits)}`);
      world.controls.limit(step.limits);
      return;
    case "crash":
      crash(world, one(step.node).actor);
      return;
    case "reconfigure":
      world.configured = step.rails;
      crash(world, one(step.node).actor);
      return;
    case "pause": {
      const { actor } = one(step.node);
      world.trace(() => `${actor.name}  stands still for ${step.ms} ms`);
      actor.pausedUntil = timeline.now() + step.ms;
      if (step.replaced) replace(world, actor);
      return;
    }
    case "elect": {
      const left = step.left.nodes.map((number) => one(number).actor);
      cluster.elect(step.surviving, step.lag, [left, step.left.ms]);
      world.trace(() => `--  election: ${cluster.set.entries()} entries`);
      return;
    }
    case "stall":
      world.trace(() => `--  replication stands still for ${step.ms} ms`);
      cluster.stall(step.ms);
      return;
    case "outage":
      world.trace(() => `--  ${step.neighbour} is unavailable for ${step.ms} ms`);
      world.outageUntil[step.neighbour] = timeline.now() + step.ms;
  }
}

function stop(world: World, { what, entity, isStopped }: Extract<Step, { do: "stop" }>): void {
  const ids = { business: BUSINESS, wallet: newWallet(entity), person: entityName(entity) };
  world.trace(() => `--  ${ids[what]} is ${isStopped ? "stopped" : "released"}`);
  world.controls.stop(ids[what], isStopped);
}
