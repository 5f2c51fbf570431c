// Refuses what a frozen business would change by its tokens, and those of its end users; reading
// stays. The checkout has no token: payment-links refuses for it.

import { LRUCache } from "lru-cache";
import type { ServiceBroker } from "moleculer";
import { errorType } from "../../../shared/errors.ts";
import { type Actor, call } from "../../../shared/rpc/actions.ts";
import type { Controls } from "../../../shared/rpc/controls.ts";

const MOST_USERS = 10_000;

/** @throws BUSINESS_FROZEN; UNAVAILABLE if this process does not know */
export type RefuseFrozen = (caller: Actor | null) => Promise<void>;

export function refuserOfFrozen(controls: Controls, broker: ServiceBroker): RefuseFrozen {
  /** The business of an end user never changes. */
  const businesses = new LRUCache<string, string>({
    max: MOST_USERS,
    fetchMethod: async (entityId) => {
      const { businessId } = await call(broker, "accounts.businessOf", { entityId });
      return businessId;
    },
  });

  return async (caller) => {
    if (caller === null || caller.role === "admin" || controls.isQuiet()) return;
    const { sub, role } = caller;
    const businessId = role === "merchant" ? sub : await businessOf(sub);
    if (businessId !== undefined) await controls.refuse("change", { businessId });
  };

  /** Undefined for an entity that does not exist: the action says so. */
  async function businessOf(entityId: string): Promise<string | undefined> {
    try {
      return await businesses.fetch(entityId);
    } catch (error) {
      if (errorType(error) === "ENTITY_NOT_FOUND") return undefined;
      throw error;
    }
  }
}
