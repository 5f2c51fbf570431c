// The machine of one kind of document: its transitions, the driver of its steps and its outbox.

import type { Metrics } from "../observability/metrics.ts";
import type { Resumable } from "./document.ts";
import { createDriver, type Driver, type DriverParts } from "./driver.ts";
import { createOutbox, type Outbox, type OutboxParts } from "./outbox.ts";
import { gatherTransitions, type Transition, type Transitions } from "./transitions.ts";

export interface Machine<T extends Resumable> extends Driver<T>, Outbox<T> {}

/** @param kind the label of its documents in the metrics */
export function createMachine<T extends Resumable>(
  parts: DriverParts<T> & OutboxParts<T> & { newId(): string; kind: string; metrics: Metrics },
): Machine<T> {
  const { documents, clock, newId, kind, metrics } = parts;
  const transitions = counted(gatherTransitions(documents, clock, newId), kind, metrics);
  const outbox = createOutbox(parts);
  const driver = createDriver(parts, transitions, outbox);
  return {
    ...driver,
    ...outbox,
    start() {
      driver.start();
      outbox.start();
    },
    // In this order, because the drives under way relay their events.
    async stop(withinMs) {
      await driver.stop(withinMs);
      await outbox.stop(withinMs);
    },
  };
}

/** Counts the statuses that documents enter by transitions. */
export function counted<T extends Resumable>(
  { transition, transitionAlone }: Transitions<T>,
  kind: string,
  metrics: Metrics,
): Transitions<T> {
  const countedOf =
    (write: Transition<T>): Transition<T> =>
    async (document, change) => {
      const changed = await write(document, change);
      for (const status of (changed && change.enter) ?? []) {
        metrics.count("payrail_document_changes_total", { kind, status });
      }
      return changed;
    };
  return { transition: countedOf(transition), transitionAlone: countedOf(transitionAlone) };
}
