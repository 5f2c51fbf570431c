// The relay: the outbox of each payout goes to webhooks whole and oldest first, and is cleared once
// webhooks has acknowledged it. It may go twice (events have ids); it never goes out of order, and
// none is cleared that was not acknowledged.

import type { mongo } from "mongoose";
import { MAJORITY } from "../../shared/database.ts";
import { gather } from "../../shared/gather.ts";
import type { Deps, Event, World } from "./deps.ts";
import { payloadOf } from "./payload.ts";
import type { OutboxEntry, Payout } from "./payout.model.ts";
import { RELAY_LEASE_MS } from "./transitions.ts";

/** Below the megabyte that a message may have, and the thousand events of a call. */
const BATCH = { maxItems: 200, maxBytes: 800_000, bytesOf };

/** Estimated from above; a character of the reason takes at most three bytes in JSON and UTF-8. */
function bytesOf({ outbox, reason }: Payout): number {
  return outbox.length * (800 + 3 * reason.length);
}

/** Hands outboxes over in batches; each payout has to have its whole outbox up to its version. */
export function gatherRelays(
  world: Pick<World, "payouts" | "services" | "at">,
): (payout: Payout) => Promise<void> {
  const { payouts, services } = world;
  return gather<Payout, void>(async (batch) => {
    await services.publish(batch.flatMap(eventsOf));
    for (const payout of batch) await world.at("published", payout);
    await payouts.bulkWrite(batch.map(clearance), { ordered: false });
    for (const { _id: id, businessId, outbox } of batch) {
      for (const { status, at } of outbox) services.announce({ id, businessId, status, at });
    }
    return batch.map(() => undefined);
  }, BATCH);
}

function eventsOf(payout: Payout): Event[] {
  const { _id: transactionId, businessId, outbox } = payout;
  return outbox.map(({ id, seq, at, status }) => ({
    id,
    businessId,
    transactionId,
    seq,
    at,
    body: payloadOf(payout, status, at),
  }));
}

/** What was handed over leaves the outbox; what came in meanwhile stays. */
function clearance({ _id, outbox }: Payout): mongo.AnyBulkWriteOperation<Payout> {
  const { seq } = outbox.at(-1) as OutboxEntry;
  const left = { $filter: { input: "$outbox", as: "entry", cond: { $gt: ["$$entry.seq", seq] } } };
  const isEmpty = { $eq: [{ $size: "$outbox" }, 0] };
  return {
    updateOne: {
      filter: { _id },
      update: [
        { $set: { outbox: left } },
        { $set: { relayAt: { $cond: [isEmpty, "$$REMOVE", "$relayAt"] } } },
      ],
    },
  };
}

const OVERDUE_AT_ONCE = 200;

/**
 * Hands over the outboxes that their writers did not.
 * @returns how many there were
 * @throws where webhooks did not take them; they are due again after the lease
 */
export async function relayOverdue(deps: Deps): Promise<number> {
  const now = deps.clock.now();
  const isOverdue = { relayAt: { $lte: now } };
  const overdue = await deps.payouts
    .find(isOverdue, MAJORITY)
    .sort({ relayAt: 1 })
    .limit(OVERDUE_AT_ONCE)
    .toArray();
  if (overdue.length === 0) return 0;
  const ids = overdue.map(({ _id }) => _id);
  // Keeps others from doing the same; that they may do it is no harm.
  await deps.payouts.updateMany(
    { _id: { $in: ids }, ...isOverdue },
    { $set: { relayAt: now + RELAY_LEASE_MS } },
  );
  await Promise.all(overdue.map((payout) => deps.relay(payout)));
  return overdue.length;
}

/** Begins to hand an outbox over; what fails is overdue soon. */
export function handOver(deps: Deps, payout: Payout): void {
  if (payout.outbox.length === 0) return;
  deps.relay(payout).catch((error) => deps.log.warn("Events are handed over later", error));
}
