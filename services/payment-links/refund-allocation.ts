// What of a payment is refunded: its document reserves a part for each refund before any money moves,
// so that however many race, their sum never exceeds what was charged. An entry stays for good, empty
// where it was given back: whoever comes late with the same refund finds it, and reserves nothing.

import type { mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { MAJORITY } from "../../shared/database.ts";
import type { Payment } from "./payment.model.ts";
import type { Refund } from "./refund.model.ts";

/** In minor units: what goes back to the customer, and the part of it that is the fee's. */
export interface Share {
  amountMinor: number;
  feesMinor: number;
}

type Refundable = Pick<
  Payment,
  "status" | "totalMinor" | "feesMinor" | "refundedMinor" | "refundedFeesMinor" | "refunds"
>;

/** Of one payment. */
export const MOST_REFUNDS = 200;
/** Entries of refunds that were given back stay; they are small, and a payment's document is bounded. */
const MOST_ENTRIES = 5_000;

/**
 * The part of a payment that a refund gets; pure.
 * @param askedMinor in minor units; null for all that is left
 * @returns null where that is more than what is left, or nothing
 */
export function shareOf(payment: Refundable, askedMinor: number | null): Share | null {
  const { status, totalMinor, feesMinor, refundedMinor, refundedFeesMinor, refunds } = payment;
  const left = totalMinor - refundedMinor;
  const amountMinor = askedMinor ?? left;
  const kept = refunds?.filter((entry) => entry.amountMinor > 0) ?? [];
  const hasRoom = kept.length < MOST_REFUNDS && (refunds?.length ?? 0) < MOST_ENTRIES;
  if (status !== "SUCCEEDED" || !hasRoom || amountMinor <= 0 || amountMinor > left) return null;
  const feesLeft = feesMinor - refundedFeesMinor;
  const even = proportion(feesMinor, amountMinor, totalMinor);
  // What the account keeps after it must not be more than it got; so the last one takes the rest.
  const least = refundedMinor + amountMinor - refundedFeesMinor - (totalMinor - feesMinor);
  const most = Math.min(amountMinor, feesLeft);
  return { amountMinor, feesMinor: Math.min(Math.max(even, least, 0), most) };
}

/** `whole * part / of`, rounded half up. In BigInt: the product may be no safe integer. */
function proportion(whole: number, part: number, of: number): number {
  return Number((2n * BigInt(whole) * BigInt(part) + BigInt(of)) / (2n * BigInt(of)));
}

interface Books {
  payments: mongo.Collection<Payment>;
  clock: Clock;
}

const TRIES_AT_MOST = 200;
const TRY_AGAIN_AFTER_MS = 10;

/**
 * Reserves a refund's part of its payment, or finds what is reserved.
 * @returns null where that is more than what is left
 * @throws where too many others reserve at once: it is tried again
 */
export async function allocate(
  { payments, clock }: Books,
  { _id: id, paymentId, askedMinor }: Refund,
): Promise<Share | null> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const payment = await payments.findOne({ _id: paymentId }, MAJORITY);
    if (!payment) return null;
    const known = payment.refunds?.find((entry) => entry.id === id);
    if (known) return known.amountMinor > 0 ? known : null;
    const share = shareOf(payment, askedMinor);
    if (!share) return null;
    const { refundedMinor, refundedFeesMinor } = payment;
    const { matchedCount } = await payments.updateOne(
      { _id: paymentId, refundedMinor, refundedFeesMinor, "refunds.id": { $ne: id } },
      {
        $inc: { refundedMinor: share.amountMinor, refundedFeesMinor: share.feesMinor },
        $push: { refunds: { id, ...share } },
      },
    );
    if (matchedCount === 1) return share;
    await clock.sleep(TRY_AGAIN_AFTER_MS);
  }
  throw new Error(`Too many others refund payment ${paymentId}`);
}

/** Gives a refund's part of its payment back; done again it changes nothing. */
export async function giveBack(
  { payments }: Pick<Books, "payments">,
  { _id: id, paymentId, amountMinor, feesMinor }: Refund,
): Promise<void> {
  await payments.updateOne(
    { _id: paymentId, refunds: { $elemMatch: { id, amountMinor: { $gt: 0 } } } },
    {
      $inc: { refundedMinor: -amountMinor, refundedFeesMinor: -feesMinor },
      $set: { "refunds.$.amountMinor": 0, "refunds.$.feesMinor": 0 },
    },
  );
}
