// A partition in one process: the fold of its blocks, and the next block.
//
// A balance is a fold of the journal. The process folds a block only after a majority has it, as a
// whole, and in the order of the block numbers. Decisions about the next block live in an overlay
// that is dropped with the attempt. These rules make a stale fold harmless:
//  1. A block is applied to an account only if its number is above the account's own.
//  2. A loaded account is brought up to date with the tail, and loaded again if the tail was
//     trimmed during the read (load-accounts.ts).
//  3. A partition that skips to a newer watermark forgets everything that it folded before.
//  4. No decision is made between reading blocks and folding all of them: folding is synchronous.

import { newId } from "../../shared/ids.ts";
import { packBlock } from "./block-format.ts";
import type { LedgerBounds } from "./bounds.ts";
import {
  type Block,
  type Checkpoint,
  type DeclineReason,
  hashBlock,
  type Leg,
  type StoredBlock,
  type Transfer,
} from "./journal.model.ts";
import { type AccountState, addToBalance, findDecline, type Posting } from "./postings.ts";

export interface Tip {
  n: number;
  hash: string;
}

/** The decision of the journal about an id. */
export type Decided = Pick<Transfer, "payloadHash" | "outcome" | "reason" | "balance">;

export interface Partition {
  readonly p: number;
  /** The last folded block. */
  tip: Tip;
  /** The number of the watermark after which the tail begins. */
  tailStart: number;
  /** The changes of every folded block above `tailStart`, in order; `at` is the block's. */
  tail: (TailBlock & { at: number })[];
  /** Recently loaded accounts, at the tip or ahead of it; the oldest first. */
  accounts: Map<string, AccountState>;
  /** Recently decided ids, the oldest first. */
  decided: Map<string, Decided>;
  /**
   * Accounts that blocks above the watermark touched, whichever process wrote the block, with the
   * number of the last such block.
   */
  dirty: Map<string, number>;
}

/**
 * The change of an account by a block: the amount added, in minor units, and the new mark if any.
 */
interface Change {
  amountMinor: number;
  disabled?: boolean;
}

export interface TailBlock {
  n: number;
  changes: Map<string, Change>;
}

export function partitionAt(p: number, watermark: Tip): Partition {
  return {
    p,
    tip: { n: watermark.n, hash: watermark.hash },
    tailStart: watermark.n,
    tail: [],
    accounts: new Map(),
    decided: new Map(),
    dirty: new Map(),
  };
}

/** Rule 3: starts again at a watermark and forgets everything that was folded before. */
export function skipTo(partition: Partition, watermark: Tip): void {
  Object.assign(partition, partitionAt(partition.p, watermark));
}

/**
 * Folds a durable block.
 * @throws Error if the block is not the next block of the chain
 */
export function fold(partition: Partition, block: Block): void {
  const { tip } = partition;
  if (block.n !== tip.n + 1 || block.prevHash !== tip.hash) {
    throw new Error(`Block ${block.p}:${block.n} does not follow ${tip.n}: the journal is broken`);
  }
  const changes = sumChanges(block);
  for (const [id, change] of changes) {
    const state = partition.accounts.get(id);
    if (state && block.n > state.n) apply(state, block.n, change);
    partition.dirty.set(id, block.n);
  }
  for (const { id, payloadHash, outcome, reason, balance } of block.transfers) {
    partition.decided.set(id, { payloadHash, outcome, reason, balance });
  }
  partition.tail.push({ n: block.n, at: block.at, changes });
  partition.tip = { n: block.n, hash: block.hash };
}

export function sumChanges(block: Block): Map<string, Change> {
  const changes = new Map<string, Change>();
  const changeFor = (id: string): Change => {
    let change = changes.get(id);
    if (!change) {
      change = { amountMinor: 0 };
      changes.set(id, change);
    }
    return change;
  };
  for (const { outcome, kind, legs, wallet } of block.transfers) {
    if (outcome !== "committed") continue;
    for (const [account, amountMinor] of legs) {
      const change = changeFor(account);
      change.amountMinor = addToBalance(change.amountMinor, amountMinor);
    }
    if (kind === "disable" || kind === "enable") changeFor(wallet).disabled = kind === "disable";
  }
  return changes;
}

function apply(state: Checkpoint, n: number, { amountMinor, disabled }: Change): void {
  state.balance = addToBalance(state.balance, amountMinor);
  state.disabled = disabled ?? state.disabled;
  state.n = n;
}

/** Brings a checkpoint up to date with the blocks after its own number (rule 1). */
export function bringUpToDate<S extends Checkpoint>(
  checkpoint: S,
  id: string,
  tail: TailBlock[],
): S {
  const state = { ...checkpoint };
  for (const { n, changes } of tail) {
    const change = n > state.n ? changes.get(id) : undefined;
    if (change) apply(state, n, change);
  }
  return state;
}

/** A posting without a decision. With `void` the ledger declines it. */
export interface Undecided {
  posting: Posting;
  legs: Leg[];
  payloadHash: string;
  void: boolean;
}

/** A block as the process folds it, and as it is stored. */
export interface BuiltBlock {
  block: Block;
  stored: StoredBlock;
}

/**
 * Decides postings in order and builds the next block from them. Checks funds against the fold and
 * the earlier decisions, in an overlay; changes neither the cache nor any other state. Every
 * account that the postings touch must be loaded.
 * @param at epoch ms
 */
export function buildBlock(partition: Partition, undecided: Undecided[], at: number): BuiltBlock {
  const overlay = new Map<string, AccountState>();
  const n = partition.tip.n + 1;
  const overlayState = (id: string) => {
    let state = overlay.get(id);
    if (!state) {
      const folded = partition.accounts.get(id);
      if (!folded) throw new Error(`Account ${id} is not loaded`);
      state = { ...folded };
      overlay.set(id, state);
    }
    return state;
  };
  const transfers = undecided.map((each) => decide(each, partition, overlayState));
  const { p, tip } = partition;
  const content = { _id: newId(), p, n, at, transfers, prevHash: tip.hash };
  const packed = packBlock(content);
  const hash = hashBlock(packed);
  return { block: { ...content, hash }, stored: { ...packed, hash } };
}

function decide(
  { posting, legs, payloadHash, void: voided }: Undecided,
  partition: Partition,
  overlayState: (id: string) => AccountState,
): Transfer {
  const { id, kind, walletId: wallet } = posting;
  const state = overlayState(wallet);
  const prev = partition.accounts.get(wallet)?.n as number;
  const reason: DeclineReason | null = voided ? "void" : findDecline(legs, state);
  if (reason) {
    const { balance, disabled } = state;
    const outcome = "declined";
    return { id, kind, payloadHash, outcome, reason, legs: [], wallet, balance, prev, disabled };
  }
  for (const [account, amountMinor] of legs) {
    const changed = overlayState(account);
    changed.balance = addToBalance(changed.balance, amountMinor);
  }
  if (kind === "disable" || kind === "enable") state.disabled = kind === "disable";
  const { balance, disabled } = state;
  return { id, kind, payloadHash, outcome: "committed", legs, wallet, balance, prev, disabled };
}

/** Evicts the accounts that were loaded first and the oldest ids. Dirty accounts stay dirty. */
export function trimCaches(
  partition: Partition,
  bounds: Pick<LedgerBounds, "accounts" | "decided">,
): void {
  trim(partition.accounts, bounds.accounts);
  trim(partition.decided, bounds.decided);
}

/**
 * Trims many keys at a time, because the search for the oldest key passes all keys that were
 * deleted since the map was last rebuilt.
 */
function trim(map: Map<string, unknown>, size: number): void {
  if (map.size <= size * 1.1) return;
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}
