// The hold of billing after a restore. The restored books lack the usage and the seats that
// merchants have reported since the restore point, and the acquirer has charged for them. So an
// invoice of what is left would ask for another sum under the same key. `npm run hold-billing`
// holds the subscriptions that bill by reports, before any service runs. Merchants report again,
// and an operator releases the subscriptions, of one business or of all. Then the due invoices are
// issued one by one, as after a stop of the services.
//
// A held subscription issues no invoice and passes no boundary, so that its merchant can repeat
// what happened before its end after the end, too. An invoice that was stored before is collected,
// with its retries, because it has the sum that the acquirer knows.

import type { mongo } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import { failField } from "../../../shared/errors.ts";
import { isoTime } from "../../../shared/iso-time.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "./deps.ts";
import type { Subscription } from "./subscription.model.ts";

/** The types of plans of which an invoice depends on what the merchant reports. */
const BILLED_BY_REPORTS: Subscription["plan"]["charge"]["type"][] = ["consumption", "seating"];

/**
 * Holds all subscriptions that bill by reports. One that is held already stays so.
 * @param now epoch ms
 * @returns how many are held now
 */
export async function holdBilling(
  subscriptions: mongo.Collection<Subscription>,
  now: number,
): Promise<number> {
  const isBilledByReports = { "plan.charge.type": { $in: BILLED_BY_REPORTS } };
  await subscriptions.updateMany(
    { ...isBilledByReports, step: { $ne: "closed" }, heldSince: { $exists: false } },
    { $set: { heldSince: now }, $inc: { v: 1 } },
  );
  return subscriptions.countDocuments({ heldSince: { $exists: true } }, MAJORITY);
}

/** A moment that a merchant names for what it repeats after a restore. */
interface Repeated {
  field: "at" | "askedAt";
  /** Epoch ms by the business's clock, as the two below. */
  at: number;
  /** The last invoice or change. */
  earliest: number;
  now: number;
}

/** @throws VALIDATION if billing is not held, or if it cannot have happened at the moment */
export function checkRepeated(
  { heldSince }: Pick<Subscription, "heldSince">,
  { field, at, earliest, now }: Repeated,
): number {
  if (heldSince === undefined) failField(field, "may be given only while billing is held");
  if (at >= earliest && at <= now) return at;
  const bounds = `from ${isoTime(earliest)}, the last invoice or change, to now`;
  return failField(field, `must be ${bounds}`);
}

/** The change of a subscription that is due: it waits for its release. */
export function untilReleased(): Change<Subscription> {
  return { set: { dueAt: undefined }, next: "never" };
}

/** Releases the held subscriptions of a business, or of all businesses. Released ones stay so. */
export async function releaseBilling(
  { subscriptions: { documents }, businessNow, clock }: BillingDeps,
  { businessId }: Params<"payment-links.releaseBilling">,
): Promise<Result<"payment-links.releaseBilling">> {
  const isHeld = { heldSince: { $exists: true } };
  const businesses = businessId
    ? [businessId]
    : await documents.distinct("businessId", isHeld, MAJORITY);
  let released = 0;
  for (const each of businesses) {
    const dueAt = await businessNow(each);
    released += await release(documents, { ...isHeld, businessId: each }, dueAt, clock.now());
  }
  return { released, held: await documents.countDocuments(isHeld, MAJORITY) };
}

/**
 * Only a subscription that waits for its release has no time at which it is due: that is now. The
 * new version makes a driver lose that has read it while it was held.
 * @param dueAt epoch ms by the business's clock
 * @param now epoch ms, real
 */
async function release(
  subscriptions: mongo.Collection<Subscription>,
  filter: mongo.Filter<Subscription>,
  dueAt: number,
  now: number,
): Promise<number> {
  const isWaiting = { $eq: [{ $type: "$dueAt" }, "missing"] };
  const { modifiedCount } = await subscriptions.updateMany(filter, [
    {
      $set: {
        v: { $add: ["$v", 1] },
        nextAttemptAt: { $cond: [isWaiting, now, "$nextAttemptAt"] },
        stepAt: { $cond: [isWaiting, "$$REMOVE", "$stepAt"] },
        dueAt: { $ifNull: ["$dueAt", dueAt] },
      },
    },
    { $unset: "heldSince" },
  ]);
  return modifiedCount;
}
