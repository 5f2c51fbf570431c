// The HTTP form of payments, as merchants read and refund them.

import { OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";

const PAYMENTS = "/v1/business/:businessId/payments";

export const paymentRoutes: Route[] = [
  route(`GET ${PAYMENTS}`, OWN_BUSINESS, "listPayments", "payment-links.payments"),
  route(`GET ${PAYMENTS}/:id`, OWN_BUSINESS, "getPayment", "payment-links.payment"),
  route(
    `POST ${PAYMENTS}/:id/refunds`,
    ownBusinessWith("refunds"),
    "refundPayment",
    "payment-links.refund",
    {
      status: 201,
    },
  ),
  route(`GET ${PAYMENTS}/:id/refunds`, OWN_BUSINESS, "listRefunds", "payment-links.refunds"),
];
