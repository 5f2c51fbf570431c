// What callers do in a schedule, and what the books are told of it.

import type { Ledger } from "../../../services/wallet-ledger/ledger.ts";
import { fail, guarded, Violation } from "../run.ts";
import type { Actor } from "../timeline.ts";
import { ANYBODY } from "./books.ts";
import { describeRequest } from "./describe.ts";
import type { Step } from "./plan.ts";
import { type Call, EPOCH_MS, type Process, type World } from "./world.ts";

/** Asks a process for a posting. */
export function post(
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
  return EPOCH_MS + Math.floor(timeline.now()) + ms;
}

/** Reads a balance from a process; ends when that has ended, however it did. */
export function read(world: World, { actor, ledger }: Process, walletId: string): Promise<void> {
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

/** Reads all pages of a statement, once nothing is posted any more. */
export async function statement(
  { books }: World,
  { reads }: Ledger,
  walletId: string,
): Promise<void> {
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
