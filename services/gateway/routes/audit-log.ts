// The audit log, for operators.

import { ADMIN, type Route, route } from "../http/route.ts";

export const auditRoute: Route = route(
  "GET /v1/admin/audit-log",
  ADMIN,
  "listAuditLog",
  "accounts.auditLog",
  {
    example: {
      response: {
        success: true,
        data: [
          {
            id: "0198c0de-7a60-7000-8000-4d1f6e8b2a90",
            at: "2026-01-05T10:12:30.000Z",
            by: "0198c0de-7a10-7000-8000-2c9e5b7d4f61",
            action: "resolveTransaction",
            businessId: null,
            subjectId: "0198c0de-7a56-7000-8000-1b7d9e4f3c20",
            request: { outcome: "SUCCESS", note: "Asked the bank" },
            address: "203.0.113.7",
            requestId: "0198c0de-7a5f-7000-8000-9b3e7d1c5a20",
            status: 200,
          },
        ],
        meta: { nextCursor: null },
      },
    },
  },
);
