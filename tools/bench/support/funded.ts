// A ledger in this process with wallets, and the measured post: a payout of two cents, fee
// included, with its three legs.

import type { Connection } from "mongoose";
import { createLedger, ledgerSchemas } from "../../../services/wallet-ledger/ledger.ts";
import { systemClock } from "../../../shared/clock.ts";
import type { Config } from "../../../shared/config/config.ts";
import { newId } from "../../../shared/ids.ts";
import { database } from "../../../shared/storage/database.ts";
import { verifyLedger } from "../../verify/verify.ts";
import { seedFunds, seedWallets } from "./seed.ts";

export const WALLETS = 10_000;
/** The initial balance of each wallet in minor units. */
export const FUNDS = 1_000_000_000;
/** The debit of a post in minor units: one cent paid out and one of fees. */
export const POST = { amountMinor: 1, feesMinor: 1 } as const;

export interface Funded {
  connection: Connection;
  wallets: string[];
  post(walletId: string): Promise<unknown>;
  /** @throws if verification finds a violation */
  close(): Promise<void>;
}

/**
 * Opens a ledger on a new database.
 * @param kind of the posts: wallets of payouts are funded first; those of reversals are not,
 *   because a million fundings take longer than the measurement
 */
export async function openFunded(
  config: Config,
  wallets = WALLETS,
  kind: "payout" | "payout-reversal" = "payout",
): Promise<Funded> {
  const db = database(config, "bench", ledgerSchemas);
  await db.open();
  // Makes the partitions.
  await (await createLedger(db, systemClock, console.error)).stop();
  const raw = db.connection.getClient().db(db.connection.name);
  const ids = await seedWallets(raw, wallets);
  if (kind === "payout") await seedFunds(raw, ids, FUNDS);
  const ledger = await createLedger(db, systemClock, console.error);
  const money = { kind, currency: "USD", method: "ACH", ...POST } as const;
  return {
    connection: db.connection,
    wallets: ids,
    async post(walletId) {
      const { outcome } = await ledger.log.post({ posting: { id: newId(), walletId, ...money } });
      if (outcome !== "committed") throw new Error(`A post was answered ${outcome}`);
    },
    async close() {
      await ledger.stop();
      const { ok, violations } = await verifyLedger(db.connection);
      await db.close();
      if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
    },
  };
}
