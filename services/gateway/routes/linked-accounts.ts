// Linked accounts and the application tokens with which end users link theirs.

import { contractFor, type Result } from "../../../shared/contracts/contracts.ts";
import { internationalLink } from "../../../shared/contracts/international-data.ts";
import {
  type AnswerForm,
  EXTERNAL,
  envelope,
  OWN_BUSINESS,
  ownBusinessWith,
  type Route,
  route,
} from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";
const WRITE = ownBusinessWith("linked-accounts");

const MESSAGE = "International bank account linked";

const internationalAnswer: AnswerForm<Result<"accounts.linkInternational">> = {
  statuses: [200],
  schema: envelope({
    message: { type: "string", description: "The result, for people" },
    data: { description: "The result", ...contractFor("accounts.linkInternational").result.schema },
  }),
  of: (data) => ({ status: 200, body: { success: true, message: MESSAGE, data } }),
};

const internationalExample = {
  request: {
    label: "Main account",
    data: {
      recipientType: "personal",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      accountNumber: "DE89 3704 0044 0532 0130 00",
      swiftOrBic: "COBADEFF",
      bankName: "Commerzbank",
      recipientAddress: "Unter den Linden 1",
      recipientCity: "Berlin",
      recipientState: "Berlin",
      recipientCountry: "DE",
      recipientPostalCode: "10117",
      nickName: "Savings",
    },
  },
  response: {
    success: true,
    message: MESSAGE,
    data: { id: "0198c0de-7a51-7000-8000-3f1d5a2b9c02" },
  },
};

/**
 * The whole body goes to accounts, because accounts checks it after the application token in the
 * path (docs/integrate/rest-api.md, International accounts).
 */
const internationalRoute: Route = route(
  "POST /v1/ext/application-token/:token/linked-accounts/:currency/link/international_bank/:step",
  EXTERNAL,
  "linkInternationalAccount",
  "accounts.linkInternational",
  {
    from: { body: ({ body }) => body },
    body: internationalLink,
    answer: internationalAnswer,
    example: internationalExample,
  },
);

export const linkedAccountRoutes: Route[] = [
  route(
    `POST ${BUSINESS}/linked-accounts/:currency`,
    WRITE,
    "createLinkedAccount",
    "accounts.linkAccount",
    {
      status: 201,
    },
  ),
  route(
    `DELETE ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    WRITE,
    "deleteLinkedAccount",
    "accounts.unlinkAccount",
  ),
  route(
    `PATCH ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    WRITE,
    "updateLinkedAccount",
    "accounts.renameLinkedAccount",
  ),
  internationalRoute,
  route(
    `POST ${BUSINESS}/application-tokens`,
    WRITE,
    "createApplicationToken",
    "accounts.createApplicationToken",
    {
      status: 201,
    },
  ),
  route(
    `GET ${BUSINESS}/application-tokens`,
    OWN_BUSINESS,
    "listApplicationTokens",
    "accounts.applicationTokens",
  ),
];
