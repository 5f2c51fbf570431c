// The operator's part of the console.

import type { Area } from "../areas.ts";
import { EndUserPage, EndUsersPage } from "../pages/end-users.tsx";
import { LimitsPage } from "../pages/limits.tsx";
import { TransactionPage } from "../pages/transaction.tsx";
import { DeliveryPage, WebhookPage } from "../pages/webhooks.tsx";
import { AttentionPage } from "./attention.tsx";
import { AuditLogPage } from "./audit-log.tsx";
import { BooksPage } from "./books.tsx";
import { BusinessesPage, BusinessPage } from "./businesses.tsx";
import { FindPage } from "./find.tsx";
import { PartnersPage } from "./partners.tsx";
import { ReviewsPage } from "./reviews.tsx";

export const OPERATOR_PAGES: Area[] = [
  {
    title: "Needs attention",
    path: [],
    routes: [{ pattern: "", component: AttentionPage }],
  },
  {
    title: "Reviews",
    path: ["reviews"],
    routes: [{ pattern: "reviews", component: ReviewsPage }],
  },
  {
    title: "Businesses",
    path: ["businesses"],
    routes: [
      { pattern: "businesses", component: BusinessesPage },
      { pattern: "find", component: FindPage },
      { pattern: "businesses/:businessId", component: BusinessPage },
      { pattern: "businesses/:businessId/limits", component: LimitsPage },
      { pattern: "businesses/:businessId/end-users", component: EndUsersPage },
      { pattern: "businesses/:businessId/end-users/:entityId", component: EndUserPage },
      { pattern: "businesses/:businessId/transactions/:id", component: TransactionPage },
      {
        pattern: "businesses/:businessId/transactions/:id/refunds/:refundId",
        component: TransactionPage,
      },
      { pattern: "businesses/:businessId/webhooks/:id", component: WebhookPage },
      {
        pattern: "businesses/:businessId/webhooks/:id/deliveries/:deliveryId",
        component: DeliveryPage,
      },
    ],
  },
  {
    title: "Rails and acquirers",
    path: ["partners"],
    routes: [{ pattern: "partners", component: PartnersPage }],
  },
  { title: "Books", path: ["books"], routes: [{ pattern: "books", component: BooksPage }] },
  {
    title: "Audit log",
    path: ["audit-log"],
    routes: [{ pattern: "audit-log", component: AuditLogPage }],
  },
];
