// Health endpoints. The gateway is live while this process answers; it is ready while every service
// that a route needs answers too.

import { list, object } from "../../../shared/compound-fields.ts";
import { action } from "../../../shared/contracts/contract.ts";
import { type ActionName, contracts } from "../../../shared/contracts.ts";
import { oneOf, text } from "../../../shared/fields.ts";
import { type Call, composed, PUBLIC, type Route } from "../http/route.ts";

const PROBE_TIMEOUT_MS = 1_000;
/** The services are asked at most once in this time, even with many callers. */
const KEPT_MS = 1_000;

const live = action({
  does: "Whether the process answers",
  params: {},
  result: object({ status: oneOf(["live"]) }),
});

const ready = action({
  does: "Whether every service that is needed answers, and its database",
  params: {},
  result: object({
    status: oneOf(["ready", "unavailable"]),
    away: list(text({ note: "A service that does not answer" }), { max: 20 }),
  }),
});
type Readiness = NonNullable<typeof ready.result.type>;

/** The health endpoints of a gateway with these routes. */
export function healthRoutes(routes: Route[]): Route[] {
  const services = calledServices(routes);
  let asked: { at: number; answer: Promise<Readiness> } | null = null;

  function readiness(call: Call): Promise<Readiness> {
    if (!asked || Date.now() - asked.at > KEPT_MS) {
      asked = { at: Date.now(), answer: probe(services, call) };
    }
    return asked.answer;
  }

  return [
    composed("GET /health/live", PUBLIC, "live", live, async () => ({ status: "live" as const }), {
      answer: {
        statuses: [200],
        schema: live.result.schema,
        of: (body) => ({ status: 200, body }),
      },
    }),
    composed("GET /health/ready", PUBLIC, "ready", ready, (_, call) => readiness(call), {
      answer: {
        statuses: [200, 503],
        schema: ready.result.schema,
        of: (body) => ({ status: body.status === "ready" ? 200 : 503, body }),
      },
    }),
  ];
}

/** The services that the routes call. */
function calledServices(routes: Route[]): string[] {
  const actions = routes.map(({ name }) => name).filter((name) => Object.hasOwn(contracts, name));
  return [...new Set(actions.map((name) => name.split(".")[0] as string))];
}

async function probe(services: string[], call: Call): Promise<Readiness> {
  const answers = await Promise.allSettled(
    services.map((service) =>
      call(`${service}.ready` as ActionName, {}, { timeoutMs: PROBE_TIMEOUT_MS }),
    ),
  );
  const away = services.filter((_, i) => answers[i]?.status === "rejected");
  return { status: away.length === 0 ? "ready" : "unavailable", away };
}
