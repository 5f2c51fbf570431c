// The backlog of deliveries, for the metrics. Each read goes by the index of pending deliveries and
// ends at a bound.

import type { mongo } from "mongoose";
import type { Clock } from "../../../shared/clock.ts";
import { type Gauge, gauge } from "../../../shared/observability/metrics.ts";
import { type Delivery, DUE_INDEX } from "./delivery.model.ts";

const COUNTED_AT_MOST = 10_000;
const ENDPOINTS_AT_MOST = 5_000;
const PENDING = { status: "PENDING" } as const;

export async function readBacklog(
  deliveries: mongo.Collection<Delivery>,
  clock: Clock,
): Promise<Gauge[]> {
  const now = clock.now();
  const [pending, dueAt] = await Promise.all([
    deliveries.countDocuments(PENDING, { limit: COUNTED_AT_MOST, hint: DUE_INDEX }),
    earliestDue(deliveries),
  ]);
  const waitedMs = Math.max(0, now - (dueAt ?? now));
  return [
    gauge("payrail_webhook_deliveries_pending", pending, {}),
    gauge("payrail_webhook_oldest_due_seconds", waitedMs / 1_000, {}),
  ];
}

/** The earliest next attempt of all endpoints, epoch ms; one key of the index for each endpoint. */
export async function earliestDue(
  deliveries: mongo.Collection<Delivery>,
): Promise<number | undefined> {
  const [first] = await deliveries
    .aggregate<{ at: Date }>(
      [
        { $match: PENDING },
        { $sort: { status: 1, endpointId: 1, nextAttemptAt: 1 } },
        { $group: { _id: "$endpointId", at: { $first: "$nextAttemptAt" } } },
        { $limit: ENDPOINTS_AT_MOST },
        { $sort: { at: 1 } },
        { $limit: 1 },
      ],
      { hint: DUE_INDEX },
    )
    .toArray();
  return first?.at.getTime();
}
