// Sums of accounts at one moment, for heads and for the books. All reads of a moment share a
// snapshot session (store.ts). The last blocks say the balances of the system accounts. The accounts
// of a partition sum to zero, modulo `BALANCES`, so its wallets and collection accounts together
// have what its system accounts lack. Of these, the collection accounts are read, and the wallets
// have the rest, because a business has few collection accounts and many wallets.

import type { mongo } from "mongoose";
import type { Currency } from "../../shared/money.ts";
import type { Account, Collections } from "./journal.model.ts";
import { stateOf, WITH_LATEST, type WithLatest } from "./latest.ts";
import { BALANCES } from "./postings.ts";
import { readTips, type Tip } from "./tip.ts";

/** Sums in minor units, by currency and name: the name of a system account, or another's type. */
export type Sums = Map<Currency, Map<string, bigint>>;

const ACCOUNTS_PER_READ = 1_000;

export interface ReadSums {
  /** The last block of each partition, in their order. */
  tips(session: mongo.ClientSession): Promise<Tip[]>;
  /** The accounts that the filter finds, by their ids, with their balances in minor units. */
  balances(
    session: mongo.ClientSession,
    filter: mongo.Filter<Account>,
  ): AsyncGenerator<Account & { balance: number }>;
  ofAll(session: mongo.ClientSession, tips: Tip[]): Promise<Sums>;
}

export function createReadSums(collections: Collections): ReadSums {
  const { accounts } = collections;

  async function* balances(session: mongo.ClientSession, filter: mongo.Filter<Account>) {
    const pipeline = [{ $match: filter }, { $sort: { _id: 1 } }, ...WITH_LATEST];
    const options = { session, batchSize: ACCOUNTS_PER_READ };
    for await (const account of accounts.aggregate<WithLatest<Account>>(pipeline, options)) {
      yield { ...account, balance: stateOf(account).balance };
    }
  }

  return {
    async tips(session) {
      return [...(await readTips(collections, null, () => ({ session }))).values()];
    },

    balances,

    async ofAll(session, tips) {
      const sums: Sums = new Map();
      for (const { system } of tips) addSystem(sums, system);
      // The index of the accounts of businesses begins with the business.
      const isCollection = { businessId: { $exists: true }, type: "COLLECTION" } as const;
      for await (const { type, currency, balance } of balances(session, isCollection)) {
        addTo(sums, currency, type, BigInt(balance));
        addTo(sums, currency, "SPEND", -BigInt(balance));
      }
      return sums;
    },
  };
}

/** Adds the system accounts of a partition, and as "SPEND" all that its other accounts have. */
function addSystem(sums: Sums, system: Tip["system"]): void {
  const own: Map<Currency, bigint> = new Map();
  for (const [id, balance] of Object.entries(system)) {
    const [name, currency] = id.split(":") as [string, Currency];
    addTo(sums, currency, name, BigInt(balance));
    own.set(currency, (own.get(currency) ?? 0n) + BigInt(balance));
  }
  for (const [currency, sum] of own) {
    addTo(sums, currency, "SPEND", ((-sum % BALANCES) + BALANCES) % BALANCES);
  }
}

export function addTo(sums: Sums, currency: Currency, name: string, minor: bigint): void {
  const ofCurrency = sums.get(currency) ?? new Map<string, bigint>();
  sums.set(currency, ofCurrency.set(name, (ofCurrency.get(name) ?? 0n) + minor));
}
