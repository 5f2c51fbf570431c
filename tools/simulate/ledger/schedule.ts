// Runs one schedule of the ledger: requests and faults, and then healing. During healing all live
// processes finish their work, and nothing may be left behind. The same plan and seed give the same
// schedule.

import type { Ledger } from "../../../services/wallet-ledger/ledger.ts";
import { fail, guarded, perform, until, Violation } from "../run.ts";
import type { Outcome } from "../suite.ts";
import { CALM } from "../weather.ts";
import { onceOpen, open, post, read, statement } from "./calls.ts";
import type { Plan, Step } from "./plan.ts";
import { start } from "./process.ts";
import { areTransfersOver, askForTransfer, verifyTransfers } from "./transfers.ts";
import { type Call, createWorld, type Process, type Subject, type World } from "./world.ts";

/** @param print is called with each line of the schedule as it happens */
export async function runSchedule(
  plan: Plan,
  subject: Subject,
  print?: (line: string) => void,
): Promise<Outcome> {
  const world = createWorld(plan, subject, print);
  for (let i = 0; i < plan.processes; i++) start(world);
  for (const step of plan.steps) {
    world.timeline.after(step.atMs, null, () => guarded(world, () => take(world, step)));
  }
  const { timeline } = world;
  let isHealing = false;
  timeline.after(plan.steps.at(-1)?.atMs ?? 0, null, () => {
    isHealing = true;
  });
  await perform(world, async () => {
    await until(world, () => isHealing);
    if (!world.failure) await heal(world);
  });
  return { violation: world.failure, events: timeline.events() };
}

function take(world: World, step: Step): void {
  const { timeline, cluster, processes } = world;
  const one = (number: number) => processes[number % processes.length] as Process;
  switch (step.do) {
    case "post":
      onceOpen(world, step.request.posting.walletId, () => post(world, one(step.process), step));
      return;
    case "transfer":
      askForTransfer(world, one(step.process), step);
      return;
    case "open":
      open(world, one(step.process), step.walletId);
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

const STOPPED_WITHIN_MS = 10_000;

/** Stops a process: it takes no more requests, ends its work, and dies. */
function stop(world: World, process: Process): void {
  const { actor, ledger, transfers } = process;
  const stopping: Call = { actor, label: "stop" };
  world.open.add(stopping);
  replace(world, process);
  world.timeline.after(0, actor, () => {
    world.trace(() => `${actor.name}  is to stop`);
    const stopped = transfers.machine.stop(STOPPED_WITHIN_MS).then(() => ledger.stop());
    stopped.then(
      () => {
        actor.alive = false;
        world.trace(() => `${actor.name}  has stopped`);
        for (const call of world.open) {
          if (call.actor !== actor) continue;
          world.open.delete(call);
          const isLost = call.id && !call.isDriven;
          if (isLost) fail(world, new Violation("liveness", `a stop left ${call.label}`));
        }
      },
      (error) => fail(world, error),
    );
  });
}

/** Ends the faults, lets all live processes finish, and checks all of the books. */
async function heal(world: World): Promise<void> {
  const { processes, timeline, cluster, plan, books } = world;
  world.trace(() => "--  all heals");
  world.weather = CALM;
  world.isHealed = true;
  cluster.heal();
  for (const actor of world.actors) timeline.resume(actor);
  await until(world, () => world.open.size === 0);
  // A process that died sent its caller no answer, so the caller asks another process.
  plan.wallets.forEach(({ id }, i) => {
    if (!world.opened.has(id)) open(world, processes[i % processes.length] as Process, id);
  });
  await until(world, () => world.open.size === 0 && world.waiting.size === 0);
  plan.wallets.forEach(({ id: walletId, currency }, i) => {
    const posting = { id: `end${i}`, walletId, kind: "funding", currency, amountMinor: 1 } as const;
    const process = processes[i % processes.length] as Process;
    guarded(world, () =>
      post(world, process, { atMs: 0, do: "post", process: 0, request: { posting } }),
    );
  });
  await until(world, () => world.open.size === 0 && areTransfersOver(world));
  await finish(world, (ledger) => ledger.stop(), "stop");
  if (!world.failure) guarded(world, () => books.onEnd());
  if (!world.failure) guarded(world, () => verifyTransfers(world));
  for (const process of processes) {
    for (const { id } of plan.wallets) void read(world, process, id);
  }
  await until(world, () => world.open.size === 0);
  const { id } = plan.wallets[plan.seed % plan.wallets.length] as { id: string };
  await finish(world, (ledger) => statement(world, ledger, id), "statement");
}

/** Runs work on every process that must end. */
async function finish(
  world: World,
  work: (ledger: Ledger) => Promise<void>,
  name: string,
): Promise<void> {
  for (const { actor, ledger } of world.processes) {
    const call: Call = { actor, label: name };
    world.open.add(call);
    work(ledger).then(
      () => world.open.delete(call),
      (error) => fail(world, error),
    );
  }
  await until(world, () => world.open.size === 0);
}
