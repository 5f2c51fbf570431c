// One schedule of payouts: withdrawals, everything that goes wrong, and then healing: whoever lives is
// heard out, every payout ends, and nothing is left in an outbox. The same plan and seed give the same
// schedule.

import type { Payout } from "../../../services/payouts/payout.model.ts";
import { MAJORITY } from "../../../shared/database.ts";
import { fail as failWith, typeOf } from "../../../shared/errors.ts";
import { guarded, type Open, perform, until } from "../run.ts";
import type { Outcome } from "../suite.ts";
import { CALM } from "../weather.ts";
import { accountName, entityName, tokenName, walletOf } from "./accounts.ts";
import { CALM_NETWORK, LATE_NETWORK } from "./network.ts";
import { crash, replace, start } from "./node.ts";
import type { Plan, Step, Withdrawal } from "./plan.ts";
import { BANKS, SOUND_MODULES } from "./rails.ts";
import { createWorld, EPOCH_MS, type Node, type Subject, type World } from "./world.ts";

/** @param print is given the schedule, line by line, as it happens */
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

/** How long things go on going wrong after the last step. */
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
    case "resolve": {
      const id = world.ids.at(-1 - step.payout);
      if (id !== undefined) ASKED[step.do](world, one(step.node), id);
      return;
    }
    case "disable":
      world.ledger.disable(walletOf(step.entity), step.disabled);
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
    case "away":
      world.trace(() => `--  ${step.who} is away for ${step.ms} ms`);
      world.awayUntil[step.who] = timeline.now() + step.ms;
  }
}

/** Something is asked of a node; it gets there like anything else: later, or never. */
function ask<T>(
  world: World,
  { actor }: Node,
  what: string,
  work: () => Promise<T>,
  onAnswer: (answer: { value: T } | { error: unknown }) => void,
): void {
  const call: Open = { actor, what };
  world.open.add(call);
  world.timeline.after(0, actor, () => {
    world.trace(() => `${actor.name}  is asked: ${what}`);
    const end = (answer: { value: T } | { error: unknown }) => {
      world.open.delete(call);
      world.trace(() => `${actor.name}  answers ${what}: ${told(answer)}`);
      guarded(world, () => onAnswer(answer));
    };
    work().then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
  });
}

function told(answer: { value: unknown } | { error: unknown }): string {
  return "value" in answer ? "yes" : String(typeOf(answer.error) ?? answer.error);
}

function withdraw(
  world: World,
  node: Node,
  { entity, method, amountMinor, token, waitsMs }: Withdrawal,
): void {
  const { subject, books, timeline } = world;
  const isCard = method === "PUSH_TO_CARD";
  const body = {
    amount: amountMinor / 100,
    walletType: "SPEND",
    reason: "Payout",
    ...(!isCard && { routingType: method }),
  };
  const params = {
    currency: "USD",
    linkedAccountId: accountName(entity, method),
    ...(token !== undefined && { applicationToken: tokenName(token) }),
    body,
  };
  const deadline = waitsMs && EPOCH_MS + Math.floor(timeline.now()) + waitsMs;
  let id = "";
  const work = () => {
    // The first id that is made is the payout's.
    const newId = () => {
      const next = node.deps.newId();
      if (id === "") {
        id = next;
        world.ids.push(id);
      }
      return next;
    };
    const actor = { sub: entityName(entity), role: "user" as const };
    return subject.withdraw({ ...node.deps, newId }, { actor, params, deadline });
  };
  ask(world, node, `${method} of ${amountMinor} for ${entityName(entity)}`, work, (answer) => {
    if ("value" in answer) books.onAccepting(id, answer.value.id);
    else books.onRefusing(id, typeOf(answer.error));
  });
}

type Asking = (world: World, node: Node, id: string) => void;

/** What the service's handlers do. */
const ASKED: { [what in "cancel" | "push" | "flag" | "resolve"]: Asking } = {
  cancel(world, node, id) {
    const filter = { _id: id, visible: true };
    const find = async () =>
      ((await node.payouts.findOne(filter, MAJORITY)) as Payout | null) ??
      failWith("TRANSACTION_NOT_FOUND");
    const work = () => world.subject.cancel(node.deps, find);
    ask(world, node, `cancel of ${id}`, work, (answer) => {
      if ("value" in answer) world.books.onCancelled(id);
    });
  },

  push(world, node, id) {
    const work = async () => {
      const payout = (await node.payouts.findOne({ _id: id }, MAJORITY)) as Payout | null;
      if (payout) await world.subject.askNow(node.deps, { id, method: payout.method });
    };
    ask(world, node, `push for ${id}`, work, () => {});
  },

  /** It has been unknown for a day, in which it was submitted again and again. */
  flag(world, node, id) {
    const work = async () => {
      const payout = (await node.payouts.findOne({ _id: id }, MAJORITY)) as Payout | null;
      if (payout?.step !== "submitting" && payout?.step !== "settle") return;
      const next = Math.max(0, (payout.nextAttemptAt ?? 0) - node.clock.now());
      await node.deps.machine.transition(payout, { set: { needsAttention: true }, next });
    };
    ask(world, node, `flag of ${id}`, work, () => {});
  },

  /** An admin who has asked the banks; of what they never heard of a submit may be under way. */
  resolve(world, node, id) {
    const state = world.bankState(id);
    const outcome = state === "settled" ? "SUCCESS" : "FAILED";
    if (state === "accepted") return;
    const work = async () => {
      const payout = await node.payouts.findOne({ _id: id, visible: true }, MAJORITY);
      const found = (payout as Payout | null) ?? failWith("TRANSACTION_NOT_FOUND");
      return world.subject.resolve(node.deps, found, { outcome, by: "admin" });
    };
    ask(world, node, `resolve of ${id}: ${outcome}`, work, () => {});
  },
};

/** How long rails may answer late after all has healed: what waits long is not late for ever. */
const LATE_MS = 600_000;

/** The weather clears; everybody who lives is heard out; then all of the books are looked at. */
async function heal(world: World): Promise<void> {
  const { plan, timeline, cluster, banks, books, nodes } = world;
  world.trace(() => "--  all heals");
  world.weather = CALM;
  world.network = CALM_NETWORK;
  world.rails = plan.lateAtTheEnd ? LATE_NETWORK : CALM_NETWORK;
  timeline.after(LATE_MS, null, () => {
    world.rails = CALM_NETWORK;
  });
  world.modules = SOUND_MODULES;
  world.unseen = 0;
  world.configured = BANKS;
  world.brokenUntil = timeline.now() + (plan.broken?.ms ?? 0);
  world.awayUntil = { ledger: 0, accounts: 0, webhooks: 0, rail: 0 };
  world.ambushes = [];
  world.faultsAtPoints = 0;
  world.isHealed = true;
  for (const bank of banks.values()) bank.heal();
  cluster.heal();
  for (const node of world.all) {
    node.actor.pausedUntil = timeline.now();
    node.configureAll();
  }
  if (plan.lateAtTheEnd) pushAll(world);
  await rest(world);
  for (const id of books.flagged()) ASKED.resolve(world, nodes[0] as Node, id);
  await rest(world);
  if (!world.failure) guarded(world, () => books.onEnd());
}

/** Rails push all that they have, twice, so that a driver who is asking loses to the second push. */
function pushAll(world: World): void {
  const { timeline, random, ids, nodes } = world;
  for (const id of ids) {
    for (let i = 0; i < PUSHES; i++) {
      const firstMs = random.next() * PUSHES_WITHIN_MS;
      for (const ms of [firstMs, firstMs + 500 + random.next() * 3_000]) {
        timeline.after(ms, null, () => ASKED.push(world, random.pick(nodes), id));
      }
    }
  }
}

const PUSHES = 3;
const PUSHES_WITHIN_MS = 60_000;

/** Everything ends that was begun. */
async function rest(world: World): Promise<void> {
  const { books, cluster } = world;
  await until(world, () => world.open.size === 0);
  const restless = () => books.restless();
  await until(world, () => cluster.isSettled() && restless().length === 0, restless);
}
