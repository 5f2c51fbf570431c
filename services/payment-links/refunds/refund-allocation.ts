// The refunded parts of a payment: its document reserves a part for each refund before any money
// moves, so that the sum of racing refunds never exceeds the charge. A declined refund keeps an
// empty entry, and so does a refund after its part was given back: a late driver of the same refund
// finds the entry and reserves nothing.
//
// Invariant: a declined refund reserves nothing, and no stale read declines a refund. So reserving
// and declining are the same compare-and-set on the sums, and the entry that it adds decides.

import type { Clock } from "../../../shared/clock.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import { MOST_REFUNDS, type Payment } from "../payments/payment.model.ts";
import type { RefundDeps } from "./deps.ts";
import type { Refund } from "./refund.model.ts";

interface AllocationDeps {
  clock: Clock;
  payments: Pick<RefundDeps["payments"], "documents">;
}

/** In minor units: the sum that goes back to the customer, and the part of it that is the fee's. */
export interface Share {
  amountMinor: number;
  feesMinor: number;
}

type Refundable = Pick<
  Payment,
  "status" | "totalMinor" | "feesMinor" | "refundedMinor" | "refundedFeesMinor" | "refunds"
>;

/** With more empty entries the older half is removed, so that the payment's document is bounded. */
export const MOST_EMPTY = 1_000;

/**
 * The part of a payment that a refund gets; pure.
 * @param askedMinor in minor units; null for the rest of the payment
 * @returns null if the payment has less than that left, or nothing
 */
export function computeShare(payment: Refundable, askedMinor: number | null): Share | null {
  const { status, totalMinor, feesMinor, refundedMinor, refundedFeesMinor, refunds } = payment;
  const left = totalMinor - refundedMinor;
  const amountMinor = askedMinor ?? left;
  const kept = refunds?.filter((entry) => entry.amountMinor > 0) ?? [];
  const hasRoom = kept.length < MOST_REFUNDS;
  if (status !== "SUCCEEDED" || !hasRoom || amountMinor <= 0 || amountMinor > left) return null;
  const feesLeft = feesMinor - refundedFeesMinor;
  const even = proportion(feesMinor, amountMinor, totalMinor);
  // The account never keeps more than it got, so the last refund returns the rest of the fee.
  const least = refundedMinor + amountMinor - refundedFeesMinor - (totalMinor - feesMinor);
  const most = Math.min(amountMinor, feesLeft);
  return { amountMinor, feesMinor: Math.min(Math.max(even, least, 0), most) };
}

/** `whole * part / of`, rounded half up. In BigInt: the product may be no safe integer. */
function proportion(whole: number, part: number, of: number): number {
  return Number((2n * BigInt(whole) * BigInt(part) + BigInt(of)) / (2n * BigInt(of)));
}

const TRIES_AT_MOST = 200;
const TRY_AGAIN_AFTER_MS = 10;

const NOTHING: Share = { amountMinor: 0, feesMinor: 0 };

/**
 * Reserves a refund's part of its payment, or finds the reserved part.
 * @returns null if the payment has less than that left
 * @throws if the payment cannot be seen, or too many other refunds reserve at the same time; the
 *   step is repeated
 */
export async function allocate(
  { payments, clock }: AllocationDeps,
  { _id: id, paymentId, askedMinor }: Refund,
): Promise<Share | null> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const payment = await payments.documents.findOne({ _id: paymentId }, MAJORITY);
    if (!payment) throw new Error(`Payment ${paymentId} cannot be seen`);
    const known = payment.refunds?.find((entry) => entry.id === id);
    if (known) return known.amountMinor > 0 ? known : null;
    await dropOldEmpty(payments, payment);
    const share = computeShare(payment, askedMinor) ?? NOTHING;
    const { status, refundedMinor, refundedFeesMinor } = payment;
    const { matchedCount } = await payments.documents.updateOne(
      { _id: paymentId, status, refundedMinor, refundedFeesMinor, "refunds.id": { $ne: id } },
      {
        $inc: { refundedMinor: share.amountMinor, refundedFeesMinor: share.feesMinor },
        $push: { refunds: { id, ...share } },
      },
    );
    if (matchedCount === 1) return share.amountMinor > 0 ? share : null;
    await clock.sleep(TRY_AGAIN_AFTER_MS);
  }
  throw new Error(`Too many others refund payment ${paymentId}`);
}

/** Removes the older half of too many empty entries; their ids grow with time. */
async function dropOldEmpty(
  payments: AllocationDeps["payments"],
  { _id, refunds = [] }: Payment,
): Promise<void> {
  const empty = refunds.filter(({ amountMinor }) => amountMinor === 0).map(({ id }) => id);
  if (empty.length < MOST_EMPTY) return;
  const kept = empty.toSorted()[MOST_EMPTY / 2] as string;
  const old = { amountMinor: { $eq: 0 }, id: { $lt: kept } };
  await payments.documents.updateOne({ _id }, { $pull: { refunds: old } });
}

/** Gives a refund's part of its payment back; a repeat changes nothing. */
export async function giveBack(
  { payments }: Pick<AllocationDeps, "payments">,
  { _id: id, paymentId, amountMinor, feesMinor }: Refund,
): Promise<void> {
  await payments.documents.updateOne(
    { _id: paymentId, refunds: { $elemMatch: { id, amountMinor: { $gt: 0 } } } },
    {
      $inc: { refundedMinor: -amountMinor, refundedFeesMinor: -feesMinor },
      $set: { "refunds.$.amountMinor": 0, "refunds.$.feesMinor": 0 },
    },
  );
}
