// The payments and batches that an answer names, as the books have them and as the parts of the
// answer change them. The changes are written together, in the transaction that has read them.

import type { mongo } from "mongoose";
import type { BatchRecord, PaymentRecord } from "./books.ts";
import type { Deps } from "./deps.ts";
import type { Part } from "./format.ts";

export interface BatchDraft {
  /** The payment of a name, which is its id or its short id; undefined if the books have none. */
  payment(name: string): PaymentRecord | undefined;
  batch(id: string | undefined): BatchRecord | undefined;
  /** All payments of a batch. */
  members(batch: string): Promise<PaymentRecord[]>;
  change(payment: PaymentRecord): void;
  /** Holds a batch, because an answer does not show what became of its file. */
  hold(batch: BatchRecord, problem: string): void;
  /** Notes that the bank has told of the batch. */
  tell(batch: BatchRecord): void;
  /** Writes the changes. @returns the batches that the answer shows to be at the bank */
  write(): Promise<string[]>;
}

const NAMES_AT_ONCE = 1_000;

/** Reads what the parts name. */
export async function openDraft(
  { books }: Deps,
  parts: Part[],
  session: mongo.ClientSession,
): Promise<BatchDraft> {
  const payments = new Map<string, PaymentRecord>();
  const ids = new Map<string, string>();
  const batches = new Map<string, BatchRecord>();
  const changed = new Set<string>();
  const told = new Set<BatchRecord>();

  /** A payment that is changed already stays so. */
  const keep = (payment: PaymentRecord) => {
    if (!payments.has(payment._id)) payments.set(payment._id, payment);
    ids.set(payment._id, payment._id).set(payment.shortId, payment._id);
  };
  const named = parts.flatMap((part) => part.told.map(({ payment }) => payment));
  for (const some of chunksOf([...new Set(named)])) {
    const anyOf = { $or: [{ _id: { $in: some } }, { shortId: { $in: some } }] };
    for (const payment of await books.payments.find(anyOf, { session }).toArray()) keep(payment);
  }
  const about = [
    ...[...payments.values()].map(({ batch }) => batch),
    ...parts.flatMap(({ batch, booked = [] }) => [batch, ...booked.map((each) => each.batch)]),
  ];
  for (const some of chunksOf([...new Set(about)].filter((id) => id !== undefined))) {
    const found = await books.batches.find({ _id: { $in: some } }, { session }).toArray();
    for (const batch of found) batches.set(batch._id, batch);
  }
  const members = async (batch: string) => {
    const found = await books.payments.find({ batch }, { session }).toArray();
    for (const payment of found) keep(payment);
    return found.map(({ _id }) => payments.get(_id) as PaymentRecord);
  };

  return {
    payment: (name) => payments.get(ids.get(name) ?? ""),
    batch: (id) => batches.get(id ?? ""),
    members,
    change(payment) {
      payments.set(payment._id, payment);
      changed.add(payment._id);
    },
    hold(batch, problem) {
      batch.state = "held";
      batch.problem ??= problem;
      told.add(batch);
    },
    tell: (batch) => told.add(batch),
    async write() {
      const writes = [...changed].map((_id) => payments.get(_id) as PaymentRecord);
      for (const { batch, state } of writes) {
        const record = batches.get(batch ?? "");
        if (record && state !== "batched") record.hasEnds = true;
      }
      const replacements = writes.map((replacement) => ({
        replaceOne: { filter: { _id: replacement._id }, replacement },
      }));
      if (replacements.length > 0) await books.payments.bulkWrite(replacements, { session });
      const arrived: string[] = [];
      for (const batch of told) {
        const { _id, state, problem, hasEnds } = batch;
        const isWaiting = state === "handing" || state === "held";
        // The bank's word that holds a batch is outlived only by the ends of all its payments.
        const isHeld =
          problem !== undefined && (await members(_id)).some((each) => each.state === "batched");
        if (isWaiting && !isHeld) arrived.push(_id);
        const set = isHeld ? { state, problem } : isWaiting ? { state: "handed" as const } : {};
        const update = { $set: { ...set, ...(hasEnds && { hasEnds }) } };
        if (Object.keys(update.$set).length > 0) {
          await books.batches.updateOne({ _id }, update, { session });
        }
      }
      if (arrived.length > 0) {
        const unset = { $unset: { problem: "" } } as const;
        await books.batches.updateMany({ _id: { $in: arrived } }, unset, { session });
        const forget = { $unset: { sealed: "" } } as const;
        await books.payments.updateMany({ batch: { $in: arrived } }, forget, { session });
      }
      return arrived;
    },
  };
}

function chunksOf<T>(all: T[]): T[][] {
  const count = Math.ceil(all.length / NAMES_AT_ONCE);
  return Array.from({ length: count }, (_, i) =>
    all.slice(i * NAMES_AT_ONCE, (i + 1) * NAMES_AT_ONCE),
  );
}
