// Businesses, their end users and their API clients. Changing clients needs all scopes, because a
// token could otherwise get more scopes through a new client or another client's secret.

import { ALL_SCOPES } from "../../../shared/contracts/accounts.ts";
import { walletLedger } from "../../../shared/contracts/wallet-ledger.ts";
import { ADMIN, OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";
import { listOfBusiness } from "./operators.ts";

const BUSINESS = "/v1/business/:businessId";
const CLIENTS = `${BUSINESS}/api-clients` as const;
const WRITE = ownBusinessWith(ALL_SCOPES);
const ID = "0198c0de-7a51-7000-8000-3f1d5a2b9c01";

const client = {
  id: "0198c0de-7a52-7000-8000-5b0e8c61d2f4",
  name: "Back office",
  scopes: ["external.apis"],
  allowedAddresses: [],
  disabled: false,
  createdAt: "2026-01-05T09:30:00.000Z",
  rotatedAt: null,
};
const clientExample = {
  request: { name: "Back office" },
  response: {
    success: true,
    data: { ...client, clientSecret: "4u1jJQbX0mYt2kWc7h3vS9oEr8nZqLpAiDgFyHxUaKM" },
  },
};

export const businessRoutes: Route[] = [
  route("POST /v1/admin/businesses", ADMIN, "createBusiness", "accounts.createBusiness", {
    status: 201,
    example: {
      request: { name: "Acme", email: "payments@acme.example" },
      response: {
        success: true,
        data: {
          id: ID,
          name: "Acme",
          email: "payments@acme.example",
          createdAt: "2026-01-05T09:30:00.000Z",
          clientId: client.id,
          clientSecret: clientExample.response.data.clientSecret,
        },
      },
    },
  }),
  route("GET /v1/admin/businesses", ADMIN, "listBusinesses", "accounts.businesses"),
  route("GET /v1/admin/businesses/:businessId", ADMIN, "getBusinessAsAdmin", "accounts.business"),
  route(
    "GET /v1/admin/businesses/:businessId/entities",
    ADMIN,
    "listEntitiesAsAdmin",
    "accounts.entities",
  ),
  route(
    "GET /v1/admin/businesses/:businessId/entities/:entityId",
    ADMIN,
    "getEntityAsAdmin",
    "accounts.entity",
  ),
  listOfBusiness(
    "GET /v1/admin/businesses/:businessId/wallets",
    "listWalletsAsAdmin",
    walletLedger["wallet-ledger.businessWallets"],
    (params, call) => call("wallet-ledger.businessWallets", params),
  ),
  // For a business that has lost its secrets or disabled all its clients.
  route(
    "POST /v1/admin/businesses/:businessId/api-clients",
    ADMIN,
    "createApiClientAsAdmin",
    "accounts.createClient",
    {
      status: 201,
      example: clientExample,
    },
  ),
  route(`GET ${BUSINESS}`, OWN_BUSINESS, "getBusiness", "accounts.business"),
  route(`POST ${BUSINESS}/entities`, OWN_BUSINESS, "createEntity", "accounts.createEntity", {
    status: 201,
    example: {
      request: { email: "ada@example.com", externalIdentifier: "customer-1" },
      response: {
        success: true,
        data: {
          id: "0198c0de-7a53-7000-8000-9c1f7d20e3a5",
          email: "ada@example.com",
          externalIdentifier: "customer-1",
          entityType: "USER",
          createdAt: client.createdAt,
        },
      },
    },
  }),
  route(`GET ${BUSINESS}/entities`, OWN_BUSINESS, "listEntities", "accounts.entities"),
  route(`GET ${BUSINESS}/entities/:entityId`, OWN_BUSINESS, "getEntity", "accounts.entity"),
];

export const clientRoutes: Route[] = [
  route(`POST ${CLIENTS}`, WRITE, "createApiClient", "accounts.createClient", {
    status: 201,
    example: clientExample,
  }),
  route(`GET ${CLIENTS}`, OWN_BUSINESS, "listApiClients", "accounts.clients"),
  route(`GET ${CLIENTS}/:clientId`, OWN_BUSINESS, "getApiClient", "accounts.client"),
  route(`PATCH ${CLIENTS}/:clientId`, WRITE, "updateApiClient", "accounts.updateClient", {
    example: {
      request: { disabled: true },
      response: { success: true, data: { ...client, disabled: true } },
    },
  }),
  route(
    `POST ${CLIENTS}/:clientId/rotate-secret`,
    WRITE,
    "rotateApiClientSecret",
    "accounts.rotateClientSecret",
  ),
];
