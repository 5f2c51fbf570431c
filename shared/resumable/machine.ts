// The machine of one kind of document: its transitions, the driver of its steps and its outbox.

import type { Resumable } from "./document.ts";
import { createDriver, type Driver, type DriverParts } from "./driver.ts";
import { createOutbox, type Outbox, type OutboxParts } from "./outbox.ts";

export interface Machine<T extends Resumable> extends Driver<T>, Outbox<T> {}

export function createMachine<T extends Resumable>(
  parts: DriverParts<T> & OutboxParts<T>,
): Machine<T> {
  const outbox = createOutbox(parts);
  const driver = createDriver(parts, outbox);
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
