// A partition as one process sees it: the fold of its blocks, and the building of the next one.
//
// Balances are a fold of the journal. What is folded here is durable: a block is folded once a
// majority has it and never before, whole, and in the order of its number. Decisions about the next
// block live in an overlay that dies with the attempt. The rules that keep a stale fold harmless:
//  1. a block is applied to an account only if its number is above the account's own;
//  2. an account that is loaded takes the tail on top, and is loaded again if the tail was trimmed
//     while it was read (block-log.ts);
//  3. jumping to a newer watermark forgets all that was folded before;
//  4. nothing is decided between reading blocks and folding all of them: folding is synchronous.

import { newId } from "../../shared/ids.ts";
import {
  type Block,
  type Checkpoint,
  type DeclineReason,
  hashBlock,
  type Leg,
  type Transfer,
} from "./journal.model.ts";
import { type AccountState, declineOf, type Posting, plus } from "./postings.ts";

export interface Tip {
  n: number;
  hash: string;
}

/** What the journal says of an id. */
export type Decided = Pick<Transfer, "payloadHash" | "outcome" | "reason">;

export interface Partition {
  readonly p: number;
  /** The last block folded. */
  tip: Tip;
  /** The watermark that the tail begins after. */
  tailStart: number;
  /** What every folded block above `tailStart` did, in order. */
  tail: TailBlock[];
  /** Recently used accounts, at the tip or ahead of it; the oldest first. */
  accounts: Map<string, AccountState>;
  /** Recently decided ids, the oldest first. */
  decided: Map<string, Decided>;
  /** Accounts touched above the watermark, by whomever, and by which block last. */
  dirty: Map<string, number>;
}

/** What a block does to an account: added to its balance, in minor units, and its new mark if any. */
interface Change {
  amountMinor: number;
  disabled?: boolean;
}

export interface TailBlock {
  n: number;
  changes: Map<string, Change>;
}

export interface CacheBounds {
  accounts: number;
  decided: number;
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

/** Rule 3: begins anew at a watermark, with nothing of what was known before. */
export function jump(partition: Partition, watermark: Tip): void {
  Object.assign(partition, partitionAt(partition.p, watermark));
}

/** Takes a durable block into the fold. It has to be the next one. */
export function fold(partition: Partition, block: Block): void {
  const { tip } = partition;
  if (block.n !== tip.n + 1 || block.prevHash !== tip.hash) {
    throw new Error(`Block ${block.p}:${block.n} does not follow ${tip.n}: the journal is broken`);
  }
  const changes = changesOf(block);
  for (const [id, change] of changes) {
    const state = partition.accounts.get(id);
    if (state && block.n > state.n) apply(state, block.n, change);
    partition.dirty.set(id, block.n);
  }
  for (const { id, payloadHash, outcome, reason } of block.transfers) {
    partition.decided.set(id, { payloadHash, outcome, ...(reason && { reason }) });
  }
  partition.tail.push({ n: block.n, changes });
  partition.tip = { n: block.n, hash: block.hash };
}

/** What a block does to each account that it touches. */
export function changesOf(block: Block): Map<string, Change> {
  const changes = new Map<string, Change>();
  const changeOf = (id: string) => {
    const change = changes.get(id) ?? { amountMinor: 0 };
    changes.set(id, change);
    return change;
  };
  for (const { outcome, kind, legs, wallet } of block.transfers) {
    if (outcome !== "committed") continue;
    for (const [account, amountMinor] of legs) {
      const change = changeOf(account);
      change.amountMinor = plus(change.amountMinor, amountMinor);
    }
    if (kind === "disable" || kind === "enable") changeOf(wallet).disabled = kind === "disable";
  }
  return changes;
}

function apply(state: Checkpoint, n: number, { amountMinor, disabled }: Change): void {
  state.balance = plus(state.balance, amountMinor);
  state.disabled = disabled ?? state.disabled;
  state.n = n;
}

/** A checkpointed account brought up to date by the blocks after its own number (rule 1). */
export function broughtUp<S extends Checkpoint>(checkpoint: S, id: string, tail: TailBlock[]): S {
  const state = { ...checkpoint };
  for (const { n, changes } of tail) {
    const change = n > state.n ? changes.get(id) : undefined;
    if (change) apply(state, n, change);
  }
  return state;
}

/** What is asked to be decided next; `void` asks for a decline where nothing is decided yet. */
export interface Undecided {
  posting: Posting;
  legs: Leg[];
  payloadHash: string;
  void: boolean;
}

/**
 * Decides postings in order and builds the next block of them. Funds are checked against the fold
 * and the decisions before, in an overlay; neither the cache nor anything else changes here. Every
 * account that the postings touch has to be loaded.
 */
export function buildBlock(partition: Partition, undecided: Undecided[], at: number): Block {
  const overlay = new Map<string, AccountState>();
  const n = partition.tip.n + 1;
  const stateOf = (id: string) => {
    let state = overlay.get(id);
    if (!state) {
      const folded = partition.accounts.get(id);
      if (!folded) throw new Error(`Account ${id} is not loaded`);
      state = { ...folded };
      overlay.set(id, state);
    }
    return state;
  };
  const transfers = undecided.map((each) => decide(each, partition, stateOf));
  const { p, tip } = partition;
  const content = { _id: newId(), p, n, at, transfers, prevHash: tip.hash };
  return { ...content, hash: hashBlock(content) };
}

function decide(
  { posting, legs, payloadHash, void: voided }: Undecided,
  partition: Partition,
  stateOf: (id: string) => AccountState,
): Transfer {
  const { id, kind, walletId: wallet } = posting;
  const state = stateOf(wallet);
  const prev = partition.accounts.get(wallet)?.n as number;
  const reason: DeclineReason | null = voided ? "void" : declineOf(legs, state);
  if (reason) {
    const { balance } = state;
    return { id, kind, payloadHash, outcome: "declined", reason, legs: [], wallet, balance, prev };
  }
  for (const [account, amountMinor] of legs) {
    const changed = stateOf(account);
    changed.balance = plus(changed.balance, amountMinor);
  }
  if (kind === "disable" || kind === "enable") state.disabled = kind === "disable";
  const { balance } = state;
  return { id, kind, payloadHash, outcome: "committed", legs, wallet, balance, prev };
}

/** Forgets the least recently used; what is dirty stays dirty. */
export function trimCaches(partition: Partition, bounds: CacheBounds): void {
  trim(partition.accounts, bounds.accounts);
  trim(partition.decided, bounds.decided);
}

function trim(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}
