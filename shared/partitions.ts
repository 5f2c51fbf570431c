// Partitions: where a wallet's postings belong. The ledger journals by it; who posts gathers by it, so
// that the nodes of the ledger rarely refuse each other's blocks.

import { crc32 } from "node:zlib";

/** A new database's number of partitions: at least the ledger processes that it will ever have. */
export const PARTITIONS = 16;

/** The partition that a wallet belongs to. */
export function partitionOf(walletId: string, partitions: number): number {
  return crc32(walletId) % partitions;
}
