// Refuses what a frozen business would change by its tokens, and those of its end users; reading
// stays. The checkout has no token: payment-links refuses for it.

import type { ServiceBroker } from "moleculer";
import { errorType } from "../../../shared/errors.ts";
import { type Actor, call } from "../../../shared/rpc/actions.ts";
import { rememberBusinesses } from "../../../shared/rpc/businesses.ts";
import type { Controls } from "../../../shared/rpc/controls.ts";

/** @throws BUSINESS_FROZEN; UNAVAILABLE if this process does not know */
export type RefuseFrozen = (caller: Actor | null) => Promise<void>;

export function refuserOfFrozen(controls: Controls, broker: ServiceBroker): RefuseFrozen {
  const askBusinessOf = rememberBusinesses(
    async (entityId) => (await call(broker, "accounts.businessOf", { entityId })).businessId,
  );

  return async (caller) => {
    if (caller === null || caller.role === "admin" || controls.isQuiet()) return;
    const { sub, role } = caller;
    const businessId = role === "merchant" ? sub : await businessOf(sub);
    if (businessId !== undefined) await controls.refuse("change", { businessId });
  };

  /** Undefined for an entity that does not exist: the action says so. */
  async function businessOf(entityId: string): Promise<string | undefined> {
    try {
      return await askBusinessOf(entityId);
    } catch (error) {
      if (errorType(error) === "ENTITY_NOT_FOUND") return undefined;
      throw error;
    }
  }
}
