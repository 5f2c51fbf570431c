// Health endpoints. The gateway is live while this process answers, and ready while it can serve
// (readiness.ts).

import { list, object } from "../../../shared/contracts/compound-fields.ts";
import { action } from "../../../shared/contracts/contract.ts";
import { oneOf, text } from "../../../shared/contracts/fields.ts";
import { RETRY_AFTER_S } from "../http/refusal.ts";
import { composed, PUBLIC, type Route } from "../http/route.ts";
import type { Readiness } from "../readiness.ts";

const live = action({
  does: "Says whether the process answers",
  params: {},
  result: object(
    { status: oneOf(["live"], { note: "The process answers" }) },
    { name: "Liveness", note: "The state of the process" },
  ),
});

const ready = action({
  does: "Says whether requests can be answered. It names the parts of payrail that are away",
  params: {},
  result: object(
    {
      status: oneOf(["ready", "unavailable"], { note: "Whether requests are answered" }),
      away: list(text({ note: "A part of payrail", example: "payouts" }), {
        max: 20,
        note: "The parts of payrail that do not answer",
        example: [],
      }),
    },
    { name: "Readiness", note: "The state of the server" },
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
        of: (body) =>
          body.status === "ready"
            ? { status: 200, body }
            : { status: 503, body, headers: { "retry-after": String(RETRY_AFTER_S) } },
      },
    }),
  ];
}
