// The requests of callers in a schedule, and their reports to the books.

import type { mongo } from "mongoose";
import type { Ledger } from "../../../services/wallet-ledger/ledger.ts";
import type { Request } from "../../../services/wallet-ledger/queue.ts";
import { runInsert } from "../../../shared/storage/commands.ts";
import type { Doc } from "../query.ts";
import { fail, guarded, Violation } from "../run.ts";
import type { Actor } from "../timeline.ts";
import { ANY_PROCESS } from "./books.ts";
import { newWallet } from "./database.ts";
import { describeRequest } from "./describe.ts";
import type { Step } from "./plan.ts";
import { type Call, EPOCH_MS, type Process, type World } from "./world.ts";

const ASK_AGAIN_AFTER_MS = 50;
const LOOK_AGAIN_AFTER_MS = 10;

/**
 * Opens a wallet as wallets.ts does: the process inserts it with majority, and reports it after the
 * insert is acknowledged or a majority read shows the wallet. Then the requests that wait for the
 * wallet are sent, each after a random delay.
 */
export function open(world: World, process: Process, walletId: string): void {
  const { books, plan, random, timeline } = world;
  const { actor } = process;
  const call: Call = { actor, label: `opening of ${walletId}` };
  const wallet = plan.wallets.find(({ id }) => id === walletId) as (typeof plan.wallets)[number];
  world.open.add(call);
  timeline.after(0, actor, () => {
    insertAccount(process, newWallet(plan, wallet) as unknown as Doc).then(
      () => {
        world.open.delete(call);
        world.trace(() => `${actor.name}  has opened ${walletId}`);
        world.opened.add(walletId);
        books.onOpened(walletId);
        const waiting = world.waiting.get(walletId) ?? [];
        for (const ask of waiting) {
          timeline.after(random.next() * ASK_AGAIN_AFTER_MS, null, () => guarded(world, ask));
        }
        timeline.after(ASK_AGAIN_AFTER_MS, null, () => world.waiting.delete(walletId));
      },
      (error) => fail(world, error),
    );
  });
}

async function insertAccount({ accounts, clock }: Process, account: Doc): Promise<void> {
  const documents = accounts as unknown as mongo.Collection<Doc>;
  const insert = async () => (await runInsert(documents, [{ ...account }])).length === 0;
  const isShown = async () => {
    const filter = { _id: account._id };
    return (await accounts.findOne(filter, { readConcern: { level: "majority" } })) !== null;
  };
  for (;;) {
    const isStored = (await insert().catch(() => false)) || (await isShown().catch(() => false));
    if (isStored) return;
    await clock.sleep(LOOK_AGAIN_AFTER_MS);
  }
}

/** Sends a request for a wallet: now, or after the wallet was reported as open. */
export function onceOpen(
  { opened, plan, waiting }: World,
  walletId: string,
  ask: () => void,
): void {
  const isAwaited = plan.wallets.some(({ id }) => id === walletId) && !opened.has(walletId);
  if (isAwaited) waiting.set(walletId, [...(waiting.get(walletId) ?? []), ask]);
  else ask();
}

/**
 * Sends a posting to a process. After an unknown outcome it sends the posting again, as every
 * caller does.
 */
export function post(
  world: World,
  { actor, ledger }: Process,
  { request, deadlineMs }: Extract<Step, { do: "post" }>,
): void {
  const { books, timeline } = world;
  const asked = deadlineMs ? { ...request, deadline: drawDeadline(world, deadlineMs) } : request;
  const ask = books.ask(actor.name, asked);
  const call: Call = { actor, label: describeRequest(asked) };
  // The request reaches the process like any other event: late if the process stands still, never
  // if it is dead.
  world.open.add(call);
  timeline.after(0, actor, () => {
    if (!world.processes.some((process) => process.actor === actor)) {
      // The process is stopping and takes no more requests.
      world.open.delete(call);
      return;
    }
    world.trace(() => `${actor.name}  is asked: ${call.label}`);
    const room = roomIn(world, actor);
    call.id = asked.posting.id;
    ledger.log.post(asked).then(
      (answer) => {
        world.open.delete(call);
        world.trace(
          () => `${actor.name}  answers ${asked.posting.id}: ${Object.values(answer).join(" ")}`,
        );
        guarded(world, () => books.onAnswer(ask, answer, room));
        const isUnknown = answer.outcome === "failed" && answer.reason === "unknown";
        if (isUnknown && world.opened.has(asked.posting.walletId)) askAgain(world, request);
      },
      (error) => fail(world, error),
    );
  });
}

function askAgain(world: World, request: Request): void {
  const { processes, random, timeline } = world;
  const process = random.pick(processes);
  const call: Call = { actor: process.actor, label: `${request.posting.id} is asked again` };
  world.open.add(call);
  timeline.after(ASK_AGAIN_AFTER_MS, null, () => {
    if (!world.open.delete(call)) return;
    const again = {
      atMs: 0,
      do: "post" as const,
      process: 0,
      request: { ...request, retry: true },
    };
    guarded(world, () => post(world, process, again));
  });
}

/** The number of operations that a process can still queue. */
export function roomIn(world: World, actor: Actor): number {
  const queued = new Set<string>();
  for (const call of world.open) if (call.actor === actor && call.id) queued.add(call.id);
  const room = world.plan.bounds.queued - queued.size;
  if (room < 0) fail(world, new Violation("bounds", `${actor.name} has ${queued.size} queued`));
  return room;
}

function drawDeadline({ timeline }: World, ms: number): number {
  return EPOCH_MS + Math.floor(timeline.now()) + ms;
}

/** Reads a balance from a process; resolves after the read has ended or failed. */
export function read(world: World, { actor, ledger }: Process, walletId: string): Promise<void> {
  const { books, cluster, timeline, isHealed } = world;
  const call: Call = { actor, label: `read of ${walletId}` };
  world.open.add(call);
  return new Promise((resolve) =>
    timeline.after(0, actor, () => {
      const own = books.mustShow(actor.name, walletId);
      const all = cluster.isSettled() ? books.mustShow(ANY_PROCESS, walletId) : own;
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

/** Reads all pages of a statement, after the last posting. */
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
  const expected = books.listStatement(walletId);
  const [listed, stored] = [ids.join(), expected.join()];
  if (listed !== stored) {
    throw new Violation("statement", `${walletId} lists ${listed}, the journal has ${stored}`);
  }
}
