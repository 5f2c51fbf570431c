// The durable writes of a withdrawal's whole life, made by the MongoDB driver alone: the documents
// that payrail has stored, in a fixed shape, so that the figures of different releases have one
// base. In this shape the acceptance and the end are writes of their own, and payouts have fifteen
// indexes. A loop takes 64 withdrawals at a time through all writes, one command for each; two loops
// run beside each other. Nothing is read, checked or hashed, and no write is retried.

import { createConnection, type mongo } from "mongoose";
import type { Block } from "../../services/wallet-ledger/journal.model.ts";
import { newId } from "../../shared/ids.ts";
import { migrateConfigured } from "../migrate/migrate.ts";
import { rateOf } from "./support/rate.ts";
import { type Setting, urlOf } from "./support/setting.ts";

const BATCH = 64;
const LOOPS = 2;
/** The transitions to settle, watch and closed; payrail may make more before them. */
const AFTER_ACCEPTANCE = 3;
const DURABLE = { writeConcern: { w: "majority", j: true }, ordered: false } as const;

type Document = { _id: string } & Record<string, unknown>;

/** The documents of a withdrawal that has ended. */
export interface Samples {
  payout: Document;
  block: Block;
  payment: Document;
  /** In the order of the payout's states. */
  events: Document[];
}

export interface BareWithdrawals {
  /** @returns whole lives per second */
  rate(ms: number): Promise<number>;
  close(): Promise<void>;
}

/** Reads the documents of a withdrawal from payrail's database. */
export async function readSamples(db: mongo.Db): Promise<Samples> {
  const first = async <T>(name: string, filter: object) => {
    const found = await db.collection(name).findOne(filter);
    if (!found) throw new Error(`${name} has no document of a closed withdrawal`);
    return found as T;
  };
  const payout = await first<Document>("payouts", { step: "closed", status: "SUCCESS" });
  const { _id: id } = payout;
  const ofPayout = { transactionId: id };
  return {
    payout,
    block: await first("ledger_blocks", { "transfers.id": id }),
    payment: await first("sandbox_rail", { _id: id }),
    events: (await db
      .collection("webhook_events")
      .find(ofPayout)
      .sort({ seq: 1 })
      .toArray()) as unknown as Document[],
  };
}

const where = (partialFilterExpression: object) => ({ partialFilterExpression });
const whereSet = (field: string) => where({ [field]: { $exists: true } });
const isVisible = where({ visible: true });
const isFlagged = where({ needsAttention: true });
/** Fifteen with that of `_id`. */
const INDEXES: mongo.IndexDescription[] = [
  { key: { entityId: 1, slot: 1 }, unique: true, ...whereSet("slot") },
  { key: { entityId: 1, idempotencyKey: 1 }, unique: true, ...whereSet("idempotencyKey") },
  { key: { entityId: 1, declined: 1, _id: 1 }, ...whereSet("declined") },
  { key: { nextAttemptAt: 1 }, ...whereSet("nextAttemptAt") },
  { key: { relayAt: 1 }, ...whereSet("relayAt") },
  { key: { needsAttention: 1, _id: 1 }, ...isFlagged },
  { key: { businessId: 1, needsAttention: 1, _id: -1 }, ...isFlagged },
  { key: { businessId: 1, _id: -1 }, ...isVisible },
  { key: { businessId: 1, status: 1, _id: -1 }, ...isVisible },
  { key: { businessId: 1, entityId: 1, _id: -1 }, ...isVisible },
  { key: { businessId: 1, flow: 1, _id: -1 }, ...isVisible },
  { key: { entityId: 1, status: 1, _id: -1 }, ...isVisible },
  { key: { entityId: 1, linkedAccountId: 1, _id: -1 }, ...isVisible },
  { key: { rail: 1, unknownSince: 1 }, ...whereSet("unknownSince") },
];

/** Opens a database of its own with payrail's indexes, except for those of payouts. */
export async function openBare(setting: Setting, samples: Samples): Promise<BareWithdrawals> {
  const mongoUrl = urlOf(setting, "bare");
  await migrateConfigured({ ...setting.config, mongoUrl });
  const connection = await createConnection(mongoUrl, { retryWrites: false }).asPromise();
  const db = connection.getClient().db(connection.name);
  await db.collection("payouts").dropIndexes();
  await db.collection("payouts").createIndexes(INDEXES);
  let blocks = 0;
  return {
    async rate(ms) {
      const batches = await rateOf(LOOPS, ms, () => {
        blocks += 1;
        return liveOnce(db, samples, blocks);
      });
      return batches * BATCH;
    },
    close: () => connection.close(),
  };
}

/** Makes all writes of a batch of withdrawals. @param n the number of their block */
async function liveOnce(db: mongo.Db, { payout, block, payment, events }: Samples, n: number) {
  const ids = Array.from({ length: BATCH }, () => newId());
  const insert = (name: string, documents: Document[]) =>
    db.collection<Document>(name).insertMany(documents, DURABLE);
  const sendEvent = (i: number) => {
    const event = events[i] as Document;
    const made = ids.map((id) => ({ ...event, _id: newId(), transactionId: id }));
    return insert("webhook_events", made);
  };
  let v = 0;
  /** One transition of all payouts. */
  const move = async (set: object, unset: string[] = [], entered?: string) => {
    await db.collection<Document>("payouts").updateMany(
      { _id: { $in: ids }, v },
      {
        $set: { ...set, v: v + 1, writtenBy: newId(), relayed: 1 },
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((name) => [name, ""])) }),
        ...(entered && { $push: { states: { status: entered, at: Date.now() } } as never }),
      },
      DURABLE,
    );
    v += 1;
  };
  const { visible: _, submittedAt, rail, ...fields } = payout;
  const started = {
    step: "debit",
    visible: false,
    status: "PENDING",
    states: [],
    v: 0,
    relayed: 0,
  };
  const next = { nextAttemptAt: Date.now() + 10_000 };
  const told = { relayAt: Date.now() + 10_000 };
  await insert(
    "payouts",
    ids.map((_id) => ({ ...fields, ...started, ...next, _id })),
  );
  const [transfer] = block.transfers;
  const transfers = ids.map((id) => ({ ...transfer, id }));
  await insert("ledger_blocks", [{ ...block, _id: newId(), n, transfers }]);
  const accepted = { step: "submitting", visible: true, rail, submittedAt };
  await move({ ...accepted, ...next, ...told }, [], "PENDING");
  for (let i = AFTER_ACCEPTANCE; i < Number(payout.v) - 1; i++) await move(next);
  await insert(
    "sandbox_rail",
    ids.map((_id) => ({ ...payment, _id })),
  );
  await sendEvent(0);
  await move({ step: "settle", status: "PROCESSING", ...next, ...told }, [], "PROCESSING");
  await sendEvent(1);
  if (payment.toldAt !== undefined) {
    const set = { $set: { toldAt: Date.now() } };
    await db.collection<Document>("sandbox_rail").updateMany({ _id: { $in: ids } }, set, DURABLE);
  }
  await move({ step: "watch", status: "SUCCESS", ...next, ...told }, [], "SUCCESS");
  await sendEvent(2);
  await move({ step: "closed" }, ["nextAttemptAt", "relayAt"]);
}
