// Health endpoints. The gateway is live while this process answers, and ready while it can serve
// (readiness.ts).

import { list, object } from "../../../shared/compound-fields.ts";
import { action } from "../../../shared/contracts/contract.ts";
import { oneOf, text } from "../../../shared/fields.ts";
import { composed, PUBLIC, type Route } from "../http/route.ts";
import type { Readiness } from "../readiness.ts";

const live = action({
  does: "Whether the process answers",
  params: {},
  result: object({ status: oneOf(["live"]) }, { name: "Liveness" }),
});

const ready = action({
  does: "Whether the gateway can serve, and the services that are away meanwhile",
  params: {},
  result: object(
    {
      status: oneOf(["ready", "unavailable"]),
      away: list(text({ note: "A service that does not answer" }), { max: 20 }),
    },
    { name: "Readiness" },
  ),
});

/** The health endpoints of a gateway. */
export function healthRoutes(readiness: Readiness): Route[] {
  return [
    composed(
      "GET /health/live",
      PUBLIC,
      "getLiveness",
      live,
      async () => ({ status: "live" as const }),
      {
        answer: {
          statuses: [200],
          schema: live.result.schema,
          of: (body) => ({ status: 200, body }),
        },
      },
    ),
    composed("GET /health/ready", PUBLIC, "getReadiness", ready, (_, call) => readiness.ask(call), {
      answer: {
        statuses: [200, 503],
        schema: ready.result.schema,
        of: (body) => ({ status: body.status === "ready" ? 200 : 503, body }),
      },
    }),
  ];
}
