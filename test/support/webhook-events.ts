// Events as payouts publishes them, and the stored deliveries of them.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { newId } from "../../shared/ids.ts";
import { type System, until } from "./system.ts";

export type HandedOver = Params<"webhooks.publish">["events"][number];
export type DeliveryView = Result<"webhooks.deliveries">["items"][number];

export function anEvent(overrides: Partial<HandedOver> = {}): HandedOver {
  const transactionId = overrides.transactionId ?? newId();
  return {
    id: newId(),
    businessId: newId(),
    transactionId,
    seq: 1,
    at: Date.now(),
    body: { eventType: "WITHDRAWAL", status: "PENDING", payload: { transactionId, amount: 25.5 } },
    ...overrides,
  };
}

/** The events of one payout, in their order. */
export function eventsOfPayout(
  businessId: string,
  statuses = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"],
): HandedOver[] {
  const transactionId = newId();
  return statuses.map((status, i) =>
    anEvent({
      businessId,
      transactionId,
      seq: i + 1,
      body: { eventType: "WITHDRAWAL", status, payload: { transactionId } },
    }),
  );
}

/** The deliveries of a transaction. */
export function deliveriesNow(
  { call }: Pick<System, "call">,
  { businessId, transactionId }: { businessId: string; transactionId: string },
): Promise<DeliveryView[]> {
  return call("webhooks.deliveriesOf", { businessId, transactionIds: [transactionId] });
}

/** The deliveries of a transaction once all of them satisfy the condition; at least one. */
export function deliveriesOnce(
  system: Pick<System, "call">,
  event: { businessId: string; transactionId: string },
  condition: (delivery: DeliveryView) => boolean,
): Promise<DeliveryView[]> {
  return until(
    async () => {
      const found = await deliveriesNow(system, event);
      return found.length > 0 && found.every(condition) && found;
    },
    { awaited: "the state of the deliveries" },
  );
}
