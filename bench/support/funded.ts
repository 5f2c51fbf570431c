// A ledger in this process with funded wallets, and the measured post: a payout of two cents, fee
// included, with its three legs.

import type { Connection, Model } from "mongoose";
import type { Account } from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, type Ledger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import { openAccount } from "../../services/wallet-ledger/wallets.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Config } from "../../shared/config.ts";
import { database } from "../../shared/database.ts";
import { newId } from "../../shared/ids.ts";
import { verifyLedger } from "../../verification/verify.ts";

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

/** Opens a ledger on the configured database and funds its wallets. */
export async function openFunded(config: Config): Promise<Funded> {
  const db = database(config, "bench", ledgerSchemas);
  await db.open();
  const ledger = await createLedger(db, systemClock, console.error);
  const wallets = await openWallets(db.models.ledger_accounts, ledger);
  return {
    connection: db.connection,
    wallets,
    post: (walletId) => ledger.log.post({ posting: { ...payout(walletId), id: newId() } }),
    async close() {
      await ledger.stop();
      const { ok, violations } = await verifyLedger(db.connection);
      await db.close();
      if (!ok) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
    },
  };
}

export function pick(wallets: string[]): string {
  return wallets[Math.floor(Math.random() * wallets.length)] as string;
}

function payout(walletId: string) {
  return { kind: "payout", walletId, currency: "USD", method: "ACH", ...POST } as const;
}

async function openWallets(accounts: Model<Account>, ledger: Ledger): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < WALLETS; i += 100) {
    const opened = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
        const { id } = await openAccount(
          accounts,
          { ...owner, type: "SPEND" },
          ledger.partitionFor,
        );
        const funding = { kind: "funding", currency: "USD", amountMinor: FUNDS } as const;
        await ledger.log.post({ posting: { id: newId(), walletId: id, ...funding } });
        return id;
      }),
    );
    ids.push(...opened);
  }
  return ids;
}
