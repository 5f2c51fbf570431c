// The block log: the only code that commits money.
//
// The journal is a chain of blocks for each partition; a balance is the sum of its wallet's legs in it.
// What always holds, and why:
//  - A block is committed by one insert with w: majority, j: true, whole or not at all, and an answer is
//    given when it is, never before. Less than a majority could be rolled back by an election, less
//    than the disk's journal by a power cut: both would take back what somebody was told.
//  - The fence: {p, n} is unique, so of two processes that build block n on the same tip one is
//    refused, catches up and decides anew on what it then knows. Nobody owns a partition.
//  - The ids: {p, transfers.id} is unique, so a posting is decided once, whoever asks how often.
//    Declines are journalled too: asked again, the answer is the same.
//  - One append is in flight for each process, with one block for each partition that has work.
//    What is asked for meanwhile is the next append: that is where the speed comes from.
//  - An operation stays queued until its id is seen in a durable block. A block that was refused or
//    whose fate is not known leaves them queued: catch up, look the ids up, decide anew. Deciding
//    anew is safe because a block that was stored after all takes the number or the id.
//  - What is folded was read with majority concern, or acknowledged by one: nothing is decided on what
//    can be rolled back. Reads are causal, so that what is read second is not older (store.ts).
//  - Balances behind the journal are brought after by checkpoint.ts, with the same concerns, because a
//    watermark tells everybody not to read the blocks below it. Nothing here waits for it.
// partition.ts has the rules of the fold, docs/ledger.md the whole protocol.

import type { Clock } from "../../shared/clock.ts";
import type { Block } from "./journal.model.ts";
import {
  broughtUp,
  buildBlock,
  type CacheBounds,
  fold,
  jump,
  type Partition,
  partitionAt,
  trimCaches,
} from "./partition.ts";
import { payloadHashOf } from "./postings.ts";
import {
  type Answer,
  answerOf,
  createQueue,
  failed,
  type Lane,
  type Operation,
  type Request,
} from "./queue.ts";
import type { Store } from "./store.ts";

export interface BlockLogBounds extends CacheBounds {
  /** Operations that may wait in one process; more are refused at once. */
  queued: number;
  transfersPerBlock: number;
  /** Blocks of a partition that wait for their checkpoint; at more of them its postings wait too. */
  tail: number;
  /** Blocks behind the watermark from which on a jump is cheaper than reading them. */
  jumpAfter: number;
}

export const DEFAULT_BOUNDS: BlockLogBounds = {
  accounts: 10_000,
  decided: 10_000,
  queued: 50_000,
  transfersPerBlock: 1_000,
  tail: 1_000,
  jumpAfter: 1_000,
};

export interface BlockLog {
  post(request: Request): Promise<Answer>;
  /** Waits until nothing is queued or in flight. */
  idle(): Promise<void>;
}

const BLOCKS_PER_READ = 100;
const TAIL_WAIT_MS = 50;
const BACKOFF_MS = { first: 20, most: 1_000 };

/**
 * @param partitions the folds of this process, shared with the checkpoints; opened here when needed
 * @param onFolded is told of every partition that folded blocks, so that it is checkpointed
 */
export function createBlockLog({
  store,
  clock,
  partitions,
  partitionOf,
  onFolded,
  bounds = DEFAULT_BOUNDS,
}: {
  store: Store;
  clock: Clock;
  partitions: Map<number, Partition>;
  partitionOf: (walletId: string) => number;
  onFolded: () => void;
  bounds?: BlockLogBounds;
}): BlockLog {
  const queue = createQueue(bounds.queued);
  const { settle } = queue;
  let running: Promise<void> | null = null;

  function post(request: Request): Promise<Answer> {
    const { posting } = request;
    const payloadHash = payloadHashOf(posting);
    const p = partitionOf(posting.walletId);
    const decided = partitions.get(p)?.decided.get(posting.id);
    if (decided) return Promise.resolve(answerOf(decided, payloadHash));
    const answer = queue.add(p, request, payloadHash);
    running ??= run();
    return answer;
  }

  /** Appends until nothing is queued. */
  async function run(): Promise<void> {
    // A microtask later, so that what is asked for in one go travels in one append.
    await Promise.resolve();
    while (queue.size() > 0) {
      const due = queue.waiting();
      const ready = due.filter((lane) => lane.resumeAt <= clock.now());
      if (ready.length === 0) {
        const resumeAt = Math.min(...due.map((lane) => lane.resumeAt));
        await clock.sleep(Math.max(1, resumeAt - clock.now()));
      } else {
        await append(ready);
      }
    }
    running = null;
  }

  async function append(ready: Lane[]): Promise<void> {
    const chosen = await Promise.all(ready.map(prepare));
    const at = clock.now();
    const attempts = ready.flatMap((lane, i) => {
      const operations = chosen[i] as Operation[];
      const partition = partitions.get(lane.p);
      if (!partition || operations.length === 0) return [];
      return [{ lane, partition, block: buildBlock(partition, operations, at) }];
    });
    if (attempts.length === 0) return;
    const appended = await store.appendBlocks(attempts.map(({ block }) => block));
    attempts.forEach(({ lane, partition, block }, i) => {
      switch (appended[i] as (typeof appended)[number]) {
        case "committed":
          lane.failures = 0;
          take(lane, partition, [block]);
          break;
        case "rejected":
          reject(lane, block);
          break;
        case "refused":
        case "unknown":
          // Nothing is known but that this tip may be old and these ids may be taken.
          lane.behind = true;
          for (const { id } of block.transfers) {
            const operation = lane.operations.get(id);
            if (operation) operation.retry = true;
          }
          if (appended[i] === "unknown" || lane.failures > 0) backOff(lane);
          lane.failures += 1;
      }
    });
  }

  /**
   * One of a block's operations can never be stored. Of the others another process may have stored
   * some, so they are no failures: from here on one goes at a time, until the one is found.
   */
  function reject(lane: Lane, { transfers: [first, ...others] }: Block): void {
    if (first && others.length === 0) queue.reject(lane, first.id);
    lane.oneAtATime = others.length > 0;
  }

  function backOff(lane: Lane): void {
    const wait = Math.min(BACKOFF_MS.first * 2 ** Math.min(lane.failures, 10), BACKOFF_MS.most);
    lane.resumeAt = clock.now() + wait * (0.5 + clock.random() / 2);
  }

  /** Folds durable blocks and answers whoever waits for what they decided. */
  function take(lane: Lane, partition: Partition, blocks: Block[]): void {
    for (const block of blocks) {
      fold(partition, block);
      for (const transfer of block.transfers) {
        settle(lane, transfer.id, (payloadHash) => answerOf(transfer, payloadHash));
      }
    }
    trimCaches(partition, bounds);
    if (blocks.length > 0) onFolded();
  }

  /** Brings a lane to where it can be decided; the operations that the next block takes. */
  async function prepare(lane: Lane): Promise<Operation[]> {
    try {
      queue.dropOverdue(lane, clock.now());
      const partition = partitions.get(lane.p) ?? (await open(lane));
      if (partition.tail.length >= bounds.tail) {
        // Checkpoints have fallen behind: what they are to write stays bounded.
        lane.resumeAt = clock.now() + TAIL_WAIT_MS;
        return [];
      }
      if (lane.behind) await catchUp(lane, partition);
      const next = firstOf(lane.operations, lane.oneAtATime ? 1 : bounds.transfersPerBlock);
      await lookUp(lane, partition, next);
      const undecided = next.filter(({ posting }) => lane.operations.has(posting.id));
      await loadFor(partition, undecided);
      return undecided.filter((operation) => isPostable(lane, partition, operation));
    } catch {
      // The database did not answer: nothing is decided, all stay queued.
      backOff(lane);
      lane.failures += 1;
      return [];
    }
  }

  async function open(lane: Lane): Promise<Partition> {
    const partition = partitionAt(lane.p, await store.readWatermark(lane.p));
    await readOn(lane, partition);
    partitions.set(lane.p, partition);
    // Only from here on do checkpoints see what was folded.
    if (partition.tail.length > 0) onFolded();
    return partition;
  }

  async function catchUp(lane: Lane, partition: Partition): Promise<void> {
    const watermark = await store.readWatermark(partition.p);
    if (watermark.n > partition.tip.n + bounds.jumpAfter) jump(partition, watermark);
    await readOn(lane, partition);
    lane.behind = false;
  }

  /** Folds every block that the journal has after the tip. */
  async function readOn(lane: Lane, partition: Partition): Promise<void> {
    for (;;) {
      const blocks = await store.readBlocks(partition.p, partition.tip.n, BLOCKS_PER_READ);
      take(lane, partition, blocks);
      if (blocks.length < BLOCKS_PER_READ) return;
    }
  }

  /** Answers from the journal what it has already, among those that may be there. */
  async function lookUp(lane: Lane, { p }: Partition, operations: Operation[]): Promise<void> {
    const asked = operations.filter(({ retry }) => retry);
    if (asked.length === 0) return;
    const found = await store.findTransfers(
      p,
      asked.map(({ posting }) => posting.id),
    );
    for (const transfer of found) {
      settle(lane, transfer.id, (payloadHash) => answerOf(transfer, payloadHash));
    }
    for (const operation of asked) operation.retry = false;
  }

  async function loadFor(partition: Partition, operations: Operation[]): Promise<void> {
    const needed = new Set<string>();
    for (const { posting, legs } of operations) {
      needed.add(posting.walletId);
      for (const [account] of legs) needed.add(account);
    }
    const missing = [...needed].filter((id) => !partition.accounts.has(id));
    if (missing.length > 0) await load(partition, missing);
    // Most recently used last.
    for (const id of needed) {
      const state = partition.accounts.get(id);
      if (!state) continue;
      partition.accounts.delete(id);
      partition.accounts.set(id, state);
    }
  }

  async function load(partition: Partition, ids: string[]): Promise<void> {
    for (;;) {
      const { tailStart } = partition;
      const checkpoints = await store.readAccounts(ids);
      // Rule 2: trimmed meanwhile, the tail may miss blocks that these checkpoints miss too.
      if (partition.tailStart !== tailStart) continue;
      for (const { id, ...checkpoint } of checkpoints) {
        if (partition.accounts.has(id)) continue;
        partition.accounts.set(id, broughtUp(checkpoint, id, partition.tail));
      }
      return;
    }
  }

  /** Whether the next block can take an operation; one that it cannot take is answered. */
  function isPostable(lane: Lane, partition: Partition, operation: Operation): boolean {
    const { posting, legs } = operation;
    const wallet = partition.accounts.get(posting.walletId);
    // An account that is not shown may be there, and the id may be in the journal: after an election
    // a majority read may be older than both.
    if (!wallet || legs.some(([account]) => !partition.accounts.has(account))) {
      settle(lane, posting.id, () => failed("unknown"));
      return false;
    }
    if (!("currency" in posting) || posting.currency === wallet.currency) return true;
    // The wallet that was read is stored for good and its currency never changes, so no process ever
    // decides this posting.
    queue.reject(lane, posting.id);
    return false;
  }

  return {
    post,
    async idle() {
      while (running) await running;
    },
  };
}

function firstOf(operations: Map<string, Operation>, count: number): Operation[] {
  return [...operations.values().take(count)];
}
