// The HTTP form of subscriptions: merchants read charges and their reasons, record usage and
// cancel. The sandbox has a test clock.

import { OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";

const SUBSCRIPTIONS = "/v1/business/:businessId/subscriptions";
const ONE = `${SUBSCRIPTIONS}/:id`;
export const WRITE = ownBusinessWith("subscriptions");

export const subscriptionRoutes: Route[] = [
  route(`GET ${SUBSCRIPTIONS}`, OWN_BUSINESS, "listSubscriptions", "payment-links.subscriptions"),
  route(`GET ${ONE}`, OWN_BUSINESS, "getSubscription", "payment-links.subscription"),
  route(`GET ${ONE}/invoices`, OWN_BUSINESS, "listInvoices", "payment-links.invoices"),
  route(`GET ${ONE}/invoices/:invoiceId`, OWN_BUSINESS, "getInvoice", "payment-links.invoice"),
  route(`GET ${ONE}/preview`, OWN_BUSINESS, "previewInvoice", "payment-links.previewInvoice"),
  route(`POST ${ONE}/usage`, WRITE, "recordUsage", "payment-links.recordUsage", { status: 201 }),
  route(`GET ${ONE}/usage`, OWN_BUSINESS, "listUsage", "payment-links.usage"),
  route(`POST ${ONE}/seats`, WRITE, "setSeats", "payment-links.setSeats", {
    // Examples leave out the moments of requests that are repeated after a restore.
    example: { request: { seats: 3 } },
  }),
  route(`POST ${ONE}/cancel`, WRITE, "cancelSubscription", "payment-links.cancelSubscription", {
    example: { request: { at: "now" } },
  }),
  route(
    `POST ${ONE}/payment-method-link`,
    WRITE,
    "createPaymentMethodLink",
    "payment-links.createMethodLink",
    {
      status: 201,
    },
  ),
];
