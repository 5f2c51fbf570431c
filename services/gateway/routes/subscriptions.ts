// The HTTP form of subscriptions: customers save a payment method with a link's token; merchants
// read charges and their reasons, record usage and cancel. The sandbox has a test clock.

import { OWN_BUSINESS, ownBusinessWith, PUBLIC, type Route, route } from "../http/route.ts";
import { byCustomer, customerExample } from "./payments.ts";

const SUBSCRIPTIONS = "/v1/business/:businessId/subscriptions";
const ONE = `${SUBSCRIPTIONS}/:id`;
const WRITE = ownBusinessWith("subscriptions");

const ID = "0198c0de-7a56-7000-8000-41b7c9e05d28";

const setupExample = {
  request: customerExample,
  response: { success: true, data: { subscriptionId: ID, status: "trialing" } },
};

export const setupRoutes: Route[] = [
  route("POST /v1/checkout/:token/setup", PUBLIC, "payment-links.setup", {
    ...byCustomer,
    unknownAs: "SETUP_OUTCOME_UNKNOWN",
    example: setupExample,
  }),
];

export const subscriptionRoutes: Route[] = [
  route(`GET ${SUBSCRIPTIONS}`, OWN_BUSINESS, "payment-links.subscriptions"),
  route(`GET ${ONE}`, OWN_BUSINESS, "payment-links.subscription"),
  route(`GET ${ONE}/invoices`, OWN_BUSINESS, "payment-links.invoices"),
  route(`GET ${ONE}/invoices/:invoiceId`, OWN_BUSINESS, "payment-links.invoice"),
  route(`GET ${ONE}/preview`, OWN_BUSINESS, "payment-links.previewInvoice"),
  route(`POST ${ONE}/usage`, WRITE, "payment-links.recordUsage", { status: 201 }),
  route(`GET ${ONE}/usage`, OWN_BUSINESS, "payment-links.usage"),
  route(`POST ${ONE}/seats`, WRITE, "payment-links.setSeats"),
  route(`POST ${ONE}/cancel`, WRITE, "payment-links.cancelSubscription"),
  route(`POST ${ONE}/payment-method-link`, WRITE, "payment-links.createMethodLink", {
    status: 201,
  }),
];

/** Only in the sandbox: in production, billing follows the real time. */
export const testClock: Route = route(
  "POST /v1/business/:businessId/test-clock",
  WRITE,
  "payment-links.setTestClock",
);
