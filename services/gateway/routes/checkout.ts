// The HTTP form of the checkout: customers pay, or save a payment method, with a link's token. The
// sandbox has a card vault. Card details go only to the vault, never into a payment.

import type { IncomingHttpHeaders } from "node:http";
import type { Fields } from "../../../shared/contracts/field.ts";
import { paymentLinks } from "../../../shared/contracts/payment-links.ts";
import { PUBLIC, type Route, type RouteRequest, route } from "../http/route.ts";

const { idempotencyKey } = paymentLinks["payment-links.pay"].params;

/** The parameters of a customer's request that are not in its body. */
const byCustomer = {
  from: {
    idempotencyKey: ({ headers }: RouteRequest) => headers["idempotency-key"],
    address: ({ address }: RouteRequest) => address().network,
  },
  headers: { "Idempotency-Key": idempotencyKey } as Fields,
};

const viewExample = {
  response: {
    success: true,
    data: {
      amount: "25.00",
      fees: "1.06",
      total: "26.06",
      name: "Spring sale",
      businessName: "Acme",
      status: "ACTIVE",
      checkoutType: "generic",
      currency: "USD",
      items: [{ name: "Tulips", description: "A dozen, red", qty: 1, price: "25.00" }],
      fields: [
        { name: "Email", required: true },
        { name: "First name", required: true },
        { name: "Last name", required: true },
        { name: "Phone number", required: true },
      ],
      purpose: "pay",
      recurring: null,
      feesOnTop: true,
      dueNow: "26.06",
      firstChargeAt: null,
      branding: {
        logo: null,
        primaryColor: "#1a2b3c",
        backgroundColor: null,
        supportEmail: "help@shop.example.com",
        termsUrl: "https://shop.example.com/terms",
      },
      redirectTo: "https://shop.example.com/thanks",
      isOpenLink: true,
      paymentOptions: ["card"],
      takesTestCards: false,
      vault: { fieldUrl: "https://vault.example.com/field" },
    },
  },
};

const customerExample = {
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
    data: {
      id: "0198c0de-7a55-7000-8000-8f3e2b7d1a60",
      status: "SUCCEEDED",
      redirectTo: "https://shop.example.com/thanks",
    },
  },
};

const setupExample = {
  request: customerExample,
  response: {
    success: true,
    data: {
      subscriptionId: "0198c0de-7a56-7000-8000-41b7c9e05d28",
      status: "trialing",
      manageUrl:
        "https://pay.example.com/subscription/0198c0de-7a56-7000-8000-41b7c9e05d28/hQ3sXv0cJm7TtY2bLr9KpWf5ZgA1NdE8uRoIiHxMk64",
    },
  },
};

export const checkoutRoutes: Route[] = [
  route("GET /v1/checkout/:token", PUBLIC, "getCheckout", "payment-links.checkout", {
    example: viewExample,
  }),
  route("POST /v1/checkout/:token/payments", PUBLIC, "createCheckoutPayment", "payment-links.pay", {
    ...byCustomer,
    unknownAs: "PAYMENT_OUTCOME_UNKNOWN",
    example: payExample,
  }),
  route(
    "GET /v1/checkout/:token/payments/:id",
    PUBLIC,
    "getCheckoutPayment",
    "payment-links.paymentState",
  ),
  route(
    "POST /v1/checkout/:token/payments/:id/continue",
    PUBLIC,
    "continueCheckoutPayment",
    "payment-links.continuePayment",
  ),
  route(
    "GET /v1/checkout/:token/attempts/:key",
    PUBLIC,
    "getCheckoutAttempt",
    "payment-links.attempt",
  ),
  route("POST /v1/checkout/:token/setup", PUBLIC, "createCheckoutSetup", "payment-links.setup", {
    ...byCustomer,
    unknownAs: "SETUP_OUTCOME_UNKNOWN",
    example: setupExample,
  }),
];

/** For the acquirer itself. Its module checks the signature, which covers the bytes of the body. */
export const acquirerNotification: Route = route(
  "POST /v1/acquirers/:acquirer/notifications",
  PUBLIC,
  "notifyOfAcquirer",
  "payment-links.acquirerNotified",
  {
    takesText: true,
    from: {
      headers: ({ headers }) => headersOf(headers),
      body: ({ body }) => body ?? "",
    },
  },
);

/** The headers that a signature may be in; none of payrail's own credentials. */
function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const given = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return Object.fromEntries(given.filter(([name]) => !["authorization", "cookie"].includes(name)));
}

/** Only in the sandbox: elsewhere card details go to the acquirer's own vault. */
export const cardVault: Route = route(
  "POST /v1/sandbox/card-tokens",
  PUBLIC,
  "createCardToken",
  "payment-links.createCardToken",
  { status: 201 },
);
