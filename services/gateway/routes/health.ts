// Health endpoints. The gateway is live while this process answers, and ready while it can serve
// (readiness.ts).

import { list, object } from "../../../shared/compound-fields.ts";
import { action } from "../../../shared/contracts/contract.ts";
import { oneOf, text } from "../../../shared/fields.ts";
import { RETRY_AFTER_S } from "../http/refusal.ts";
import { composed, PUBLIC, type Route } from "../http/route.ts";
import type { Readiness } from "../readiness.ts";

const live = action({
  does: "Whether the process answers",
  params: {},
  result: object({ status: oneOf(["live"]) }),
});

const ready = action({
  does: "Whether the gateway can serve, and the services that are away meanwhile",
  params: {},
  result: object({
    status: oneOf(["ready", "unavailable"]),
    away: list(text({ note: "A service that does not answer" }), { max: 20 }),
  }),
});

/** The health endpoints of a gateway. */
export function healthRoutes(readiness: Readiness): Route[] {
  return [
    composed("GET /health/live", PUBLIC, "live", live, async () => ({ status: "live" as const }), {
      answer: {
        statuses: [200],
        schema: live.result.schema,
        of: (body) => ({ status: 200, body }),
      },
    }),
    composed("GET /health/ready", PUBLIC, "ready", ready, (_, call) => readiness.ask(call), {
      answer: {
        statuses: [200, 503],
        schema: ready.result.schema,
        of: (body) =>
          body.status === "ready"
            ? { status: 200, body }
            : { status: 503, body, headers: { "retry-after": String(RETRY_AFTER_S) } },
      },
    }),
  ];
}
