// The claims of payments: on an Idempotency-Key, on a link that is paid once or on its customer,
// and on an address's share of declines. The insert decides over all replicas (unique indexes). The
// claims are read before the insert, for an early answer, and after a refused one, to find the
// payment that was first.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { OUTCOME_WITHIN_MS } from "../../../shared/contracts/payments.ts";
import { fail } from "../../../shared/errors.ts";
import { creationTime, lowestIdAt } from "../../../shared/ids.ts";
import { gather } from "../../../shared/resumable/gather.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { Payment } from "./payment.model.ts";

/** The claims that a new payment would make. */
export interface WantedClaims {
  /** The keyed fingerprint, as payments store it. */
  address: string;
  idempotencyKey?: string;
  /** The link, or the customer at the link. */
  holds?: string;
}

export interface Claims {
  /** Ids of the payments of the address that were declined in the last minutes. */
  declines: string[];
  byKey: Payment | null;
  holder: Payment | null;
}

/** After this many declines of one address at one link within the window, the answer is 429. */
const DECLINES_AT_MOST = 10;
export const DECLINES_WINDOW_MS = 600_000;
/** How long at least a key stands for its payment, or subscription. */
export const KEY_KEPT_MS = 24 * 3_600_000;

const BATCH = { maxItems: 200 };

export function gatherClaims(
  payments: mongo.Collection<Payment>,
  clock: Clock,
): (wanted: WantedClaims) => Promise<Claims> {
  return gather<WantedClaims, Claims>(async (batch) => {
    const since = lowestIdAt(clock.now() - DECLINES_WINDOW_MS);
    const keys = batch.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    const links = batch.flatMap(({ holds }) => holds ?? []);
    const addresses = batch.map(({ address }) => address);
    // One query, because a query costs more than the documents that it reads. Each part has an
    // index of its own.
    const anyOf: mongo.Filter<Payment>[] = [
      { address: { $in: addresses }, declined: { $exists: true }, _id: { $gte: since } },
      ...(keys.length > 0 ? [{ idempotencyKey: { $in: keys } }] : []),
      ...(links.length > 0 ? [{ holds: { $in: links } }] : []),
    ];
    const found = await payments.find({ $or: anyOf }, MAJORITY).toArray();
    const declined = found.filter((each) => each.declined !== undefined && each._id >= since);
    const byAddress = Map.groupBy(declined, ({ address }) => address);
    const byKey = new Map(found.map((payment) => [payment.idempotencyKey, payment]));
    const byLink = new Map(found.map((payment) => [payment.holds, payment]));
    return batch.map(({ address, idempotencyKey, holds }) => ({
      declines: (byAddress.get(address) ?? []).map(({ _id }) => _id),
      byKey: (idempotencyKey !== undefined && byKey.get(idempotencyKey)) || null,
      holder: (holds !== undefined && byLink.get(holds)) || null,
    }));
  }, BATCH);
}

/**
 * Refuses an address that tries out cards.
 * @throws RATE_LIMITED
 */
export function checkDeclines({ declines }: Claims, now: number): void {
  const newest = declines.toSorted().slice(-DECLINES_AT_MOST);
  if (newest.length < DECLINES_AT_MOST) return;
  const freeAt = creationTime(newest[0] as string) + DECLINES_WINDOW_MS;
  fail("RATE_LIMITED", undefined, {
    retryAfterS: Math.max(1, Math.ceil((freeAt - now) / 1_000)),
  });
}

/**
 * The payment that a repeated request is about.
 * @throws KEY_REUSED if the key came with another request, STILL_RUNNING while its caller waits
 */
export function checkRepeat(payment: Payment, requestHash: string, now: number): Payment {
  if (payment.requestHash !== requestHash) return fail("KEY_REUSED");
  // A deadline later than any request waits comes from another clock and is ignored.
  const leftMs = payment.deadline - now;
  const isWaitedFor = leftMs > 0 && leftMs <= OUTCOME_WITHIN_MS;
  return payment.status === "PENDING" && isWaitedFor ? fail("STILL_RUNNING") : payment;
}

/**
 * For how long a customer's success is remembered at an open link
 * (docs/integrate/payment-links.md).
 */
export const REMEMBERED_MS = 600_000;

/** Whether a success at an open link is no longer remembered. An unknown outcome always is. */
export function isHoldOver({ status, holds, linkId, states }: Payment, now: number): boolean {
  if (status === "PENDING" || holds === linkId) return false;
  return now - (states[0]?.at ?? 0) >= REMEMBERED_MS;
}

/**
 * Refuses a payment because another one holds the link, or its customer. A customer at the same
 * address learns which one.
 * @param address the network address of the request, as payments store it
 * @throws LINK_BUSY if that payment may still succeed; if it succeeded, USED_RECENTLY at an open
 *   link, otherwise LINK_NOT_PAYABLE
 */
export function refuseHeld(holder: Payment, address: string): never {
  const { _id: id, status, holds, linkId } = holder;
  const isOpenLink = holds !== linkId;
  const data = isOpenLink && holder.address === address ? { id } : {};
  if (status !== "SUCCEEDED") return fail("LINK_BUSY", undefined, data);
  return fail(isOpenLink ? "USED_RECENTLY" : "LINK_NOT_PAYABLE", undefined, data);
}

/**
 * Whether the key of a payment is free again. While the payment is PENDING it is not: the
 * customer's repeat would be a second charge beside one that may be captured.
 */
export function isKeyOver({ _id, status }: Payment, now: number): boolean {
  return status !== "PENDING" && now - creationTime(_id) >= KEY_KEPT_MS;
}
