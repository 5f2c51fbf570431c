// The money of a business by currency: its own wallet, its collection account, and the wallets of
// its end users. The sums are of one moment: the checkpoints, and the blocks after them (sums.ts).

import type { mongo } from "mongoose";
import type { Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { CURRENCIES, type Currency, toDecimal } from "../../shared/money.ts";
import { BROAD_READ_MS, isExpired } from "../../shared/storage/database.ts";
import type { Account } from "./journal.model.ts";
import type { Collections, Store } from "./store.ts";
import { ACCOUNTS_PER_READ, balanceNow, createReadSums, EXACT_SUM, type Tail } from "./sums.ts";

type Balances = Result<"wallet-ledger.balances">;
type Part = "own" | "collection" | "entities";
type Sums = Map<Currency, Record<Part, bigint>>;

/** @throws UNAVAILABLE if the business has so many wallets that their sum takes too long */
export type ReadBalances = (businessId: string) => Promise<Balances>;

export function createReadBalances({
  store,
  collections,
}: {
  store: Store;
  collections: Collections;
}): ReadBalances {
  const { accounts } = collections;
  const readSums = createReadSums(collections);

  async function addCheckpoints(sums: Sums, businessId: string, session: mongo.ClientSession) {
    const isOwn = { $eq: ["$entityId", "$businessId"] };
    const groups = accounts.aggregate<{ _id: Parted & { isOwn: boolean }; sum: unknown }>(
      [
        { $match: { businessId } },
        { $group: { _id: { currency: "$currency", type: "$type", isOwn }, sum: EXACT_SUM } },
      ],
      { session, maxTimeMS: BROAD_READ_MS },
    );
    for await (const { _id, sum } of groups) add(sums, _id, _id.isOwn, BigInt(String(sum)));
  }

  /** Adds what the blocks after the checkpoints have changed. */
  async function addTail(sums: Sums, businessId: string, session: mongo.ClientSession, tail: Tail) {
    const touched = [...tail.touching.keys()];
    const projection = { currency: 1, type: 1, entityId: 1, checkpoint: 1 };
    for (let i = 0; i < touched.length; i += ACCOUNTS_PER_READ) {
      const _id = { $in: touched.slice(i, i + ACCOUNTS_PER_READ) };
      const options = { session, projection, batchSize: ACCOUNTS_PER_READ };
      for await (const account of accounts.find<Account>({ _id, businessId }, options)) {
        const change = balanceNow(account, tail) - account.checkpoint.balance;
        add(sums, account, account.entityId === businessId, BigInt(change));
      }
    }
  }

  const readAt = (businessId: string) =>
    store.atOneMoment(async (session) => {
      const sums: Sums = new Map();
      const tail = await readSums.tail(session);
      await addCheckpoints(sums, businessId, session);
      await addTail(sums, businessId, session, tail);
      return CURRENCIES.flatMap((currency) => {
        const parts = sums.get(currency);
        return parts ? { currency, ...shown(parts) } : [];
      });
    });

  return async (businessId) => {
    try {
      return await readAt(businessId);
    } catch (error) {
      if (isExpired(error)) fail("UNAVAILABLE");
      throw error;
    }
  };
}

type Parted = Pick<Account, "currency" | "type">;

function add(sums: Sums, { currency, type }: Parted, isOwn: boolean, minor: bigint): void {
  const part = type === "COLLECTION" ? "collection" : isOwn ? "own" : "entities";
  const parts = sums.get(currency) ?? { own: 0n, collection: 0n, entities: 0n };
  parts[part] += minor;
  sums.set(currency, parts);
}

function shown({ own, collection, entities }: Record<Part, bigint>): Record<Part, string> {
  return {
    own: toDecimal(own),
    collection: toDecimal(collection),
    entities: toDecimal(entities),
  };
}
