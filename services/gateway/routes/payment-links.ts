// The HTTP form of payment links and their checkout (docs/rest-api.md, Payment links). The whole
// request of a link goes to payment-links, because its fields are checked alone and together in one
// place.

import { linkRequest } from "../../../shared/contracts/payment-link-data.ts";
import {
  EXTERNAL_APIS,
  OWN_BUSINESS,
  ownBusinessWith,
  PUBLIC,
  type Route,
  route,
} from "../http/route.ts";

const LINKS = "/v1/business/:businessId/payment-links";

const ID = "0198c0de-7a54-7000-8000-2d6b1c0f9e47";
const TOKEN = "o8Jq2vZc5mYt1kWb7h3uS9nEr6xLpAiDgFyHdUaKM04";
const URL = `https://pay.example.com/pay/spring-sale/${TOKEN}`;

const linkExample = {
  request: {
    currency: "USD",
    amount: 25,
    name: "Spring sale",
    customUrlPath: "spring-sale",
    itemDeliveryAddress: "1 Main St, New York",
    cartItems: [{ name: "Tulips", description: "A dozen, red", qty: 1, price: 25 }],
  },
  response: {
    success: true,
    data: {
      url: URL,
      application: {
        id: ID,
        token: TOKEN,
        tokenType: "PAYMENT_LINK",
        expiredAt: "2027-01-05T09:30:00.000Z",
        valid: true,
      },
    },
  },
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
      branding: { logo: null, primaryColor: "#1a2b3c", backgroundColor: null },
      redirectTo: "https://shop.example.com/thanks",
      vault: { fieldUrl: "https://vault.example.com/field" },
    },
  },
};

export const linkRoutes: Route[] = [
  route("POST /v1/ext/collections/payment-link", EXTERNAL_APIS, "payment-links.createLink", {
    from: { body: ({ body }) => body },
    body: linkRequest,
    example: linkExample,
  }),
  route(`GET ${LINKS}`, OWN_BUSINESS, "payment-links.links"),
  route(`GET ${LINKS}/:id`, OWN_BUSINESS, "payment-links.link"),
  route(`POST ${LINKS}/:id/disable`, ownBusinessWith("payment-links"), "payment-links.disableLink"),
];

export const checkoutRoutes: Route[] = [
  route("GET /v1/checkout/:token", PUBLIC, "payment-links.checkout", { example: viewExample }),
];
