// The health of endpoints, as merchants see it. It is read from the endpoint, which is written only
// when its failures begin or end, and from its stored deliveries, so a delivery costs no write more.

import { EVENT_TYPES } from "../../../shared/contracts/events.ts";
import { MAX_WAITING_COUNTED } from "../../../shared/contracts/webhooks.ts";
import type { EndpointHealth, Models } from "../deps.ts";
import type { Endpoint } from "../endpoints/endpoint.model.ts";
import { type Delivery, DUE_INDEX, OF_ENDPOINT } from "./delivery.model.ts";

/**
 * The newest deliveries that are read for the last success. An older one may have succeeded last,
 * after retries.
 */
const NEWEST_READ = 20;

export async function readHealth(
  { webhook_deliveries: deliveries }: Pick<Models, "webhook_deliveries">,
  { _id: endpointId, failingSince }: Endpoint,
): Promise<EndpointHealth> {
  const [delivered, waiting] = await Promise.all([
    deliveries
      .find(
        { endpointId, status: "DELIVERED", eventType: { $in: [...EVENT_TYPES] } },
        { endpointId: 1, attempts: { $slice: -1 } },
      )
      .sort({ _id: -1 })
      .limit(NEWEST_READ)
      .hint(OF_ENDPOINT)
      .lean<Pick<Delivery, "attempts">[]>(),
    deliveries
      .countDocuments({ endpointId, status: "PENDING" })
      .hint(DUE_INDEX)
      .limit(MAX_WAITING_COUNTED),
  ]);
  const successes = delivered.flatMap(({ attempts }) => attempts.map(({ at }) => at.getTime()));
  return {
    failingSince: failingSince?.toISOString() ?? null,
    lastSuccessAt: successes.length > 0 ? new Date(Math.max(...successes)).toISOString() : null,
    waiting,
  };
}
