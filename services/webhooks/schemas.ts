// The collections of the webhooks service.

import { keyedRequestSchema } from "../../shared/rpc/idempotency.ts";
import { deliverySchema } from "./delivery.model.ts";
import { endpointSchema } from "./endpoint.model.ts";
import { eventSchema } from "./event.model.ts";
import { keptSchema } from "./retention.ts";

export const schemas = {
  webhook_endpoints: endpointSchema,
  webhook_events: eventSchema,
  webhook_deliveries: deliverySchema,
  webhook_retention: keptSchema,
  webhook_idempotency_keys: keyedRequestSchema,
};
