// The HTTP form of payment links (docs/integrate/rest-api.md, Payment links). The whole request of
// a link goes to payment-links, because its fields are checked alone and together in one place.

import { linkRequest, linkRequestForms } from "../../../shared/contracts/payment-link-data.ts";
import { EXTERNAL_APIS, OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";

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
        expiredAt: "2099-01-05T09:30:00.000Z",
        valid: true,
      },
    },
  },
};

export const linkRoutes: Route[] = [
  route(
    "POST /v1/ext/collections/payment-link",
    EXTERNAL_APIS,
    "createPaymentLink",
    "payment-links.createLink",
    {
      from: { body: ({ body }) => body },
      body: linkRequest,
      bodyForms: linkRequestForms,
      example: linkExample,
    },
  ),
  route(`GET ${LINKS}`, OWN_BUSINESS, "listPaymentLinks", "payment-links.links"),
  route(`GET ${LINKS}/:id`, OWN_BUSINESS, "getPaymentLink", "payment-links.link"),
  route(
    `POST ${LINKS}/:id/disable`,
    ownBusinessWith("payment-links"),
    "disablePaymentLink",
    "payment-links.disableLink",
  ),
];
