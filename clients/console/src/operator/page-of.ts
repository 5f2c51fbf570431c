// Where an operator sees a thing and decides about it.

import type { Data, Item } from "../api.ts";
import { href } from "../router.ts";

type Thing = Data<"GET /v1/admin/find/{id}"> | Item<"GET /v1/admin/attention">;

/** The address of a thing's page; null if it has none of its own. */
export function pageOf({ kind, id, businessId, endpointId, paymentId }: Thing): string | null {
  const business = ["businesses", businessId];
  switch (kind) {
    case "business":
      return href(business);
    case "entity":
      return href([...business, "end-users", id]);
    case "funding":
    case "adjustment":
    case "payout":
    case "payment":
      return href([...business, "transactions", id]);
    case "refund":
      return paymentId ? href([...business, "transactions", paymentId, "refunds", id]) : null;
    case "webhook":
      return href([...business, "webhooks", id]);
    case "linked-account":
      // The payouts to it.
      return href(business, { linkedAccountId: id });
    case "delivery":
      return endpointId ? href([...business, "webhooks", endpointId, "deliveries", id]) : null;
    case "api-client":
    case "wallet":
    case "transfer":
    case "payment-link":
    case "subscription":
    case "invoice":
    case "event":
      return null;
  }
}
