// The books' side of a comparison: payouts, payments and refunds, each as one entry with the id
// that its partner has. It only reads.

import type { mongo } from "mongoose";
import type { Payment } from "../../../services/payment-links/payments/payment.model.ts";
import type { Refund } from "../../../services/payment-links/refunds/refund.model.ts";
import type { Payout } from "../../../services/payouts/payout.model.ts";
import { creationTime, lowestIdAt } from "../../../shared/ids.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Resumable } from "../../../shared/resumable/document.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";

export type Kind = "payout" | "payment" | "refund";

export interface BookEntry {
  kind: Kind;
  id: string;
  businessId: string;
  /** The id under which payrail asked the partner. */
  key: string;
  /** The name of the partner; undefined if no partner was asked yet. */
  partner?: string;
  status: string;
  /** Whether the money moved for good, did not move, or the outcome is still open. */
  outcome: "open" | "done" | "undone";
  amountMinor: number;
  currency: Currency;
  /** The time of its last change of state; epoch ms. */
  changedAt: number;
  /** The time since which no answer of the partner has shown the outcome; epoch ms. */
  unknownSince?: number;
  /** It has ended, and the services still ask the partner, so they notice a return themselves. */
  isWatched: boolean;
}

/** Documents from before these fields existed do not have them. */
type Keyed<T> = T & { key?: string };
type Sent<T> = T & { rail?: string };

export type Books = ReturnType<typeof openBooks>;

export function openBooks(db: mongo.Db) {
  return {
    payout: shelf(db.collection<Sent<Payout>>("payouts"), "rail", payoutEntry),
    payment: shelf(db.collection<Keyed<Payment>>("payments"), "acquirer", paymentEntry),
    refund: shelf(db.collection<Keyed<Refund>>("payment_refunds"), "acquirer", refundEntry),
  };
}

const READ_AT_ONCE = 1_000;

function shelf<T extends { _id: string; key?: string }>(
  documents: mongo.Collection<T>,
  partnerField: "rail" | "acquirer",
  toEntry: (document: T) => BookEntry,
) {
  const read = (filter: object) => documents.find(filter as mongo.Filter<T>, MAJORITY);
  return {
    /** Finds the entries of these ids, by id; an unknown id has no entry. */
    async find(keys: string[]): Promise<Map<string, BookEntry>> {
      const byId = { _id: { $in: keys } };
      // payrail asks a rail under the payout's id. It asks an acquirer under the key if the
      // document has one; the partner then does not know the document's id.
      const byKey = { $or: [{ key: { $in: keys } }, { ...byId, key: { $exists: false } }] };
      const found = read(partnerField === "rail" ? byId : byKey).map((each) => toEntry(each as T));
      return new Map((await found.toArray()).map((entry) => [entry.key, entry]));
    },
    /** The entries since a time (epoch ms) that name this partner, oldest first. */
    async *made(partner: string, since: number): AsyncGenerator<BookEntry> {
      const filter = { _id: { $gte: lowestIdAt(since) }, [partnerField]: partner };
      const found = read(filter).sort({ _id: 1 }).batchSize(READ_AT_ONCE);
      for await (const each of found) yield toEntry(each as T);
    },
  };
}

function kept(document: Resumable) {
  const { _id: id, businessId, status, states, unknownSince } = document;
  return {
    id,
    businessId,
    status,
    changedAt: states.at(-1)?.at ?? creationTime(id),
    ...(unknownSince !== undefined && { unknownSince }),
  };
}

function payoutEntry(payout: Sent<Payout>): BookEntry {
  const { _id: key, rail, step, amountMinor, currency } = payout;
  return {
    ...kept(payout),
    kind: "payout",
    key,
    ...(rail !== undefined && { partner: rail }),
    outcome: payoutOutcome(payout),
    amountMinor,
    currency,
    isWatched: step === "watch",
  };
}

function payoutOutcome({ step, status }: Payout): BookEntry["outcome"] {
  if (step === "declined" || status === "FAILED") return "undone";
  // At `reverse` the outcome is decided, and the money is still going back.
  return status === "SUCCESS" && step !== "reverse" ? "done" : "open";
}

function paymentEntry(payment: Keyed<Payment>): BookEntry {
  return {
    ...kept(payment),
    ...chargedEntry(payment),
    kind: "payment",
    amountMinor: payment.totalMinor,
  };
}

function refundEntry(refund: Keyed<Refund>): BookEntry {
  const entry = { ...kept(refund), ...chargedEntry(refund), amountMinor: refund.amountMinor };
  const isDeclined = refund.step === "declined";
  return { ...entry, kind: "refund", ...(isDeclined && { outcome: "undone" }) };
}

function chargedEntry({ _id, key, acquirer, status, currency }: Keyed<Payment> | Keyed<Refund>) {
  return {
    key: key ?? _id,
    partner: acquirer,
    outcome: CHARGE_OUTCOMES[status],
    currency,
    isWatched: false,
  };
}

const CHARGE_OUTCOMES = { PENDING: "open", SUCCEEDED: "done", FAILED: "undone" } as const;
