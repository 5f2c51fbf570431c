// A sample rail: RAILS={"ACH":"./partners/samples/rail.ts"}. The partner's books make each question
// idempotent by the payout's id, so the module stores nothing and may die between any two lines.

import type { Rail, RailEntry } from "../types.ts";
import { partnerClient } from "./partner-client.ts";

export default function rail(): Rail {
  const { ask } = partnerClient();
  return {
    name: "sample-rail",
    test: true,
    returnWindowMs: 0,
    async submit(payment, instrument) {
      // A real rail pays to these numbers. They go only to the bank.
      const { data } = await instrument();
      return ask("PUT", `/payments/${payment.id}`, { ...payment, to: data.accountNumber });
    },
    query: (id) => ask("GET", `/payments/${id}`),
    cancel: (id) => ask("POST", `/cancels/${id}`),
    decide: (id, end) => ask("POST", `/decisions/${id}`, { end }),
    async *list(since) {
      yield* await ask<RailEntry[]>("GET", `/paid?since=${since}`);
    },
  };
}
