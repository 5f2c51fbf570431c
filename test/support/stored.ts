// Everything that a system has stored, for tests of requests that must change nothing.

import { isDeepStrictEqual } from "node:util";
import mongoose from "mongoose";
import type { Block, Watermark } from "../../services/wallet-ledger/journal.model.ts";
import type { Delivery } from "../../services/webhooks/queue/delivery.model.ts";
import type { Resumable } from "../../shared/resumable/document.ts";
import { type System, until } from "./system.ts";

export type Stored = Record<string, unknown[]>;

/** Not counted as stored: refused requests add to them on purpose. */
const RECORDS = ["client_guesses", "audit_log"];

/** All documents by collection. */
export async function allStored({ config }: Pick<System, "config">): Promise<Stored> {
  const connection = await mongoose.createConnection(config.mongoUrl as string).asPromise();
  const collections = (await connection.db?.collections()) ?? [];
  const all: Stored = {};
  for (const { collectionName } of collections) {
    if (RECORDS.includes(collectionName)) continue;
    const documents = connection.collection(collectionName).find().sort({ _id: 1 });
    all[collectionName] = await documents.toArray();
  }
  await connection.close();
  return all;
}

/** Waits until no document changes: checkpoints and payouts' ends are written later. */
export async function settledStored(system: Pick<System, "config">): Promise<Stored> {
  let earlier = await allStored(system);
  return until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = await allStored(system);
    const isSettled = isAtRest(now) && isDeepStrictEqual(now, earlier);
    earlier = now;
    return isSettled && now;
  });
}

const DRIVEN = [
  ...["payouts", "payments", "payment_refunds", "subscriptions", "billing_clocks"],
  ...["ledger_fundings", "ledger_adjustments", "ledger_transfers", "ledger_wallet_transfers"],
];

/**
 * All events are relayed, no document is due, no delivery is claimed, and the ledger's checkpoints
 * are at its tips.
 */
function isAtRest(all: Stored): boolean {
  const of = <T>(name: string) => (all[name] ?? []) as T[];
  const driven = DRIVEN.flatMap(of<Resumable>);
  // Due times of subscriptions are left out, because they can be years away.
  const soon = Date.now() + 60_000;
  const tips = Map.groupBy(of<Pick<Block, "p" | "n">>("ledger_blocks"), ({ p }) => p);
  const tipOf = (p: number) => Math.max(0, ...(tips.get(p) ?? []).map(({ n }) => n));
  return (
    [...driven, ...of<Resumable>("invoices")].every(
      ({ states, relayed }) => relayed === states.length,
    ) &&
    driven.every(({ nextAttemptAt = Infinity }) => nextAttemptAt > soon) &&
    of<Pick<Delivery, "claim">>("webhook_deliveries").every(({ claim }) => claim === null) &&
    of<Watermark>("ledger_watermarks").every(({ _id, n }) => n === tipOf(_id))
  );
}
