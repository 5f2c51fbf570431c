// The bounds of one ledger process.

export interface LedgerBounds {
  /** Cached accounts of a partition. */
  accounts: number;
  /** Cached decisions of a partition. */
  decided: number;
  /** Operations that may wait in one process. The process refuses more immediately. */
  queued: number;
  transfersPerBlock: number;
  /** Operations that must wait for a second append, so that two are in flight. */
  secondAppend: number;
  /** Blocks of a partition without a checkpoint. At this number its postings wait too. */
  tail: number;
  /**
   * If the fold is more than this number of blocks behind the watermark, the process skips to the
   * watermark, because that is cheaper than reading the blocks.
   */
  skipAfter: number;
}

export const DEFAULT_BOUNDS: LedgerBounds = {
  accounts: 10_000,
  decided: 10_000,
  queued: 50_000,
  transfersPerBlock: 1_000,
  secondAppend: 256,
  tail: 1_000,
  skipAfter: 1_000,
};
