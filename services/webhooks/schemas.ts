// The collections of the webhooks service.

import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { endpointSchema } from "./endpoints/endpoint.model.ts";
import { deliverySchema } from "./queue/delivery.model.ts";
import { eventSchema } from "./queue/event.model.ts";
import { keptSchema } from "./retention.ts";

export const schemas = {
  webhook_endpoints: endpointSchema,
  webhook_events: eventSchema,
  webhook_deliveries: deliverySchema,
  webhook_retention: keptSchema,
  webhook_idempotency_keys: keyedRequestSchema,
};
