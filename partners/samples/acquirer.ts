// A sample acquirer: ACQUIRER=./partners/samples/acquirer.ts. The partner's books make each
// question idempotent by its id, so the module stores nothing and may die between any two lines.

import type { Acquirer, AcquirerEntry, Card } from "../types.ts";
import { partnerClient } from "./partner-client.ts";

export default function acquirer(): Acquirer {
  const { ask, fieldUrl } = partnerClient();
  return {
    name: "sample-acquirer",
    test: true,
    vault: { fieldUrl, wantsPostcode: true },
    tokenInfo: (token) => ask<Card | null>("POST", "/card", { token }),
    charge: (charge) => ask("PUT", `/charges/${charge.id}`, charge),
    outcome: (id) => ask("GET", `/outcomes/${id}`),
    void: (id) => ask("POST", `/voids/${id}`),
    refund: (refund) => ask("PUT", `/refunds/${refund.id}`, refund),
    async *list(since) {
      yield* await ask<AcquirerEntry[]>("GET", `/acquired?since=${since}`);
    },
  };
}
