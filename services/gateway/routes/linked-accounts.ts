// Linked accounts and the application tokens with which end users link theirs.

import { created, OWN_BUSINESS, ownBusinessWith, type Route, route } from "../http/route.ts";
import { internationalRoute } from "./international.ts";

const BUSINESS = "/v1/business/:businessId";

export const linkedAccountRoutes: Route[] = [
  route(
    `POST ${BUSINESS}/linked-accounts/:currency`,
    ownBusinessWith("linked-accounts"),
    "accounts.linkAccount",
    { answer: created("accounts.linkAccount") },
  ),
  route(
    `DELETE ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    ownBusinessWith("linked-accounts"),
    "accounts.unlinkAccount",
  ),
  route(
    `PATCH ${BUSINESS}/linked-accounts/:currency/:linkedAccountId`,
    ownBusinessWith("linked-accounts"),
    "accounts.renameLinkedAccount",
  ),
  internationalRoute,
  route(
    `POST ${BUSINESS}/application-tokens`,
    ownBusinessWith("linked-accounts"),
    "accounts.createApplicationToken",
    { answer: created("accounts.createApplicationToken") },
  ),
  route(`GET ${BUSINESS}/application-tokens`, OWN_BUSINESS, "accounts.applicationTokens"),
];
