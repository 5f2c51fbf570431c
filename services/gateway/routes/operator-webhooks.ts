// The webhooks of any business for an operator, who reads them, enables an endpoint again and sends
// deliveries again as the business itself does.

import { webhooks } from "../../../shared/contracts/webhooks.ts";
import { ADMIN, type Route, route } from "../http/route.ts";
import { listOfBusiness, noted } from "./operators.ts";

const WEBHOOKS = "/v1/admin/businesses/:businessId/webhooks";
const ONE = `${WEBHOOKS}/:id`;
const DELIVERY = `${ONE}/deliveries/:deliveryId`;

export const operatorWebhookRoutes: Route[] = [
  listOfBusiness(
    `GET ${WEBHOOKS}`,
    "listWebhooksAsAdmin",
    webhooks["webhooks.endpoints"],
    (params, call) => call("webhooks.endpoints", params),
  ),
  route(`GET ${ONE}`, ADMIN, "getWebhookAsAdmin", "webhooks.endpoint"),
  route(`GET ${ONE}/deliveries`, ADMIN, "listDeliveriesAsAdmin", "webhooks.deliveries"),
  route(`GET ${DELIVERY}`, ADMIN, "getDeliveryAsAdmin", "webhooks.delivery"),
  route(
    "GET /v1/admin/businesses/:businessId/events/:eventId",
    ADMIN,
    "getEventAsAdmin",
    "webhooks.event",
  ),
  noted(
    `POST ${ONE}/enable`,
    "enableWebhookAsAdmin",
    webhooks["webhooks.enableEndpoint"],
    (params, call) => call("webhooks.enableEndpoint", params),
  ),
  noted(
    `POST ${ONE}/replay`,
    "replayDeliveriesAsAdmin",
    webhooks["webhooks.replay"],
    (params, call) => call("webhooks.replay", params),
    { status: 202 },
  ),
  noted(
    `POST ${DELIVERY}/replay`,
    "replayDeliveryAsAdmin",
    webhooks["webhooks.replayDelivery"],
    (params, call) => call("webhooks.replayDelivery", params),
    { status: 202 },
  ),
];
