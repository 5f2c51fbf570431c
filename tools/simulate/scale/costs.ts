// The service times of the simulated cluster, in microseconds. Those of the processors are fitted
// to docs/change/performance.md (ledger posts by 64, 256 and 1,024 callers): with 64
// callers an append has 16 blocks of 4 transfers, with 256 callers 16 blocks of 16, and
//   node    64 × 30 us = append + 16 blocks +  64 transfers,  256 × 20 us = … + 256 transfers,
//   mongod  64 × 48 us = command + 16 blocks + 64 transfers,  256 × 20 us = … + 256 transfers.
// With 1,024 callers this gives 17.9 and 13.4 us a post; 18 and 14 were measured. A quarter of
// mongod's part of a transfer is the checkpoints.

import type { Block } from "../../../services/wallet-ledger/journal.model.ts";
import type { Command } from "../cluster.ts";

const NODE = { append: 408, block: 28, transfer: 16.7, other: 100 };
const MONGOD = { write: 400, block: 124, transfer: 7.2, checkpoint: 6, read: 100 };

/** The time of a node's thread to receive a call over NATS and to answer it; an assumption. */
export const CALL_US = 60;
/** One way through a network within a data centre, between any two processes. */
export const ONE_WAY_US = 250;
/** From a write to its majority, at most: the journals of the primary and of a secondary. */
export const REPLICATION_MS = 2;

/** The inserted blocks of a command; none if it is no append. */
function blocksOf(command: Command): Block[] {
  const insert = "write" in command && "insert" in command.write ? command.write.insert : [];
  return insert as unknown as Block[];
}

const countTransfers = (blocks: Block[]) =>
  blocks.reduce((sum, { transfers }) => sum + transfers.length, 0);

/** The time of a ledger node's only thread for a command and all that belongs to it. */
export function nodeUs(command: Command): number {
  const blocks = blocksOf(command);
  if (blocks.length === 0) return NODE.other;
  return NODE.append + NODE.block * blocks.length + NODE.transfer * countTransfers(blocks);
}

/**
 * The time of one core of each primary for its part of a command.
 * @param shards the number of primaries; partition p and its accounts are on primary p % shards
 */
export function primariesUs(command: Command, shards: number): number[] {
  const parts = Array.from({ length: shards }, () => 0);
  const add = (key: number, us: number) => {
    const shard = key % shards;
    parts[shard] = (parts[shard] || MONGOD.write) + us;
  };
  for (const { p, transfers } of blocksOf(command)) {
    add(p, MONGOD.block + MONGOD.transfer * transfers.length);
  }
  // The accounts of a checkpoint are spread evenly, so any key serves.
  if ("write" in command && "updates" in command.write) {
    for (const key of command.write.updates.keys()) add(key, MONGOD.checkpoint);
  }
  if ("read" in command) parts[0] = MONGOD.read;
  return parts;
}
