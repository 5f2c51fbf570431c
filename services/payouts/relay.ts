// The relay: what a payout's outbox holds (the states that webhooks has not acknowledged) goes to
// webhooks whole and oldest first. It may go twice, because an event's id is made of the payout's and
// its place; it never goes out of order, and none counts as relayed that was not acknowledged.

import { MAJORITY } from "../../shared/database.ts";
import { gather } from "../../shared/gather.ts";
import { idAfter } from "../../shared/ids.ts";
import type { Deps, Event, World } from "./deps.ts";
import { payloadOf } from "./payload.ts";
import type { Payout } from "./payout.model.ts";
import { RELAY_LEASE_MS } from "./transitions.ts";

export interface Handover {
  payout: Payout;
  /** Nobody writes the payout soon who could say so with the rest: the outbox is cleared at once. */
  isLast: boolean;
}

/** Below the megabyte that a message may have, and the thousand events of a call. */
const BATCH = { maxItems: 200, maxBytes: 800_000, bytesOf };

/** Estimated from above; a character of the reason takes at most three bytes in JSON and UTF-8. */
function bytesOf({ payout: { states, reason } }: Handover): number {
  return states.length * (800 + 3 * reason.length);
}

/** Hands outboxes over in batches; resolved once webhooks has acknowledged. */
export function gatherRelays({
  payouts,
  services,
  at,
}: Pick<World, "payouts" | "services" | "at">): (handover: Handover) => Promise<void> {
  return gather<Handover, void>(async (batch) => {
    await services.publish(batch.flatMap(({ payout }) => eventsOf(payout)));
    for (const { payout } of batch) await at("published", payout);
    const last = batch.filter(({ isLast }) => isLast).map(({ payout }) => payout);
    if (last.length > 0) await clear(payouts, last);
    for (const { payout } of batch) announce(services, payout);
    return batch.map(() => undefined);
  }, BATCH);
}

function eventsOf(payout: Payout): Event[] {
  const { _id: transactionId, businessId, states, relayed } = payout;
  return states.slice(relayed).map(({ status, at }, i) => ({
    id: idAfter(transactionId, relayed + 1 + i),
    businessId,
    transactionId,
    seq: relayed + 1 + i,
    at,
    body: payloadOf(payout, status, at),
  }));
}

function announce(services: World["services"], payout: Payout): void {
  const { _id: id, businessId, states, relayed } = payout;
  for (const { status, at } of states.slice(relayed)) {
    services.announce({ id, businessId, status, at });
  }
}

/** Unless a state came in meanwhile, which goes with the next handover. */
async function clear(payouts: World["payouts"], cleared: Payout[]): Promise<void> {
  const ids = Map.groupBy(cleared, ({ states }) => states.length);
  const operations = [...ids].map(([count, group]) => ({
    updateMany: {
      filter: { _id: { $in: group.map(({ _id }) => _id) }, states: { $size: count } },
      update: { $set: { relayed: count }, $unset: { relayAt: "" as const } },
    },
  }));
  await payouts.bulkWrite(operations, { ordered: false });
}

/**
 * Begins to hand a payout's outbox over; what fails is overdue soon.
 * @returns what will have been relayed: `relayed` grows once webhooks has acknowledged
 */
export function handOver(deps: Deps, payout: Payout, isLast: boolean): { relayed: number } {
  const handed = { relayed: payout.relayed };
  if (payout.relayed === payout.states.length) return handed;
  deps.relaying.take(async () => {
    await deps.relay({ payout, isLast });
    handed.relayed = payout.states.length;
  });
  return handed;
}

const OVERDUE_AT_ONCE = 200;

/**
 * Hands over the outboxes that their drivers did not.
 * @throws where webhooks did not take them; they are due again after the lease
 */
export async function relayOverdue(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const isOverdue = { relayAt: { $lte: now } };
  const overdue = await deps.payouts
    .find(isOverdue, MAJORITY)
    .sort({ relayAt: 1 })
    .limit(OVERDUE_AT_ONCE)
    .toArray();
  if (overdue.length === 0) return;
  const ids = overdue.map(({ _id }) => _id);
  // Keeps others from doing the same; that they may do it is no harm.
  await deps.payouts.updateMany(
    { _id: { $in: ids }, ...isOverdue },
    { $set: { relayAt: now + RELAY_LEASE_MS } },
  );
  await Promise.all(overdue.map((payout) => deps.relay({ payout, isLast: true })));
}
