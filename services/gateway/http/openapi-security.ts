// The security of operations in the OpenAPI document: callers and scopes.

import { ALL_SCOPES, type Scope } from "../../../shared/contracts/accounts.ts";
import type { Route } from "./route.ts";

const SCOPES: Record<Scope, string> = {
  "external.apis": "Everything that the other scopes allow, withdrawals, and new payment links",
  wallets: "Open, fund, disable and enable wallets, and open collection accounts",
  transfers: "Transfer collected money to a wallet",
  payouts: "Cancel payouts",
  "linked-accounts": "Link, rename and unlink accounts, and create application tokens",
  "payment-links": "Disable payment links",
  refunds: "Refund payments",
  subscriptions:
    "Record usage, set seats, cancel subscriptions, and let customers change their card",
  webhooks: "Register, change, test and delete webhook endpoints, and replay deliveries",
};

export const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token, however you got it",
  },
  clientCredentials: {
    type: "oauth2",
    description: "An access token, from the credentials of one of your API clients",
    flows: { clientCredentials: { tokenUrl: "/v1/oauth/token", scopes: SCOPES } },
  },
  basic: {
    type: "http",
    scheme: "basic",
    description:
      "The credentials of an API client: client_id as the name, client_secret as the password",
  },
};

/** The sentence about a route's callers. */
export function describeAccess({ access, takesForm }: Route): string {
  if (!access) return takesForm ? "Needs the credentials of an API client." : "Needs no token.";
  const { roles, scope, ownBusiness } = access;
  const names = {
    user: "an end user's",
    merchant: ownBusiness ? "this business's" : "a business's",
    admin: "an admin's",
  };
  const each = roles.map((role) => `${names[role]} token`);
  const scopes = sufficientScopes(scope).map((name) => `\`${name}\``);
  const withScope = scopes.length > 0 ? ` with the scope ${scopes.join(" or ")}` : "";
  return `Needs ${each.join(" or ")}${withScope}.`;
}

/** The ways to authenticate. A token with one of the scopes is enough. */
export function securityRequirements({ access, takesForm }: Route): object[] {
  if (!access) return takesForm ? [{ basic: [] }, {}] : [];
  const { roles, scope } = access;
  const bearer = { bearer: [] };
  // No API client gets an admin's token.
  if (roles.every((role) => role === "admin")) return [bearer];
  const scopes = scope === undefined ? [[]] : sufficientScopes(scope).map((name) => [name]);
  return [bearer, ...scopes.map((names) => ({ clientCredentials: names }))];
}

/** The scope that a route needs, and the one that implies it. */
function sufficientScopes(scope: Scope | undefined): Scope[] {
  return scope === undefined ? [] : [...new Set<Scope>([scope, ALL_SCOPES])];
}
