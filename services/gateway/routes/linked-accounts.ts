// Linked accounts and the application tokens with which end users link theirs.

import { OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";
import { internationalRoute } from "./international.ts";

const BUSINESS = "/v1/business/:businessId";
const WRITE = ownBusinessWith("linked-accounts");

export const linkedAccountRoutes: Route[] = [
  route(`POST ${BUSINESS}/linked-accounts/:currency`, WRITE, "accounts.linkAccount", {
    status: 201,
  }),
  route(
    `DELETE ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    WRITE,
    "accounts.unlinkAccount",
  ),
  route(
    `PATCH ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    WRITE,
    "accounts.renameLinkedAccount",
  ),
  internationalRoute,
  route(`POST ${BUSINESS}/application-tokens`, WRITE, "accounts.createApplicationToken", {
    status: 201,
  }),
  route(`GET ${BUSINESS}/application-tokens`, OWN_BUSINESS, "accounts.applicationTokens"),
];
