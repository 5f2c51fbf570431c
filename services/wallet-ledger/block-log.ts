// The block log: the only code that commits money.
//
// The journal is one chain of blocks for each partition. The balance of a wallet is the sum of its
// legs in the journal. The invariants and their reasons:
//  - One insert with w: majority, j: true commits a block whole or not at all. A caller gets a
//    decision only after a majority has journalled its block, because an election or a power cut
//    can take back any other write, and that would contradict the caller's answer.
//  - The fence: {p, n} is unique. If two processes build block n on the same tip, the database
//    refuses one of the blocks; its process catches up and decides again on the newer fold. No
//    process owns a partition.
//  - The ids: {p, transfers.id} is unique, so an id is decided once, whichever process posts it and
//    however often. Declines are journalled too, so a repeated request gets the same answer.
//  - An append has one block for each partition that has work. Requests that arrive meanwhile form
//    the next append. These batches make the ledger fast. A process has two appends in flight if
//    many operations wait, and never two blocks of one partition: the number and the decisions of a
//    block follow from the fold of all blocks before it.
//  - An operation stays queued until a durable block holds its id. If a block is refused, or its
//    outcome is unknown, its operations stay queued: the process catches up, looks the ids up, and
//    decides again. The second decision is safe, because a block that was stored after all has
//    taken the number or the id.
//  - The process folds only blocks that a majority read returned or that a majority write
//    acknowledged, so no decision depends on a block that an election can roll back.
// partition.ts has the rules of the fold, docs/change/ledger.md the whole protocol.

import type { Clock } from "../../shared/clock.ts";
import type { Metrics } from "../../shared/observability/metrics.ts";
import type { LedgerBounds } from "./bounds.ts";
import type { Block } from "./journal.model.ts";
import { createLoadAccounts } from "./load-accounts.ts";
import { buildBlock, fold, type Partition, partitionAt, skipTo, trimCaches } from "./partition.ts";
import { hashPayload } from "./postings.ts";
import {
  backOff,
  createQueue,
  failed,
  type Lane,
  type Operation,
  type PostingAnswer,
  type Request,
  toAnswer,
  workForLanes,
} from "./queue.ts";
import type { Store } from "./store.ts";

export interface BlockLog {
  post(request: Request): Promise<PostingAnswer>;
  /** The number of queued operations. */
  queued(): number;
  /** Waits until no operation is queued or in flight. */
  idle(): Promise<void>;
}

const BLOCKS_PER_READ = 100;
const TAIL_WAIT_MS = 50;

/**
 * Creates the block log of one process.
 * @param partitions the folds, shared with the checkpoints; each is opened when it is needed
 * @param onFolded is called after a partition folded blocks, so that it is checkpointed
 */
export function createBlockLog({
  store,
  clock,
  partitions,
  partitionFor,
  onFolded,
  bounds,
  metrics,
}: {
  store: Store;
  clock: Clock;
  partitions: Map<number, Partition>;
  partitionFor: (walletId: string) => number;
  onFolded: () => void;
  bounds: LedgerBounds;
  metrics: Metrics;
}): BlockLog {
  const queue = createQueue(bounds);
  const { settle } = queue;
  const loadAccounts = createLoadAccounts(store);
  let running: Promise<void> | null = null;

  function post(request: Request): Promise<PostingAnswer> {
    const { posting } = request;
    const payloadHash = hashPayload(posting);
    const p = partitionFor(posting.walletId);
    const decided = partitions.get(p)?.decided.get(posting.id);
    if (decided) return Promise.resolve(toAnswer(decided, payloadHash));
    const answer = queue.add(p, request, payloadHash);
    running ??= run();
    return answer;
  }

  /** Appends until the queue is empty. */
  async function run(): Promise<void> {
    // Wait for a microtask, so that requests made in the same tick travel in one append.
    await Promise.resolve();
    const appends = new Set<Promise<void>>();
    while (queue.size() > 0 || appends.size > 0) {
      const lanes = queue.next(appends.size, clock.now());
      if (lanes.length > 0) {
        const appending = appendTo(lanes).finally(() => appends.delete(appending));
        appends.add(appending);
      } else if (appends.size > 0) {
        await Promise.race(appends);
      } else {
        await clock.sleep(Math.max(1, queue.resumeAt() - clock.now()));
      }
    }
    running = null;
  }

  async function appendTo(lanes: Lane[]): Promise<void> {
    for (const lane of lanes) lane.isAppending = true;
    await workForLanes(lanes, () => append(lanes));
    for (const lane of lanes) lane.isAppending = false;
  }

  async function append(ready: Lane[]): Promise<void> {
    const chosen = await Promise.all(ready.map(prepare));
    const at = clock.now();
    const attempts = ready.flatMap((lane, i) => {
      const operations = chosen[i] as Operation[];
      const partition = partitions.get(lane.p);
      if (!partition || operations.length === 0) return [];
      return [{ lane, partition, ...buildBlock(partition, operations, at) }];
    });
    if (attempts.length === 0) return;
    const appended = await store.appendBlocks(attempts.map(({ stored }) => stored));
    attempts.forEach(({ lane, partition, block }, i) => {
      const outcome = appended[i] as (typeof appended)[number];
      metrics.count("payrail_ledger_blocks_total", { outcome });
      switch (outcome) {
        case "committed":
          lane.failures = 0;
          metrics.observe("payrail_ledger_block_transfers", block.transfers.length, {});
          foldAndAnswer(lane, partition, [block]);
          break;
        case "rejected":
          reject(lane, block);
          break;
        case "refused":
        case "unknown":
          // The tip may be old and the ids may be taken. Catch up and look the ids up.
          lane.behind = true;
          for (const { id } of block.transfers) {
            const operation = lane.operations.get(id);
            if (operation) operation.retry = true;
          }
          if (outcome === "unknown" || lane.failures > 0) backOff(lane, clock);
          lane.failures += 1;
      }
    });
  }

  /**
   * Answers the operation of a block that the database can never store. If the block holds several
   * operations, one of them is the cause, and another process may have stored some of the others,
   * so none of them fails yet. The lane then posts one operation at a time until it finds the
   * cause.
   */
  function reject(lane: Lane, { transfers: [first, ...others] }: Block): void {
    if (first && others.length === 0) queue.reject(lane, first.id);
    lane.oneAtATime = others.length > 0;
  }

  /** Folds durable blocks and answers the callers of the operations that they decided. */
  function foldAndAnswer(lane: Lane, partition: Partition, blocks: Block[]): void {
    for (const block of blocks) {
      fold(partition, block);
      for (const transfer of block.transfers) {
        settle(lane, transfer.id, (payloadHash) => toAnswer(transfer, payloadHash));
      }
    }
    trimCaches(partition, bounds);
    if (blocks.length > 0) onFolded();
  }

  /**
   * Makes a lane ready for a decision: opens it, catches up, and loads its accounts.
   * @returns the operations for the next block
   */
  async function prepare(lane: Lane): Promise<Operation[]> {
    try {
      queue.dropOverdue(lane, clock.now());
      const partition = partitions.get(lane.p) ?? (await open(lane));
      if (partition.tail.length >= bounds.tail) {
        // The checkpoints are behind. Wait, so that the accounts that they must write stay bounded.
        lane.resumeAt = clock.now() + TAIL_WAIT_MS;
        return [];
      }
      if (lane.behind) await catchUp(lane, partition);
      const count = lane.oneAtATime ? 1 : bounds.transfersPerBlock;
      const next = [...lane.operations.values().take(count)];
      await lookUp(lane, next);
      const undecided = next.filter(({ posting }) => lane.operations.has(posting.id));
      await loadAccounts(partition, undecided);
      return undecided.filter((operation) => isPostable(lane, partition, operation));
    } catch {
      // The database did not answer. No operation was decided; all stay queued.
      backOff(lane, clock);
      lane.failures += 1;
      return [];
    }
  }

  async function open(lane: Lane): Promise<Partition> {
    const partition = partitionAt(lane.p, await store.readWatermark(lane.p));
    await foldNewBlocks(lane, partition);
    partitions.set(lane.p, partition);
    // The checkpoints see the partition only from here on.
    if (partition.tail.length > 0) onFolded();
    return partition;
  }

  async function catchUp(lane: Lane, partition: Partition): Promise<void> {
    const watermark = await store.readWatermark(partition.p);
    if (watermark.n > partition.tip.n + bounds.skipAfter) skipTo(partition, watermark);
    await foldNewBlocks(lane, partition);
    lane.behind = false;
  }

  /** Folds all blocks of the journal after the tip. */
  async function foldNewBlocks(lane: Lane, partition: Partition): Promise<void> {
    for (;;) {
      const blocks = await store.readBlocks(partition.p, partition.tip.n, BLOCKS_PER_READ);
      foldAndAnswer(lane, partition, blocks);
      if (blocks.length < BLOCKS_PER_READ) return;
    }
  }

  /** Answers the operations that may be in the journal and are found there. */
  async function lookUp(lane: Lane, operations: Operation[]): Promise<void> {
    const asked = operations.filter(({ retry }) => retry);
    if (asked.length === 0) return;
    const ids = asked.map(({ posting }) => posting.id);
    for (const transfer of await store.findTransfers(lane.p, ids)) {
      settle(lane, transfer.id, (payloadHash) => toAnswer(transfer, payloadHash));
    }
    for (const operation of asked) operation.retry = false;
  }

  /**
   * Answers an operation that the next block cannot hold.
   * @returns whether the next block can hold the operation
   */
  function isPostable(lane: Lane, partition: Partition, operation: Operation): boolean {
    const { posting, legs } = operation;
    const wallet = partition.accounts.get(posting.walletId);
    // The account may exist although the read does not show it, and the id may be in the journal,
    // because after an election a majority read may be older than both.
    if (!wallet || legs.some(([account]) => !partition.accounts.has(account))) {
      settle(lane, posting.id, () => failed("unknown"));
      return false;
    }
    if (!("currency" in posting) || posting.currency === wallet.currency) return true;
    // The wallet's document is durable and its currency never changes, so no process ever commits
    // or declines this posting.
    queue.reject(lane, posting.id);
    return false;
  }

  return {
    post,
    queued: queue.size,
    async idle() {
      while (running) await running;
    },
  };
}
