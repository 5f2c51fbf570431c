// A partition in one process: the fold of its blocks, and the next block.
//
// A transfer says its wallet's balance and mark after it, and a block the balances of the system
// accounts, so folding a block is taking over what it says. The process folds a block only after a
// majority has it, as a whole, and in the order of the block numbers. Decisions about the next
// block live in an overlay that is dropped with the attempt. These rules make a stale fold harmless:
//  1. An account is loaded by a read that is at least as new as every block that this process has
//     folded (store.ts), and no block of the partition is folded during the load. The account may be
//     newer than the tip. Then the next block's number is taken, so the fence refuses the block.
//  2. A partition that skips to a newer tip forgets everything that it folded before.
//  3. No decision is made between reading blocks and folding all of them: folding is synchronous.

import { newId } from "../../shared/ids.ts";
import { packBlock } from "./block-format.ts";
import type { LedgerBounds } from "./bounds.ts";
import {
  type Block,
  type DeclineReason,
  hashBlock,
  type Leg,
  type StoredBlock,
  type Transfer,
} from "./journal.model.ts";
import { type AccountState, addToBalance, findDecline, type Posting } from "./postings.ts";
import type { Tip } from "./tip.ts";

/** The decision of the journal about an id. */
export type Decided = Pick<Transfer, "payloadHash" | "outcome" | "reason">;

export interface Partition {
  readonly p: number;
  /** The last folded block. */
  tip: Tip;
  /** Recently loaded accounts, at the tip or ahead of it; the oldest first. */
  accounts: Map<string, AccountState>;
  /** Recently decided ids, the oldest first. */
  decided: Map<string, Decided>;
}

export function partitionAt(p: number, tip: Tip): Partition {
  return { p, tip, accounts: new Map(), decided: new Map() };
}

/** Rule 2: starts again at a tip and forgets everything that was folded before. */
export function skipTo(partition: Partition, tip: Tip): void {
  Object.assign(partition, partitionAt(partition.p, tip));
}

/**
 * Folds a durable block.
 * @throws Error if the block is not the next block of the chain, or does not say the balances of
 *   the system accounts, because an older release that may not run beside this one wrote it
 */
export function fold(partition: Partition, block: Block): void {
  const { tip } = partition;
  const { p, n, prevHash, hash, system } = block;
  if (n !== tip.n + 1 || prevHash !== tip.hash || !system) {
    throw new Error(`Block ${p}:${n} does not follow ${tip.n}: the journal is broken`);
  }
  for (const { id, payloadHash, outcome, reason, wallet, balance, disabled } of block.transfers) {
    partition.decided.set(id, { payloadHash, outcome, reason });
    const state = partition.accounts.get(wallet);
    if (outcome === "committed" && state) Object.assign(state, { n, balance, disabled });
  }
  partition.tip = { n, hash, system };
}

/** A posting without a decision. With `void` the ledger declines it. */
export interface Undecided {
  posting: Posting;
  legs: Leg[];
  payloadHash: string;
  void: boolean;
}

/** The next block as the process folds it, and as the database stores it. */
export interface BuiltBlock {
  block: Block;
  stored: StoredBlock;
}

/**
 * Decides postings in order and builds the next block from them. Checks funds against the fold and
 * the earlier decisions, in an overlay; changes neither the cache nor any other state. Every wallet
 * that the postings touch must be loaded.
 * @param at epoch ms
 */
export function buildBlock(partition: Partition, undecided: Undecided[], at: number): BuiltBlock {
  const { p, tip } = partition;
  const overlay = new Map<string, AccountState>();
  const system = { ...tip.system };
  const transfers = undecided.map((each) => {
    const { walletId } = each.posting;
    const folded = partition.accounts.get(walletId);
    if (!folded) throw new Error(`Account ${walletId} is not loaded`);
    const state = overlay.get(walletId) ?? { ...folded };
    overlay.set(walletId, state);
    const transfer = decide(each, state, folded.n);
    for (const [account, amountMinor] of transfer.legs) {
      if (account === walletId) continue;
      const name = account.slice(`${p}:`.length);
      system[name] = addToBalance(system[name] ?? 0, amountMinor);
    }
    return transfer;
  });
  const content = { _id: newId(), p, n: tip.n + 1, at, transfers, prevHash: tip.hash, system };
  const packed = packBlock(content);
  const hash = hashBlock(packed);
  return { block: { ...content, hash }, stored: { ...packed, hash } };
}

/** Decides a posting, and changes the state of its wallet accordingly. */
function decide(
  { posting, legs, payloadHash, void: voided }: Undecided,
  state: AccountState,
  prev: number,
): Transfer {
  const { id, kind, walletId: wallet } = posting;
  const reason: DeclineReason | null = voided ? "void" : findDecline(legs, state);
  if (reason) {
    const { balance, disabled } = state;
    const outcome = "declined";
    return { id, kind, payloadHash, outcome, reason, legs: [], wallet, balance, prev, disabled };
  }
  state.balance = addToBalance(state.balance, legs[0]?.[1] ?? 0);
  if (kind === "disable" || kind === "enable") state.disabled = kind === "disable";
  const { balance, disabled } = state;
  return { id, kind, payloadHash, outcome: "committed", legs, wallet, balance, prev, disabled };
}

/** Evicts the accounts that were loaded first and the oldest ids. */
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
