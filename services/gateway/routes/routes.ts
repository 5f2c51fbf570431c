// The table of routes: every endpoint, its access and its action, by area.

import type { Config } from "../../../shared/config/config.ts";
import type { Route } from "../http/route.ts";
import { createReadiness } from "../readiness.ts";
import { attentionRoutes } from "./attention.ts";
import { auditRoute } from "./audit-log.ts";
import { booksRoute } from "./books.ts";
import { businessRoutes, clientRoutes } from "./businesses.ts";
import { acquirerNotification, cardVault, checkoutRoutes } from "./checkout.ts";
import { findRoutes } from "./find.ts";
import { healthRoutes } from "./health.ts";
import { headKeysRoute, headRoute, ownHeadRoute } from "./ledger-heads.ts";
import { linkedAccountListRoutes } from "./linked-account-lists.ts";
import { linkedAccountRoutes } from "./linked-accounts.ts";
import { operatorBillingRoute } from "./operator-billing.ts";
import { operatorControlRoutes, ownLimitRoutes } from "./operator-controls.ts";
import { operatorRoutes } from "./operator-transactions.ts";
import { operatorWalletRoutes } from "./operator-wallets.ts";
import { operatorWebhookRoutes } from "./operator-webhooks.ts";
import { partnersRoute } from "./partners.ts";
import { linkRoutes } from "./payment-links.ts";
import { paymentRoutes } from "./payments.ts";
import { personalDataRoutes } from "./personal-data.ts";
import { reportRoutes } from "./reports.ts";
import { allStatisticsRoute, statisticsRoute } from "./statistics.ts";
import { subscriptionRoutes } from "./subscriptions.ts";
import { testClock } from "./test-clock.ts";
import { tokenRoute } from "./token.ts";
import { transactionRoutes } from "./transactions.ts";
import { verificationRoute } from "./verification.ts";
import { fundingRoute, ownWalletsRoute, walletRoutes, walletTransferRoutes } from "./wallets.ts";
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
    ...under("Tokens", "Access tokens, with which all other calls are made.", [tokenRoute]),
    ...under(
      "Businesses and end users",
      "A business is your company as payrail knows it. Its end users, who are paid, are its entities.",
      businessRoutes,
    ),
    ...under("Personal data", "What is known about a person, and its erasure.", personalDataRoutes),
    ...under(
      "API clients",
      "The credentials of your servers, each with the scopes that its tokens may have.",
      clientRoutes,
    ),
    ...under(
      "Wallets",
      "The balances of end users and of the business, and its collection accounts, which hold what customers have paid.",
      [
        ...walletRoutes,
        ...walletTransferRoutes,
        ownWalletsRoute,
        ownHeadRoute,
        headKeysRoute,
        ...(sandbox ? [fundingRoute] : []),
      ],
    ),
    ...under("Linked accounts", "The bank accounts and cards that wallets are paid out to.", [
      ...linkedAccountListRoutes,
      ...linkedAccountRoutes,
    ]),
    ...under(
      "Payouts",
      "Payouts from a wallet to a linked account, by the business, or by the owner of the wallet as a withdrawal. A payout is accepted immediately and ends later.",
      [...withdrawalRoutes, ...ownLimitRoutes],
    ),
    ...under(
      "Transactions",
      "Everything that has moved money: payouts, fundings of wallets, payments of customers, and refunds.",
      [...transactionRoutes, statisticsRoute],
    ),
    ...under(
      "Reports",
      "The balances of the business, and every movement of its money in a period.",
      reportRoutes,
    ),
    ...under(
      "Payment links",
      "Links by which customers pay, once or in a subscription.",
      linkRoutes,
    ),
    ...under(
      "Checkout",
      "The calls of the page behind a payment link. The token in the path is their only credential.",
      sandbox ? [...checkoutRoutes, cardVault] : checkoutRoutes,
    ),
    ...under("Acquirers", "The input for the acquirers that charge cards.", [acquirerNotification]),
    ...under("Payments", "What customers have paid, and refunds.", paymentRoutes),
    ...under(
      "Subscriptions",
      "Recurring charges, their usage or seats, and their invoices.",
      sandbox ? [...subscriptionRoutes, testClock] : subscriptionRoutes,
    ),
    ...under(
      "Webhooks",
      "Endpoints of yours that are told of every event, and the deliveries to them.",
      webhookRoutes,
    ),
    ...under(
      "Operators",
      "For the people who run payrail: what waits for a decision, how rails and acquirers answer, and whether the books are right.",
      [
        ...attentionRoutes,
        ...operatorRoutes,
        ...operatorControlRoutes,
        ...operatorWalletRoutes,
        operatorBillingRoute,
        ...operatorWebhookRoutes,
        auditRoute,
        partnersRoute,
        booksRoute,
        allStatisticsRoute,
        ...findRoutes,
        verificationRoute,
        headRoute,
      ],
    ),
    ...under(
      "Health",
      "Probes, by which an orchestrator sees whether this server works.",
      healthRoutes(readiness),
    ),
  ];
}

function under(name: string, description: string, list: Route[]): Route[] {
  const area = { name, description };
  return list.map((each) => ({ ...each, area }));
}
