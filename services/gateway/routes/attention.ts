// The documents of all businesses that need an operator's attention: the services' own lists, one
// after the other.

import {
  type AttentionKind,
  attentionAction,
  byKind,
  byState,
} from "../../../shared/contracts/attention.ts";
import { checker } from "../../../shared/contracts/checker.ts";
import type { Result } from "../../../shared/contracts/contracts.ts";
import type { Infer } from "../../../shared/contracts/field.ts";
import { type NamedList, oneAfterAnother } from "../../../shared/storage/paging.ts";
import { ADMIN, type Call, composed, type Route } from "../http/route.ts";

type Page = Result<"payouts.attention">;

interface Source {
  name: "payouts" | "payment-links" | "webhooks";
  kinds: readonly AttentionKind[];
  /** Whether they have steps, which may be of unknown outcome or overdue. */
  hasSteps: boolean;
}

const SOURCES: Source[] = [
  { name: "payouts", kinds: ["payout"], hasSteps: true },
  { name: "payment-links", kinds: ["payment", "refund", "subscription"], hasSteps: true },
  { name: "webhooks", kinds: ["webhook", "delivery"], hasSteps: false },
];

const list = {
  ...attentionAction("documents", { ...byKind, ...byState }),
  does: "Lists what needs attention, of all businesses. These are payouts, payments, refunds, subscriptions, disabled webhooks and dead letters, newest first within each kind. The states `unknown` and `overdue` list what payrail still works on by itself. A page may be short: the list ends where nextCursor is null",
};

const checkFilter = checker(list.params);

function listAttention(params: Infer<typeof list.params>, call: Call): Promise<Page> {
  const { kind, state = "flagged", ...paging } = checkFilter(params);
  const sources = SOURCES.filter(
    ({ kinds, hasSteps }) =>
      (kind === undefined || kinds.includes(kind)) && (hasSteps || state === "flagged"),
  );
  const lists = sources.map(({ name }): NamedList<Page["items"][number]> => {
    return {
      name,
      async read(page) {
        const { items, meta }: Page = await call(`${name}.attention`, {
          ...page,
          ...(kind && { kind }),
          state,
        });
        // A node of the previous release lists all its kinds.
        const wanted = items.filter((item) => kind === undefined || item.kind === kind);
        return { items: wanted, nextCursor: meta.nextCursor };
      },
    };
  });
  return oneAfterAnother(lists, paging);
}

export const attentionRoutes: Route[] = [
  composed("GET /v1/admin/attention", ADMIN, "listAttention", list, listAttention, {
    example: {
      response: {
        success: true,
        data: [
          {
            kind: "payout",
            id: "0198c0de-7a56-7000-8000-1b7d9e4f3c20",
            businessId: "0198c0de-7a51-7000-8000-3f1d5a2b9c01",
            status: "PROCESSING_PAY_OUT",
            amount: "25.25",
            currency: "USD",
            unknownSince: "2026-01-05T09:30:00.000Z",
            nextStepAt: "2026-01-06T09:35:00.000Z",
            reason: "The rail has not reported the outcome",
          },
        ],
        meta: { nextCursor: null },
      },
    },
  }),
];
