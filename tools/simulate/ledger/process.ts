// A process of a schedule: the product's own code with its own clock and database client.

import type { mongo } from "mongoose";
import type { Block } from "../../../services/wallet-ledger/journal.model.ts";
import type { Collections } from "../../../services/wallet-ledger/store.ts";
import { createClient, createNetwork, type Send } from "../client.ts";
import { createClock } from "../clock.ts";
import type { Command, Reply } from "../cluster.ts";
import { fail, Violation } from "../run.ts";
import type { Actor } from "../timeline.ts";
import { describeExchange } from "./describe.ts";
import { createTransfers } from "./transfers.ts";
import { EPOCH_MS, type World } from "./world.ts";

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
