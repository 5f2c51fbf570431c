// Personal data: the export and the erasure of end users and of customers at checkout. They need
// all scopes: an export has whole account numbers, and an erasure cannot be undone.

import { ALL_SCOPES } from "../../../shared/contracts/accounts.ts";
import { ownBusinessWith, type Route, route } from "../http/route.ts";

const BUSINESS = "/v1/business/:businessId";
const ENTITY = `${BUSINESS}/entities/:entityId` as const;
const CUSTOMERS = `${BUSINESS}/customers` as const;
const ALL = ownBusinessWith(ALL_SCOPES);

const erasedAt = "2026-01-05T09:30:00.000Z";
const kept = [
  {
    what: "Backups of the database from before the erasure",
    until: "they age out, by the operator's schedule",
    why: "A backup is never changed; after a restore, the erasure has to be repeated",
  },
];
const counts = { payments: 3, subscriptions: 1 };
const request = { email: "ada@example.com" };

export const personalDataRoutes: Route[] = [
  route(`GET ${ENTITY}/export`, ALL, "exportEntity", "accounts.exportEntity"),
  route(`POST ${ENTITY}/erase`, ALL, "eraseEntity", "accounts.eraseEntity", {
    example: {
      // Without sharedEmail, because whether to erase what others may have paid is never a default.
      request: {},
      response: {
        success: true,
        data: {
          id: "0198c0de-7a53-7000-8000-9c1f7d20e3a5",
          erasedAt,
          erased: { linkedAccounts: 2, payouts: 14, ...counts, paymentLinks: 0 },
          kept,
        },
      },
    },
  }),
  // A POST, because an email in a URL would be in the logs of proxies.
  route(`POST ${CUSTOMERS}/export`, ALL, "exportCustomer", "payment-links.exportCustomer", {
    isRead: true,
    example: {
      request,
      response: { success: true, data: { payments: [], subscriptions: [], complete: true } },
    },
  }),
  route(`POST ${CUSTOMERS}/erase`, ALL, "eraseCustomer", "payment-links.eraseCustomer", {
    example: {
      request,
      response: { success: true, data: { erasedAt, erased: counts, kept } },
    },
  }),
];
