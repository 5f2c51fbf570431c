// Webhook endpoints of a business, and their deliveries.

import { OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";
const WRITE = ownBusinessWith("webhooks");

export const webhookRoutes: Route[] = [
  route(`POST ${BUSINESS}/webhooks`, WRITE, "createWebhook", "webhooks.createEndpoint", {
    status: 201,
  }),
  route(`GET ${BUSINESS}/webhooks`, OWN_BUSINESS, "listWebhooks", "webhooks.endpoints"),
  route(`GET ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "getWebhook", "webhooks.endpoint"),
  route(`PATCH ${BUSINESS}/webhooks/:id`, WRITE, "updateWebhook", "webhooks.updateEndpoint"),
  route(`DELETE ${BUSINESS}/webhooks/:id`, WRITE, "deleteWebhook", "webhooks.deleteEndpoint"),
  route(
    `POST ${BUSINESS}/webhooks/:id/rotate-secret`,
    WRITE,
    "rotateWebhookSecret",
    "webhooks.rotateSecret",
  ),
  route(`POST ${BUSINESS}/webhooks/:id/test`, WRITE, "testWebhook", "webhooks.testEndpoint", {
    status: 201,
  }),
  route(`POST ${BUSINESS}/webhooks/:id/replay`, WRITE, "replayDeliveries", "webhooks.replay", {
    status: 202,
  }),
  route(
    `GET ${BUSINESS}/webhooks/:id/deliveries`,
    OWN_BUSINESS,
    "listDeliveries",
    "webhooks.deliveries",
  ),
  route(
    `GET ${BUSINESS}/webhooks/:id/deliveries/:deliveryId`,
    OWN_BUSINESS,
    "getDelivery",
    "webhooks.delivery",
  ),
  route(
    `POST ${BUSINESS}/webhooks/:id/deliveries/:deliveryId/replay`,
    WRITE,
    "replayDelivery",
    "webhooks.replayDelivery",
    { status: 202 },
  ),
];
