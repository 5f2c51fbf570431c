// The two lists of linked accounts: their callers, and their errors, none of which has `fatal`
// (docs/integrate/rest-api.md, Business list; docs/integrate/rest-api.md, External list).

import { LIST_ERRORS } from "../http/refusal.ts";
import { type Access, EXTERNAL, type Route, route } from "../http/route.ts";

/**
 * An admin's token opens every business, a merchant's only its own; another business answers like
 * one that does not exist.
 */
const OWN_OR_ADMIN: Access = {
  roles: ["merchant", "admin"],
  ownBusiness: true,
  otherwise: "BUSINESS_LOOKUP_FAILED",
};

const ID = "0198c0de-7a51-7000-8000-3f1d5a2b9c01";

const inBothViews = {
  id: ID,
  currency: "USD",
  optionType: "bank",
  counterPartyName: "Ada Lovelace",
  counterPartyEmail: "ada@example.com",
  counterPublicPartyEmail: null,
  nickName: "Rent",
  createdAt: "2026-01-05T09:30:00.000Z",
};

const recipient = {
  id: ID,
  type: "bank",
  instrumentId: "qRZ0b8gRk2eVwHq1mT5xYc3uJ7nDfLpSaEo9iK4vXhM",
  nickName: "Rent",
  firstName: "Ada",
  lastName: "Lovelace",
  name: "Ada Lovelace",
  email: "ada@example.com",
  bankName: "First Bank",
  accountNumber: "000123456789",
  routingNumber: "021000021",
  routingType: "ACH",
  recipientAddress: "1 Main St",
  recipientCity: "New York",
  recipientState: "NY",
  recipientPostalCode: "10001",
};

const businessExample = {
  ...inBothViews,
  updatedAt: "2026-01-05T09:30:00.000Z",
  account: {
    label: "Main account",
    lastFourDigits: "6789",
    routing: "021000021",
    bankName: "First Bank",
    accountType: "CHECKING",
    routingType: "ACH",
  },
  recipientData: recipient,
  wallet: { id: "0198c0de-7a51-7000-8000-3f1d5a2b9c02", balance: "74.50", disabled: false },
  entity: {
    id: "0198c0de-7a51-7000-8000-3f1d5a2b9c03",
    email: "ada@example.com",
    externalIdentifier: "customer-1",
    entityType: "USER",
  },
  application: null,
};

const externalExample = {
  ...inBothViews,
  account: {
    routing: "****0021",
    bankName: "First Bank",
    accountType: "CHECKING",
    routingType: "ACH",
  },
  recipientData: { ...recipient, accountNumber: "****6789", routingNumber: "****0021" },
};

/** A page with one account. */
function examplePage(item: object, pageSize: number): object {
  return { success: true, data: [item], meta: { page: 1, pageSize, pageCount: 1, total: 1 } };
}

export const linkedAccountListRoutes: Route[] = [
  route(
    "GET /v1/business/:businessId/linked-accounts/:currency",
    OWN_OR_ADMIN,
    "listLinkedAccounts",
    "accounts.linkedAccounts",
    {
      errorForm: LIST_ERRORS,
      showsNumbers: true,
      example: { response: examplePage(businessExample, 50) },
    },
  ),
  route(
    "GET /v1/ext/linked-accounts/:currency",
    EXTERNAL,
    "listExternalLinkedAccounts",
    "accounts.externalLinkedAccounts",
    { errorForm: LIST_ERRORS, example: { response: examplePage(externalExample, 10) } },
  ),
];
