// The revision of stored events after an erasure of personal data. The publishing service gives the
// new bodies. A delivery under way may still carry the earlier body. Its outcome is not recorded,
// because the receiver's answer may contain that body, and the delivery is made again.

import type { Params } from "../../../shared/contracts/contracts.ts";
import type { Deps } from "../deps.ts";

/** Replaces the bodies of events. A repeated call has the same result. */
export async function reviseEvents(
  { events, deliveries, clock }: Deps,
  { events: revised }: Params<"webhooks.reviseEvents">,
): Promise<void> {
  if (revised.length === 0) return;
  await events.bulkWrite(
    revised.map(({ id, body: { eventType, status, payload } }) => ({
      updateOne: {
        filter: { _id: id },
        update: { $set: { body: JSON.stringify({ eventType, status, payload }) } },
      },
    })),
    { ordered: false },
  );
  // After the bodies: a claim from now on reads the new body.
  const ofEvents = { transactionId: { $in: revised.map(({ transactionId }) => transactionId) } };
  await deliveries.updateMany(
    { ...ofEvents, status: "PENDING", claim: { $ne: null } },
    { $set: { claim: null, held: false, nextAttemptAt: new Date(clock.now()) } },
  );
  await deliveries.updateMany(
    { ...ofEvents, "attempts.response": { $type: "string" } },
    { $set: { "attempts.$[].response": null } },
  );
}
