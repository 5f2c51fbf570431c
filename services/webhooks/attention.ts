// What needs an operator's attention, of all businesses: endpoints that payrail has disabled, and
// dead letters of enabled endpoints. A dead letter of a disabled or deleted endpoint is left out,
// because the merchant has given it up, or its endpoint itself is in the list.

import type { Params, Result } from "../../shared/contracts/contracts.ts";
import type { DeadLetterReason } from "../../shared/contracts/deliveries.ts";
import { type NamedList, newestFirst, oneAfterAnother } from "../../shared/storage/paging.ts";
import type { Deps } from "./deps.ts";
import { DISABLED, type Endpoint } from "./endpoints/endpoint.model.ts";
import { DISABLE_REASONS } from "./events/switch-off.ts";
import { DEAD_LETTERS, type Delivery } from "./queue/delivery.model.ts";

type Page = Result<"webhooks.attention">;
type Item = Page["items"][number];

/**
 * The reasons of dead letters that need attention, as in the alert PayrailWebhookDeadLetters. The
 * others are normal: the merchant's own (disabled, deleted), and the order's (superseded), which
 * sends the later event of the transaction.
 */
const LOST: Partial<Record<DeadLetterReason, string>> = {
  exhausted: "All its attempts have failed",
  refused: "Its destination is not allowed",
  expired: "Its event was removed before it could be sent",
};

const NO_MONEY = { amount: null, currency: null, unknownSince: null };

/** A page of everything that needs attention, kind by kind. */
export function listAttention(
  deps: Deps,
  { kind, ...paging }: Params<"webhooks.attention">,
): Promise<Page> {
  const lists = [disabledEndpoints(deps), lostDeliveries(deps)];
  const wanted = lists.filter(({ name }) => kind === undefined || name === kind);
  return oneAfterAnother(wanted, paging);
}

function disabledEndpoints({ models }: Deps): NamedList<Item> {
  const { model } = models.webhook_endpoints;
  const filter = { disabled: true, disabledReason: { $in: Object.values(DISABLE_REASONS) } };
  return {
    name: "webhook",
    async read(page) {
      const options = { hint: DISABLED };
      const { documents, nextCursor } = await newestFirst(model, filter, page, options);
      return { items: documents.map(endpointItem), nextCursor };
    },
  };
}

function endpointItem({ _id: id, businessId, disabledReason: reason }: Endpoint): Item {
  return { ...NO_MONEY, kind: "webhook", id, businessId, status: "disabled", reason };
}

function lostDeliveries({ models }: Deps): NamedList<Item> {
  const { webhook_deliveries: deliveries, webhook_endpoints: endpoints } = models;
  const filter = { status: "DEAD_LETTER", deadLetterReason: { $in: Object.keys(LOST) } };
  // Not the attempts.
  const projection = { businessId: 1, endpointId: 1, status: 1, deadLetterReason: 1 };
  return {
    name: "delivery",
    async read(page) {
      const options = { hint: DEAD_LETTERS, projection };
      const { documents, nextCursor } = await newestFirst(deliveries, filter, page, options);
      const ids = new Set(documents.map(({ endpointId }) => endpointId));
      const enabled = await endpoints.model.distinct("_id", {
        _id: { $in: [...ids] },
        disabled: false,
      });
      const lost = documents.filter(({ endpointId }) => enabled.includes(endpointId));
      return { items: lost.map(deliveryItem), nextCursor };
    },
  };
}

function deliveryItem({ _id: id, businessId, endpointId, ...delivery }: Delivery): Item {
  const { status, deadLetterReason } = delivery;
  const reason = (deadLetterReason && LOST[deadLetterReason]) ?? null;
  return { ...NO_MONEY, kind: "delivery", id, businessId, endpointId, status, reason };
}
