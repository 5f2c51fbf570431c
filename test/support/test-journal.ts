// A small journal for the verification of the ledger's own books: one wallet, and a block of each
// kind of transfer.

import { readBlock } from "../../services/wallet-ledger/block-format.ts";
import { DEFAULT_BOUNDS } from "../../services/wallet-ledger/bounds.ts";
import type { Block, StoredBlock } from "../../services/wallet-ledger/journal.model.ts";
import { createLedger, ledgerSchemas } from "../../services/wallet-ledger/ledger.ts";
import { openAccount } from "../../services/wallet-ledger/wallets.ts";
import { systemClock } from "../../shared/clock.ts";
import { loadConfig } from "../../shared/config/env.ts";
import { newId } from "../../shared/ids.ts";
import { database } from "../../shared/storage/database.ts";
import { migrateConfigured } from "../../tools/migrate/migrate.ts";
import { testEnvironment } from "./system.ts";

/** Writes a journal of seven blocks into a new database. */
export async function writeTestJournal() {
  const config = loadConfig(testEnvironment());
  await migrateConfigured(config, { schemas: ledgerSchemas });
  const db = database(config, "verify-test", ledgerSchemas);
  await db.open();
  const { ledger_accounts, ledger_blocks, ledger_watermarks } = db.models;
  const ledger = await createLedger(db, systemClock, () => {}, DEFAULT_BOUNDS);
  const owner = { businessId: newId(), entityId: newId(), currency: "USD" as const };
  const spending = { ...owner, type: "SPEND" as const };
  const { id: walletId } = await openAccount(
    { models: db.models, clock: systemClock, ledger },
    spending,
    newId(),
  );
  const p = ledger.partitionFor(walletId);
  const payoutId = newId();
  const payout = { currency: "USD", method: "RTP", amountMinor: 100, feesMinor: 50 } as const;
  const funding = { kind: "funding", currency: "USD", amountMinor: 10_000 } as const;
  /** The blocks by the kind of their only transfer. */
  const journal = new Map<string, Block>();
  // One posting at a time, so that each has its own block.
  for (const [kind, posting] of Object.entries({
    funding: { id: newId(), walletId, ...funding },
    debit: { id: payoutId, kind: "payout", walletId, ...payout } as const,
    reversal: { id: `${payoutId}:reversal`, kind: "payout-reversal", walletId, ...payout } as const,
    decline: { id: newId(), kind: "payout", walletId, ...payout, amountMinor: 90_000 } as const,
    disabling: { id: newId(), kind: "disable", walletId } as const,
    enabling: { id: newId(), kind: "enable", walletId } as const,
    last: { id: newId(), kind: "payout", walletId, ...payout } as const,
  })) {
    await ledger.log.post({ posting });
    const stored = await ledger_blocks.findOne({ p, n: journal.size + 1 }).lean();
    journal.set(kind, readBlock(stored as StoredBlock));
  }
  await ledger.stop();
  return {
    connection: db.connection,
    blocks: ledger_blocks.collection,
    accounts: ledger_accounts.collection,
    watermarks: ledger_watermarks.collection,
    p,
    walletId,
    journal,
    createIndexes: () => ledger_blocks.createIndexes(),
    async close() {
      await db.connection.dropDatabase();
      await db.close();
    },
  };
}
