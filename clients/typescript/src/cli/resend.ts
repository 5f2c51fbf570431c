// payrail resend: sends an event again, to its endpoints or to a server on this machine.

import { PayrailError } from "../errors.ts";
import type { Payrail } from "../payrail.ts";
import type { StoredEvent } from "../resources/events.ts";
import { type Command, Failure, type Given, textOf, UsageError } from "./command.ts";
import { destination, forward, forwardingSecret } from "./forward.ts";

/** A delivery, and `id`, its endpoint. */
interface Found {
  id: string;
  deliveryId: string;
}

export const resend: Command = {
  summary: "Send an event or a delivery again",
  help: `payrail resend <eventId or deliveryId> [--forward-to localhost:4000/hooks]

Sends a delivery again, or all deliveries of an event. The webhook-id stays the same.

  --forward-to  sends the event to your server instead, signed with PAYRAIL_WEBHOOK_SECRET
  --json        a line of JSON for each delivery
`,
  options: { "forward-to": { type: "string" } },

  async run({ values, positionals, print, payrail: connect }: Given): Promise<void> {
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0) throw new UsageError("Name one event or delivery");
    const to = textOf(values, "forward-to");
    const url = to === undefined ? undefined : destination(to);
    const payrail = connect();
    const event = await orNull(payrail.events.get(id));
    if (url !== undefined) {
      if (!event) throw new Failure(`There is no event ${id}`);
      const isTaken = await forward(event, { url, secret: forwardingSecret(), print });
      if (!isTaken) throw new Failure("Your server did not take it");
      return;
    }
    const found = event ? await deliveriesOf(payrail, event) : await deliveryOf(payrail, id);
    if (found.length === 0) {
      throw new Failure(
        event ? "No endpoint gets this event" : `There is no event or delivery ${id}`,
      );
    }
    for (const delivery of found) {
      await payrail.webhooks.replayDelivery(delivery);
      const { id: endpointId, deliveryId } = delivery;
      print(`Sent ${deliveryId} to ${endpointId} again`, { endpointId, deliveryId });
    }
  },
};

async function deliveriesOf(payrail: Payrail, event: StoredEvent): Promise<Found[]> {
  const { id: eventId, eventType, transactionId, createdAt, endpointIds } = event;
  const found: Found[] = [];
  for (const id of endpointIds) {
    const narrowed =
      transactionId === null ? { id, eventType, since: createdAt } : { id, transactionId };
    for await (const delivery of payrail.webhooks.deliveries(narrowed)) {
      if (delivery.eventId !== eventId) continue;
      found.push({ id, deliveryId: delivery.id });
      break;
    }
  }
  return found;
}

/** Searches all endpoints for a delivery. */
async function deliveryOf(payrail: Payrail, deliveryId: string): Promise<Found[]> {
  for await (const { id } of payrail.webhooks.list()) {
    if (await orNull(payrail.webhooks.delivery({ id, deliveryId }))) return [{ id, deliveryId }];
  }
  return [];
}

/** The result of a call; null after a 404. */
async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof PayrailError && error.status === 404) return null;
    throw error;
  }
}
