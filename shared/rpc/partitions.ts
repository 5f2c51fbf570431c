// Partitions: each wallet's postings belong to one. The ledger journals by partition, and callers
// gather postings by partition, so that nodes of the ledger rarely conflict.

import { crc32 } from "node:zlib";

/** A new database's number of partitions: at least the ledger processes that it will ever have. */
export const PARTITIONS = 16;

/** The partition that a wallet belongs to. */
export function partitionFor(walletId: string, partitions: number): number {
  return crc32(walletId) % partitions;
}
