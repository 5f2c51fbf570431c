// The evidence that the checker judges: what the clients asked and were answered, what payrail
// tells at the end, the books of the bank and of the acquirer, the receivers' logs, and the raw
// database. The checker imports no code of payrail. It knows the public documents, and of the
// database the journal (docs/change/ledger.md) and the reasons of payouts.

import type { mongo } from "mongoose";
import { readBlock } from "../../../services/wallet-ledger/block-format.ts";
import type { StoredBlock } from "../../../services/wallet-ledger/journal.model.ts";
import type { Incident } from "../contract.ts";
import type { Arrival, BankPayment, CardCharge, CardRefund } from "../outside/books.ts";
import type { Told } from "../workload/audit.ts";
import type { Account, Entry } from "../workload/history.ts";

/** A transfer of the journal. */
export interface Posted {
  id: string;
  kind: string;
  outcome: "committed" | "declined";
  legs: [account: string, amountMinor: number][];
  wallet: string;
  balance: number;
}

/** A payout in the database. */
export interface StoredPayout {
  id: string;
  reason: string;
}

export interface Stored {
  /** In the order of the journal, partition by partition. */
  journal: Posted[];
  payouts: StoredPayout[];
}

export interface Evidence {
  history: Entry[];
  accounts: Account[];
  told: Told;
  payments: BankPayment[];
  /** When the first submit of each payment came to the bank; epoch ms. */
  heard: Record<string, number>;
  charges: CardCharge[];
  refunds: CardRefund[];
  arrivals: Arrival[];
  stored: Stored;
  incidents: Incident[];
}

/** A violation of a rule, with all that shows it. */
export interface Finding {
  rule: string;
  what: string;
  evidence: unknown[];
}

export async function readStored(db: mongo.Db): Promise<Stored> {
  const majority = { readConcern: { level: "majority" } } as const;
  const blocks = await db
    .collection<StoredBlock>("ledger_blocks")
    .find({}, majority)
    .sort({ p: 1, n: 1 })
    .toArray();
  const payouts = await db
    .collection<{ _id: string; reason: string }>("payouts")
    .find({}, majority)
    .project<{ _id: string; reason: string }>({ reason: 1 })
    .toArray();
  return {
    journal: blocks.flatMap((stored) => readBlock(stored).transfers),
    payouts: payouts.map(({ _id: id, reason }) => ({ id, reason })),
  };
}

/** The minor units of a decimal string or a number. */
export const toMinor = (decimal: unknown) => Math.round(Number(decimal) * 100);

/** The items by the value that `keyOf` finds in them. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** The sums of a base and any of the amounts. */
export function reachable(base: number, amounts: number[]): Set<number> {
  let sums = new Set([base]);
  for (const amount of amounts) sums = new Set([...sums].flatMap((sum) => [sum, sum + amount]));
  return sums;
}
