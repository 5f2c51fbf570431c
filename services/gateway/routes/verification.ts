// The last verification of the books, for operators.

import { ADMIN, type Route, route } from "../http/route.ts";

export const verificationRoute: Route = route(
  "GET /v1/admin/verification",
  ADMIN,
  "getVerification",
  "wallet-ledger.verification",
  {
    example: {
      response: {
        success: true,
        data: {
          startedAt: "2026-01-06T02:00:00.000Z",
          finishedAt: "2026-01-06T02:01:12.000Z",
          overdue: false,
          ok: true,
          version: "0.1.0",
          violationCount: 0,
          rules: [{ rule: "balances", checked: 1204311, violations: 0 }],
          violations: [],
        },
      },
    },
  },
);
