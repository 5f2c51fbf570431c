// The merchant's part of the console.

import type { Area } from "../areas.ts";
import { EndUserPage, EndUsersPage } from "../pages/end-users.tsx";
import { LimitsPage } from "../pages/limits.tsx";
import { TransactionPage } from "../pages/transaction.tsx";
import { TransactionsPage } from "../pages/transactions.tsx";
import { DeliveryPage, WebhookPage, WebhooksPage } from "../pages/webhooks.tsx";
import { ApiClientPage, ApiClientsPage } from "./api-clients.tsx";
import { FindPage } from "./find.tsx";
import { InvoicePage } from "./invoice.tsx";
import { LinkedAccountsPage } from "./linked-accounts.tsx";
import { MoveMoneyPage, TransferPage } from "./move-money.tsx";
import { NewPaymentLinkPage } from "./new-payment-link.tsx";
import { OverviewPage } from "./overview.tsx";
import { PaymentPage } from "./payment.tsx";
import { PaymentLinkPage } from "./payment-link.tsx";
import { PaymentLinksPage } from "./payment-links.tsx";
import { PaymentsPage } from "./payments.tsx";
import { CollectionAccountPage, WalletPage } from "./statement.tsx";
import { SubscriptionPage } from "./subscription.tsx";
import { SubscriptionsPage } from "./subscriptions.tsx";

export const MERCHANT_PAGES: Area[] = [
  {
    title: "Overview",
    path: [],
    routes: [
      { pattern: "", component: OverviewPage },
      { pattern: "wallets/:id", component: WalletPage },
      { pattern: "collection-accounts/:id", component: CollectionAccountPage },
    ],
  },
  {
    title: "Transactions",
    path: ["transactions"],
    routes: [
      { pattern: "transactions", component: TransactionsPage },
      { pattern: "find", component: FindPage },
      { pattern: "transactions/:id", component: TransactionPage },
    ],
  },
  {
    title: "Move money",
    path: ["transfers"],
    routes: [
      { pattern: "transfers", component: MoveMoneyPage },
      { pattern: "transfers/:id", component: TransferPage },
    ],
  },
  { title: "Limits", path: ["limits"], routes: [{ pattern: "limits", component: LimitsPage }] },
  {
    title: "Payment links",
    path: ["payment-links"],
    routes: [
      { pattern: "payment-links", component: PaymentLinksPage },
      { pattern: "payment-links/new", component: NewPaymentLinkPage },
      { pattern: "payment-links/:id", component: PaymentLinkPage },
    ],
  },
  {
    title: "Payments",
    path: ["payments"],
    routes: [
      { pattern: "payments", component: PaymentsPage },
      { pattern: "payments/:id", component: PaymentPage },
    ],
  },
  {
    title: "Subscriptions",
    path: ["subscriptions"],
    routes: [
      { pattern: "subscriptions", component: SubscriptionsPage },
      { pattern: "subscriptions/:id", component: SubscriptionPage },
      { pattern: "subscriptions/:id/invoices/:invoiceId", component: InvoicePage },
    ],
  },
  {
    title: "Webhooks",
    path: ["webhooks"],
    routes: [
      { pattern: "webhooks", component: WebhooksPage },
      { pattern: "webhooks/:id", component: WebhookPage },
      { pattern: "webhooks/:id/deliveries/:deliveryId", component: DeliveryPage },
    ],
  },
  {
    title: "End users",
    path: ["end-users"],
    routes: [
      { pattern: "end-users", component: EndUsersPage },
      { pattern: "end-users/:entityId", component: EndUserPage },
    ],
  },
  {
    title: "Linked accounts",
    path: ["linked-accounts"],
    routes: [{ pattern: "linked-accounts", component: LinkedAccountsPage }],
  },
  {
    title: "API clients",
    path: ["api-clients"],
    routes: [
      { pattern: "api-clients", component: ApiClientsPage },
      { pattern: "api-clients/:clientId", component: ApiClientPage },
    ],
  },
];
