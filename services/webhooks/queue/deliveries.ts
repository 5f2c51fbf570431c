// Deliveries as merchants see them, and their end when an endpoint is disabled or deleted. A list
// fits into one message between services.

import type { FilterQuery } from "mongoose";
import type { Params, Result } from "../../../shared/contracts/contracts.ts";
import {
  DELIVERY_STATUSES,
  type DeadLetterReason,
  MAX_ATTEMPTS_LISTED,
  MAX_DELIVERIES_SHOWN,
} from "../../../shared/contracts/deliveries.ts";
import { EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { fail } from "../../../shared/errors.ts";
import { lowestIdAt } from "../../../shared/ids.ts";
import { isTooLong, newestFirst } from "../../../shared/storage/paging.ts";
import type { Models } from "../deps.ts";
import { type Delivery, deadLettered, OF_ENDPOINT, OF_TRANSACTION } from "./delivery.model.ts";

interface Stored {
  models: Pick<Models, "webhook_deliveries">;
}

/** The deliveries of a transaction are shown with the URLs of their endpoints. */
interface StoredWithEndpoints {
  models: Models;
}

type DeliveryView = Result<"webhooks.delivery">;
type ListParams = Omit<Params<"webhooks.deliveries">, "businessId">;

const LAST_ATTEMPTS = { attempts: { $slice: -MAX_ATTEMPTS_LISTED } };

/** The deliveries of an endpoint that pass the filters, newest first. */
export async function listDeliveries(
  { models }: Stored,
  { id: endpointId, status, eventType, transactionId, since, ...paging }: ListParams,
): Promise<Result<"webhooks.deliveries">> {
  const filter: FilterQuery<Delivery> = {
    endpointId,
    status: { $in: status ? [status] : [...DELIVERY_STATUSES] },
    eventType: { $in: eventType ? [eventType] : [...EVENT_TYPES] },
    ...(transactionId !== undefined && { transactionId, eventId: { $ne: transactionId } }),
    ...(since !== undefined && { _id: { $gte: lowestIdAt(Date.parse(since)) } }),
  };
  const hint = transactionId === undefined ? OF_ENDPOINT : OF_TRANSACTION;
  const options = { hint, projection: LAST_ATTEMPTS };
  const { documents, nextCursor } = await newestFirst(
    models.webhook_deliveries,
    filter,
    paging,
    options,
  );
  return { items: listed(documents), meta: { nextCursor } };
}

/** The deliveries of transactions to all endpoints, each transaction's oldest first. */
export async function listOfTransactions(
  { models }: StoredWithEndpoints,
  { businessId, transactionIds }: Params<"webhooks.deliveriesOf">,
): Promise<Result<"webhooks.deliveriesOf">> {
  const found = await models.webhook_deliveries
    .find({ transactionId: { $in: transactionIds }, businessId }, LAST_ATTEMPTS)
    .sort({ transactionId: 1, seq: 1, _id: 1 })
    .limit(MAX_DELIVERIES_SHOWN)
    .lean();
  const views = listed(found);
  const endpoints = await models.webhook_endpoints.findByIds([
    ...new Set(found.map(({ endpointId }) => endpointId)),
  ]);
  const urls = new Map(endpoints.map(({ _id, url }) => [_id, url]));
  const named = views.map((view, i) => ({
    ...view,
    endpointUrl: urls.get(found[i]?.endpointId ?? "") ?? null,
  }));
  return isTooLong(named) ? views : named;
}

/** @throws DELIVERY_NOT_FOUND */
export async function findDelivery(
  { models }: Stored,
  endpointId: string,
  id: string,
): Promise<Delivery> {
  const found = await models.webhook_deliveries.findOne({ _id: id, endpointId }).lean();
  return found ?? fail("DELIVERY_NOT_FOUND");
}

/**
 * Ends the pending deliveries of an endpoint that was disabled or deleted. A running attempt
 * records its own outcome; a later claim of that delivery finds the endpoint disabled or gone.
 */
export async function endPending(
  { models }: Stored,
  endpointId: string,
  reason: DeadLetterReason,
): Promise<void> {
  const pending = { endpointId, status: "PENDING", claim: null };
  await models.webhook_deliveries.updateMany(pending, deadLettered(reason));
}

/** A delivery with all kept attempts. */
export function deliveryView(delivery: Delivery): DeliveryView {
  const { _id, endpointId, eventId, eventType, transactionId, status, deadLetterReason } = delivery;
  return {
    id: _id,
    endpointId,
    eventId,
    eventType,
    // An event without a transaction is ordered under its own id.
    transactionId: transactionId === eventId ? null : transactionId,
    status,
    deadLetterReason,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  };
}

/** The deliveries of a list, with as much of their attempts as fits. */
function listed(deliveries: Delivery[]): DeliveryView[] {
  const whole = deliveries.map(deliveryView);
  if (!isTooLong(whole)) return whole;
  const withoutResponses = whole.map((view) => ({
    ...view,
    attempts: view.attempts.map((attempt) => ({ ...attempt, response: null })),
  }));
  if (!isTooLong(withoutResponses)) return withoutResponses;
  return withoutResponses.map((view) => ({ ...view, attempts: view.attempts.slice(-1) }));
}
