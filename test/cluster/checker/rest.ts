// Waits for rest: until nothing of payrail is under way and no payment at the bank changes by
// itself. It reads the raw database, and knows its collections by docs/operate/install.md.

import { setTimeout } from "node:timers/promises";
import type { mongo } from "mongoose";
import type { BankPayment } from "../outside/books.ts";

/** The documents with events that webhooks has not acknowledged. */
const UNSENT = { $expr: { $lt: ["$relayed", { $size: "$states" }] } };

/** What is under way, by collection: documents that have not ended, or have events to tell. */
const UNDER_WAY: Record<string, mongo.Document> = {
  payouts: {
    $or: [
      { step: { $nin: ["watch", "closed", "declined"] } },
      { visible: true, status: { $nin: ["SUCCESS", "FAILED"] } },
      UNSENT,
    ],
  },
  payments: { $or: [{ step: { $ne: "closed" } }, UNSENT] },
  payment_refunds: {
    $or: [{ step: { $nin: ["closed", "declined"] } }, UNSENT],
  },
  invoices: { $or: [{ step: { $ne: "closed" } }, UNSENT] },
  subscriptions: UNSENT,
  ...Object.fromEntries(
    ["fundings", "adjustments", "transfers", "wallet_transfers"].map((name) => [
      `ledger_${name}`,
      // Those of a process of the previous release have no events.
      { $or: [{ status: "PENDING" }, { states: { $exists: true }, ...UNSENT }] },
    ]),
  ),
  webhook_deliveries: { status: "PENDING" },
};

export interface Rest {
  /** How long it took, in ms. */
  tookMs: number;
  /** The documents that are still under way at the bound, by collection; up to five of each. */
  left: Record<string, mongo.Document[]>;
}

/** @param withinMs the bound */
export async function waitForRest(
  db: mongo.Db,
  bank: { book(): BankPayment[]; isAtRest(): boolean },
  withinMs: number,
): Promise<Rest> {
  const from = Date.now();
  for (;;) {
    const left = await listLeft(db, bank).catch(() => ({ database: [] }));
    const tookMs = Date.now() - from;
    const isOver = Object.keys(left).length === 0 && bank.isAtRest();
    if (isOver || tookMs > withinMs) return { tookMs, left };
    await setTimeout(200);
  }
}

async function listLeft(
  db: mongo.Db,
  bank: { book(): BankPayment[] },
): Promise<Record<string, mongo.Document[]>> {
  const left: Record<string, mongo.Document[]> = {};
  for (const [name, filter] of Object.entries(UNDER_WAY)) {
    const found = await db.collection(name).find(filter).limit(5).toArray();
    if (found.length > 0) left[name] = found;
  }
  const returned = bank.book().filter(({ state }) => state === "returned");
  const ids = returned.map(({ id }) => id) as never[];
  const unseen = await db
    .collection("payouts")
    .find({ _id: { $in: ids }, status: { $ne: "FAILED" } })
    .limit(5)
    .toArray();
  if (unseen.length > 0) left.returned = unseen;
  return left;
}
