// The table of routes: every endpoint, its access and its action, by area.

import type { Config } from "../../../shared/config.ts";
import type { Route } from "../http/route.ts";
import { createReadiness } from "../readiness.ts";
import { attentionRoutes } from "./attention.ts";
import { businessRoutes, clientRoutes } from "./businesses.ts";
import { cardVault, checkoutRoutes } from "./checkout.ts";
import { healthRoutes } from "./health.ts";
import { linkedAccountListRoutes } from "./linked-account-lists.ts";
import { linkedAccountRoutes } from "./linked-accounts.ts";
import { operatorRoutes } from "./operator-transactions.ts";
import { linkRoutes } from "./payment-links.ts";
import { paymentRoutes } from "./payments.ts";
import { personalDataRoutes } from "./personal-data.ts";
import { subscriptionRoutes, testClock } from "./subscriptions.ts";
import { tokenRoute } from "./token.ts";
import { transactionRoutes } from "./transactions.ts";
import { verificationRoute } from "./verification.ts";
import { fundingRoute, walletRoutes } from "./wallets.ts";
import { webhookRoutes } from "./webhooks.ts";
import { withdrawalRoutes } from "./withdrawal.ts";

/**
 * All routes of a system with this configuration.
 * @param readiness the state of the gateway that serves them
 */
export function routes(
  { sandbox }: Pick<Config, "sandbox">,
  readiness = createReadiness(),
): Route[] {
  return [
    ...under("Tokens", [tokenRoute]),
    ...under("Withdrawals", withdrawalRoutes),
    ...under("Transactions", transactionRoutes),
    ...under("Operators", [...attentionRoutes, ...operatorRoutes, verificationRoute]),
    ...under("Businesses and end users", businessRoutes),
    ...under("Personal data", personalDataRoutes),
    ...under("API clients", clientRoutes),
    ...under("Wallets", sandbox ? [...walletRoutes, fundingRoute] : walletRoutes),
    ...under("Linked accounts", [...linkedAccountListRoutes, ...linkedAccountRoutes]),
    ...under("Payment links", linkRoutes),
    ...under("Checkout", sandbox ? [...checkoutRoutes, cardVault] : checkoutRoutes),
    ...under("Payments", paymentRoutes),
    ...under("Subscriptions", sandbox ? [...subscriptionRoutes, testClock] : subscriptionRoutes),
    ...under("Webhooks", webhookRoutes),
    ...under("Health", healthRoutes(readiness)),
  ];
}

function under(area: string, list: Route[]): Route[] {
  return list.map((each) => ({ ...each, area }));
}
