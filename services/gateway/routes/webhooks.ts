// Webhook endpoints of a business, and their deliveries.

import {
  accepted,
  created,
  OWN_BUSINESS,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";

export const webhookRoutes: Route[] = [
  route(`POST ${BUSINESS}/webhooks`, ownBusinessWith("webhooks"), "webhooks.createEndpoint", {
    answer: created("webhooks.createEndpoint"),
  }),
  route(`GET ${BUSINESS}/webhooks`, OWN_BUSINESS, "webhooks.endpoints"),
  route(`GET ${BUSINESS}/webhooks/:id`, OWN_BUSINESS, "webhooks.endpoint"),
  route(`PATCH ${BUSINESS}/webhooks/:id`, ownBusinessWith("webhooks"), "webhooks.updateEndpoint"),
  route(`DELETE ${BUSINESS}/webhooks/:id`, ownBusinessWith("webhooks"), "webhooks.deleteEndpoint"),
  route(
    `POST ${BUSINESS}/webhooks/:id/rotate-secret`,
    ownBusinessWith("webhooks"),
    "webhooks.rotateSecret",
  ),
  route(
    `POST ${BUSINESS}/webhooks/:id/test`,
    ownBusinessWith("webhooks"),
    "webhooks.testEndpoint",
    { answer: created("webhooks.testEndpoint") },
  ),
  route(`POST ${BUSINESS}/webhooks/:id/replay`, ownBusinessWith("webhooks"), "webhooks.replay", {
    answer: accepted("webhooks.replay"),
  }),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries`, OWN_BUSINESS, "webhooks.deliveries"),
  route(`GET ${BUSINESS}/webhooks/:id/deliveries/:deliveryId`, OWN_BUSINESS, "webhooks.delivery"),
  route(
    `POST ${BUSINESS}/webhooks/:id/deliveries/:deliveryId/replay`,
    ownBusinessWith("webhooks"),
    "webhooks.replayDelivery",
    { answer: accepted("webhooks.replayDelivery") },
  ),
];
