// The module's books: one record for each charge, in payrail's database.
//
// Stripe decides whether a charge is made. The books make sure that all processes ask Stripe for
// the same intent: the first write of a record decides with which parameters the intent of its id
// is created, and a void that comes before the charge writes a record without any. Whatever a
// restore takes out of the books is found again at Stripe (intents.ts).

import type { Charge, Context } from "../types.ts";

/** The parameters of a charge, with which its intent is created. */
export interface Terms extends Pick<Charge, "amountMinor" | "currency" | "description"> {
  /** Stripe's customer of a saved card. */
  customer?: string;
}

export interface ChargeRecord {
  /** The charge's id. */
  _id: string;
  /** Absent if a void came before the charge: then the intent of the id is a tombstone. */
  terms?: Terms;
  /** The id of Stripe's PaymentIntent, once it is known. It never changes. */
  intent?: string;
  /** The code of a decline. It counts once the intent is canceled. */
  declined?: string;
}

interface RefusedRefund {
  /** The refund's id. */
  _id: string;
  code: string;
}

export type StripeBooks = ReturnType<typeof openBooks>;

/** @param name the acquirer's own name, with which the names of its collections begin */
export function openBooks({ database }: Pick<Context, "database">, name: string) {
  const charges = database.collection<ChargeRecord>(`${name}.charges`);
  const refusals = database.collection<RefusedRefund>(`${name}.refusedRefunds`);
  const read = { readConcern: { level: "majority" as const } };

  return {
    /** The record of the id. If there is none, it is written with these terms. */
    async enter(id: string, terms?: Terms): Promise<ChargeRecord> {
      const options = { upsert: true, returnDocument: "after" } as const;
      const entry = { $setOnInsert: terms ? { terms } : {} };
      const record = await charges.findOneAndUpdate({ _id: id }, entry, options);
      if (!record) throw new Error("The record of a charge is not stored");
      return record;
    },

    find: (id: string): Promise<ChargeRecord | null> => charges.findOne({ _id: id }, read),

    /**
     * Stores the intent of a record.
     * @throws Error if the record has another one or is gone: then none may be confirmed
     */
    async keepIntent(id: string, intent: string): Promise<void> {
      const isFree = { $or: [{ intent: { $exists: false } }, { intent }] };
      const { matchedCount } = await charges.updateOne(
        { _id: id, ...isFree },
        { $set: { intent } },
      );
      if (matchedCount === 0) throw new Error("A charge has another intent in the books, or none");
    },

    /** Stores the code of a decline; the first one stays. */
    async noteDecline(id: string, code: string): Promise<void> {
      await charges.updateOne(
        { _id: id, declined: { $exists: false } },
        { $set: { declined: code } },
      );
    },

    /** The code with which a refund was refused; null if it was not. */
    async findRefusal(refundId: string): Promise<string | null> {
      return (await refusals.findOne({ _id: refundId }, read))?.code ?? null;
    },

    /** Stores that a refund is never made. */
    async refuse(refundId: string, code: string): Promise<void> {
      await refusals.updateOne({ _id: refundId }, { $setOnInsert: { code } }, { upsert: true });
    },
  };
}
