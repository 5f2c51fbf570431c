// A model of webhooks as payouts sees it: stores each event once by its id, in the order of
// arrival.

import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import type { Books } from "./books.ts";
import type { Serve } from "./network.ts";

export function createWebhooks(books: () => Books, guarded: (work: () => void) => void) {
  const stored = new Set<string>();
  return {
    publish:
      (events: RelayedEvent[]): Serve<unknown> =>
      (reply) => {
        for (const event of events) {
          guarded(() => books().onEvent(event, stored.has(event.id)));
          stored.add(event.id);
        }
        reply({});
      },
  };
}

export type WebhooksModel = ReturnType<typeof createWebhooks>;
