// Readiness of a gateway: whether a load balancer should send it requests. A gateway that waited
// for all services would leave the load balancer, with all others, while one service is away that
// most requests do not need. So it begins to serve once it has seen each service, or after a
// bounded wait with those that it has. From then on it serves while at least one service answers,
// and until it leaves.

import type { ActionName } from "../../shared/contracts/contracts.ts";
import { SERVICE_NAMES } from "../../shared/rpc/service-names.ts";
import type { Call } from "./http/route.ts";

export interface ReadinessState {
  status: "ready" | "unavailable";
  /** The services that do not answer; a service without its database does not. */
  away: string[];
}

export interface Readiness {
  /** Asks the services, at most once a second for all callers; more often at the start. */
  ask(call: Call): Promise<ReadinessState>;
  /** From now on the gateway is not ready, because it is about to stop. */
  leave(): void;
}

const SERVICES = SERVICE_NAMES.filter((name) => name !== "gateway");
const ANSWERED_WITHIN_MS = 1_000;
const KEPT_MS = 1_000;
/** Before it has begun to serve, because it should begin soon after the last service. */
const KEPT_AT_START_MS = 100;
const WAITS_FOR_ALL_MS = 10_000;

/** @param waitsForAllMs how long it waits for a service that it has not seen yet, from now on */
export function createReadiness(waitsForAllMs = WAITS_FOR_ALL_MS): Readiness {
  const waitsUntil = performance.now() + waitsForAllMs;
  const unseen = new Set<string>(SERVICES);
  let asked: { at: number; away: Promise<string[]> } | null = null;
  let leaves = false;

  const hasBegun = () => unseen.size === 0 || performance.now() >= waitsUntil;

  async function findAway(call: Call): Promise<string[]> {
    const answers = await Promise.allSettled(
      SERVICES.map((service) =>
        call(`${service}.ready` as ActionName, {}, { timeoutMs: ANSWERED_WITHIN_MS }),
      ),
    );
    const away = SERVICES.filter((_, i) => answers[i]?.status === "rejected");
    for (const service of SERVICES) if (!away.includes(service)) unseen.delete(service);
    return away;
  }

  return {
    async ask(call) {
      const keptMs = hasBegun() ? KEPT_MS : KEPT_AT_START_MS;
      if (!asked || performance.now() - asked.at > keptMs) {
        asked = { at: performance.now(), away: findAway(call) };
      }
      const away = await asked.away;
      const isReady = !leaves && hasBegun() && away.length < SERVICES.length;
      return { status: isReady ? "ready" : "unavailable", away };
    },
    leave() {
      leaves = true;
    },
  };
}
