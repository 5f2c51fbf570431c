// The outbox of documents: relays the events of a change as soon as it is made. Those that webhooks
// has not taken are relayed again when the document is due for its outbox (driver.ts). The sweep here
// is for documents of the previous release, which name the moment of the relay in a field of its own.

import type { mongo } from "mongoose";
import type { Clock } from "../clock.ts";
import { type Log, throttledWarning } from "../observability/throttled-warning.ts";
import { workForOrigin } from "../rpc/origin.ts";
import { LEASE_MS } from "./change.ts";
import type { Resumable } from "./document.ts";
import { earliestDue, findDue, startDueSweep } from "./due.ts";
import { gatherRelays, type Outlet } from "./relay.ts";
import type { Sweep, Turns } from "./sweeps.ts";
import { createWorkerPool } from "./worker-pool.ts";

export interface Outbox<T extends Resumable> {
  /**
   * Begins to relay the document's events; those that are not acknowledged are relayed again.
   * @param isLast no later transition will clear the outbox, so the relay clears it
   * @returns the number of relayed states once the relay has ended, acknowledged or not
   */
  relay(document: T, isLast?: boolean): Promise<number>;
  /** Sweeps until it is stopped. */
  start(): void;
  /** Waits for the sweep under way, then for the relays, within this limit. */
  stop(withinMs: number): Promise<void>;
}

export interface OutboxParts<T extends Resumable> {
  clock: Clock;
  turns: Turns;
  log: Log;
  documents: mongo.Collection<T>;
  outlet: Outlet<T>;
}

/** Outboxes that one process relays at a time; the sweeps relay the rest. */
const RELAYED_AT_ONCE = 5_000;
const OVERDUE_AT_ONCE = 200;

export function createOutbox<T extends Resumable>(parts: OutboxParts<T>): Outbox<T> {
  const { clock, turns, log, documents, outlet } = parts;
  const relay = gatherRelays(documents, outlet);
  const warn = throttledWarning(clock, log, "Events are relayed later");
  const pool = createWorkerPool(RELAYED_AT_ONCE, clock, warn);
  let sweep: Sweep | undefined;

  function hasEvents(document: T): boolean {
    return document.relayed < document.states.length && (outlet.counts?.(document) ?? true);
  }

  /**
   * Relays the outboxes that are overdue.
   * @returns the moment from which an outbox is overdue
   * @throws if webhooks did not take them; they are overdue again after the lease
   */
  async function relayOverdue(): Promise<number | undefined> {
    const now = clock.now();
    const at = await earliestDue(documents, "relayAt");
    if (at === undefined || at > now) return at;
    const overdue = await findDue(documents, "relayAt", now, OVERDUE_AT_ONCE);
    const stillOverdue = { _id: { $in: overdue.map(({ _id }) => _id) }, relayAt: { $lte: now } };
    // Other nodes skip these outboxes now. If another node relays one too, webhooks drops the
    // repeat.
    await documents.updateMany(
      stillOverdue as unknown as mongo.Filter<T>,
      { $set: { relayAt: now + LEASE_MS } } as unknown as mongo.UpdateFilter<T>,
    );
    await Promise.all(
      overdue
        .filter(hasEvents)
        .map((document) => workForOrigin(document.origin, () => relay({ document, isLast: true }))),
    );
    return clock.now();
  }

  return {
    async relay(document, isLast = true) {
      let { relayed } = document;
      if (!hasEvents(document)) return relayed;
      const hand = async () => {
        await relay({ document, isLast });
        relayed = document.states.length;
      };
      await pool.submit(() => workForOrigin(document.origin, hand));
      return relayed;
    },
    start() {
      sweep = startDueSweep({ clock, turns, log }, relayOverdue);
    },
    async stop(withinMs) {
      await sweep?.stop();
      await pool.stop(withinMs);
    },
  };
}
