// The ledger's documents: blocks (the journal), accounts (checkpoints of the fold), watermarks.
// No other service reads or writes these collections; tools/verify/ reads them.

import { hash } from "node:crypto";
import { Schema } from "mongoose";
import type { Currency } from "../../shared/money.ts";
import { whereSet } from "../../shared/storage/indexes.ts";

/**
 * An account and the amount, in minor units, that a transfer adds to it. The legs of a transfer sum
 * to zero.
 */
export type Leg = [account: string, amountMinor: number];

export type DeclineReason = "funds" | "disabled" | "void" | "bound";

/** One decided posting. A declined posting has no legs and changes nothing. */
export interface Transfer {
  id: string;
  kind: string;
  payloadHash: string;
  outcome: "committed" | "declined";
  reason?: DeclineReason;
  legs: Leg[];
  wallet: string;
  /** The wallet's balance after the transfer, in minor units. */
  balance: number;
  /** The last block of this partition that touched the wallet before; 0 if there is none. */
  prev: number;
  /** Whether the wallet is disabled after the transfer; older blocks do not say it. */
  disabled?: boolean;
}

export interface Block {
  /** A new id for every built block, for diagnosis only. */
  _id: string;
  p: number;
  n: number;
  /** Epoch ms. */
  at: number;
  transfers: Transfer[];
  prevHash: string;
  hash: string;
}

/** A transfer as it is stored; block-format.ts reads its row. */
export interface PackedTransfer {
  id: string;
  wallet: string;
  row: string;
}

/** A block as it is stored: with packed transfers, or with whole ones by an earlier release. */
export interface StoredBlock extends Omit<Block, "transfers"> {
  transfers: (PackedTransfer | Transfer)[];
}

/** The hash of a block, to which the next block links: SHA-256 over all other fields. */
export function hashBlock(block: Omit<StoredBlock, "hash">): string {
  const { _id, p, n, at, transfers, prevHash } = block;
  const content = JSON.stringify([_id, p, n, at, transfers, prevHash]);
  return hash("sha256", content, "base64url");
}

/** Only makes the indexes, because the store writes and reads blocks by the driver. */
export const blockSchema = new Schema<StoredBlock>({ _id: String }, { strict: false });
// The fence between writers: a partition has one block with a number. Also used to read the tail
// and statements.
blockSchema.index({ p: 1, n: 1 }, { unique: true });
// An id is posted once in a partition. Also used to look an id up in the journal.
blockSchema.index({ p: 1, "transfers.id": 1 }, { unique: true });

const ACCOUNT_TYPES = ["SPEND", "COLLECTION", "SYSTEM"] as const;

/** A wallet, a collection account, or a partition's share of a system account. */
export interface Account {
  /** A UUID, or `<partition>:<name>:<currency>` for a system account. */
  _id: string;
  p: number;
  type: (typeof ACCOUNT_TYPES)[number];
  currency: Currency;
  businessId?: string;
  entityId?: string;
  createdAt: Date;
  checkpoint: Checkpoint;
  lowBalance?: LowBalance;
}

/** The mark of a wallet whose business is told when its balance falls below it (low-balance.ts). */
export interface LowBalance {
  /** In minor units. */
  belowMinor: number;
  /** The last block of the wallet that was looked at, and whether the balance was below then. */
  n: number;
  isLow: boolean;
}

/**
 * The account after block `n`, which is the last block that touched it, or 0 before the first. The
 * balance is in minor units. `n` is the first field, because MongoDB compares documents field by
 * field, and the later checkpoint must be the greater one.
 */
export interface Checkpoint {
  n: number;
  balance: number;
  disabled: boolean;
}

export const BEFORE_FIRST_BLOCK: Checkpoint = { n: 0, balance: 0, disabled: false };

export const accountSchema = new Schema<Account>(
  {
    _id: { type: String, required: true },
    p: { type: Number, required: true },
    type: { type: String, enum: ACCOUNT_TYPES, required: true },
    currency: { type: String, required: true },
    businessId: String,
    entityId: String,
    createdAt: { type: Date, required: true },
    checkpoint: {
      n: { type: Number, required: true },
      balance: { type: Number, required: true },
      disabled: { type: Boolean, required: true },
    },
    lowBalance: { type: { belowMinor: Number, n: Number, isLow: Boolean }, _id: false },
  },
  { versionKey: false },
);
// An entity has one account of a type in a currency. Finds the account when it is opened again;
// lists an entity's wallets.
accountSchema.index(
  { entityId: 1, currency: 1, type: 1 },
  { unique: true, ...whereSet("entityId") },
);
// The accounts of a partition: read by tools/verify/.
accountSchema.index({ p: 1 });
// The wallets or the collection accounts of a business.
accountSchema.index({ businessId: 1, type: 1, _id: 1 }, whereSet("businessId"));

/** The wallets with a mark. */
export const BY_LOW_BALANCE = { "lowBalance.n": 1 } as const;
accountSchema.index(BY_LOW_BALANCE, whereSet("lowBalance"));

/** The block up to which all accounts of a partition are checkpointed. */
export interface Watermark {
  _id: number;
  n: number;
  hash: string;
  /** The number of partitions of the database, which is fixed when the database is created. */
  of: number;
}

/** Only makes the collection, as the blocks' schema does. */
export const watermarkSchema = new Schema<Watermark>({ _id: Number }, { strict: false });
