// Webhook endpoints of a business, their deliveries, and its events.

import { OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";
const WRITE = ownBusinessWith("webhooks");

export const webhookRoutes: Route[] = [
  route(`POST ${BUSINESS}/webhooks`, WRITE, "webhooks.createEndpoint", { status: 201 }),
  route(`GET ${BUSINESS}/webhooks`, OWN_BUSINESS, "webhooks.endpoints"),
  route(`GET ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.endpoint"),
  route(`PATCH ${BUSINESS}/webhooks/:id`, WRITE, "webhooks.updateEndpoint"),
  route(`DELETE ${BUSINESS}/webhooks/:id`, WRITE, "webhooks.deleteEndpoint"),
  route(`POST ${BUSINESS}/webhooks/:id/rotate-secret`, WRITE, "webhooks.rotateSecret"),
  route(`POST ${BUSINESS}/webhooks/:id/test`, WRITE, "webhooks.testEndpoint", { status: 201 }),
  route(`POST ${BUSINESS}/webhooks/:id/replay`, WRITE, "webhooks.replay", { status: 202 }),
  route(`GET ${BUSINESS}/events`, OWN_BUSINESS, "webhooks.events"),
  route(`GET ${BUSINESS}/events/:eventId`, OWN_BUSINESS, "webhooks.event"),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries`, OWN_BUSINESS, "webhooks.deliveries"),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries/:deliveryId`, OWN_BUSINESS, "webhooks.delivery"),
  route(
    `POST ${BUSINESS}/webhooks/:id/deliveries/:deliveryId/replay`,
    WRITE,
    "webhooks.replayDelivery",
    { status: 202 },
  ),
];
