// The HTTP form of payments: customers pay with a link's token, merchants read their payments, and
// the sandbox has a card vault. Card details go only to the vault, never into a payment.

import { paymentLinks } from "../../../shared/contracts/payment-links.ts";
import type { Fields } from "../../../shared/field.ts";
import {
  OWN_BUSINESS,
  ownBusinessWith,
  PUBLIC,
  type Route,
  type RouteRequest,
  route,
} from "../http/route.ts";

const PAYMENTS = "/v1/business/:businessId/payments";

const { idempotencyKey } = paymentLinks["payment-links.pay"].params;

/** The parameters of a customer's request that are not in its body. */
export const byCustomer = {
  from: {
    idempotencyKey: ({ headers }: RouteRequest) => headers["idempotency-key"],
    address: ({ address }: RouteRequest) => address(),
  },
  headers: { "Idempotency-Key": idempotencyKey } as Fields,
};

const ID = "0198c0de-7a55-7000-8000-8f3e2b7d1a60";

export const customerExample = {
  customer: {
    email: "ada@example.com",
    firstName: "Ada",
    lastName: "Lovelace",
    phone: "+1 555 0100",
  },
  paymentMethod: { type: "card", token: "card_9rT2mXq7Lk0vYb4nHs8dWc1eFj6uZpGiAoRtKxNyQ3E" },
};

const payExample = {
  request: customerExample,
  response: {
    success: true,
    data: { id: ID, status: "SUCCEEDED", redirectTo: "https://shop.example.com/thanks" },
  },
};

export const payRoutes: Route[] = [
  route("POST /v1/checkout/:token/payments", PUBLIC, "payment-links.pay", {
    ...byCustomer,
    unknownAs: "PAYMENT_OUTCOME_UNKNOWN",
    example: payExample,
  }),
  route("GET /v1/checkout/:token/payments/:id", PUBLIC, "payment-links.paymentState"),
];

export const paymentRoutes: Route[] = [
  route(`GET ${PAYMENTS}`, OWN_BUSINESS, "payment-links.payments"),
  route(`GET ${PAYMENTS}/:id`, OWN_BUSINESS, "payment-links.payment"),
  route(`POST ${PAYMENTS}/:id/refunds`, ownBusinessWith("refunds"), "payment-links.refund", {
    status: 201,
  }),
  route(`GET ${PAYMENTS}/:id/refunds`, OWN_BUSINESS, "payment-links.refunds"),
];

/** Only in the sandbox: elsewhere card details go to the acquirer's own vault. */
export const cardVault: Route = route(
  "POST /v1/sandbox/card-tokens",
  PUBLIC,
  "payment-links.createCardToken",
  { status: 201 },
);
