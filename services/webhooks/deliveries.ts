// Deliveries as merchants see them, and their end where an endpoint goes.

import type { Model } from "mongoose";
import {
  DELIVERY_STATUSES,
  type DeadLetterReason,
  MAX_DELIVERIES_SHOWN,
} from "../../shared/contracts/webhooks.ts";
import type { Result } from "../../shared/contracts.ts";
import { newestFirst } from "../../shared/paging.ts";
import type { Delivery } from "./delivery.model.ts";

type Deliveries = Model<Delivery>;
type DeliveryView = Result<"webhooks.deliveriesOf">[number];

/** The deliveries of an endpoint, newest first. */
export async function listDeliveries(
  deliveries: Deliveries,
  endpointId: string,
  paging: { cursor?: string; limit?: number },
): Promise<Result<"webhooks.deliveries">> {
  const filter = { endpointId, status: { $in: [...DELIVERY_STATUSES] } };
  const { documents, nextCursor } = await newestFirst(deliveries, filter, paging);
  return { items: documents.map(deliveryView), meta: { nextCursor } };
}

/** The deliveries of a transaction to all endpoints, oldest first. */
export async function deliveriesOf(
  deliveries: Deliveries,
  businessId: string,
  transactionId: string,
): Promise<DeliveryView[]> {
  const found = await deliveries
    .find({ transactionId, businessId })
    .sort({ seq: 1, _id: 1 })
    .limit(MAX_DELIVERIES_SHOWN)
    .lean();
  return found.map(deliveryView);
}

/**
 * Ends what is pending for an endpoint that was disabled or deleted. An attempt that is under way
 * still ends as it ends; its next claim finds the endpoint as it is then.
 */
export async function endPending(
  deliveries: Deliveries,
  endpointId: string,
  reason: DeadLetterReason,
): Promise<void> {
  await deliveries.updateMany(
    { endpointId, status: "PENDING", claim: null },
    { status: "DEAD_LETTER", deadLetterReason: reason, nextAttemptAt: null, held: false },
  );
}

function deliveryView(delivery: Delivery): DeliveryView {
  const { _id, eventId, eventType, transactionId, status, deadLetterReason } = delivery;
  return {
    id: _id,
    eventId,
    eventType,
    // An event that tells of no transaction is ordered under its own id.
    transactionId: transactionId === eventId ? null : transactionId,
    status,
    deadLetterReason,
    createdAt: delivery.createdAt.toISOString(),
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  };
}
