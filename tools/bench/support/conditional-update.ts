// The baseline of the ledger: the simplest correct debit on MongoDB, findOneAndUpdate with a
// condition on the balance, one document per wallet, journalled by a majority.

import type { mongo } from "mongoose";

const DURABLE = { writeConcern: { w: "majority", j: true } } as const;
const PER_INSERT = 10_000;
/** The initial balance and a debit, in minor units. */
const FUNDS = 1_000_000_000;
const DEBIT = 2;

/**
 * Inserts the balances of wallets.
 * @param db of a connection with the driver's defaults, retryable writes among them
 * @returns the debit
 */
export async function openBalances(
  db: mongo.Db,
  wallets: string[],
): Promise<(wallet: string) => Promise<unknown>> {
  const balances = db.collection<{ _id: string; balance: number }>("bench_balances");
  for (let i = 0; i < wallets.length; i += PER_INSERT) {
    const some = wallets.slice(i, i + PER_INSERT);
    await balances.insertMany(some.map((_id) => ({ _id, balance: FUNDS })));
  }
  return (wallet) =>
    balances.findOneAndUpdate(
      { _id: wallet, balance: { $gte: DEBIT } },
      { $inc: { balance: -DEBIT } },
      DURABLE,
    );
}
