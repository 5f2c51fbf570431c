// The documents of all businesses that need an operator's attention: the services' own lists, one
// after the other. The cursor contains the name of the service that the next page begins at, and
// that service's cursor.

import { checker } from "../../../shared/checker.ts";
import {
  ATTENTION_KINDS,
  type AttentionKind,
  attentionItem,
} from "../../../shared/contracts/attention.ts";
import { action, cursored, cursorPage, DEFAULT_LIMIT } from "../../../shared/contracts/contract.ts";
import type { Result } from "../../../shared/contracts.ts";
import { failField } from "../../../shared/errors.ts";
import { type Infer, optional } from "../../../shared/field.ts";
import { oneOf } from "../../../shared/fields.ts";
import { ADMIN, type Call, composed, type Route } from "../http/route.ts";

type Page = Result<"payouts.attention">;

interface Source {
  name: "payouts" | "payment-links";
  kinds: readonly AttentionKind[];
}

const SOURCES: Source[] = [
  { name: "payouts", kinds: ["payout"] },
  { name: "payment-links", kinds: ["payment", "refund", "subscription"] },
];

/** Limits the calls for one page, because a filter may leave few items of the services' pages. */
const CALLS_AT_MOST = 10;

const filter = {
  kind: optional(oneOf(ATTENTION_KINDS, { note: "Only things of this kind" })),
  ...cursored,
};

const list = action({
  does: "Lists what needs attention, of all businesses. These are payouts, payments, refunds and subscriptions, newest first within each kind. A page may be short: the list ends where nextCursor is null",
  params: filter,
  result: cursorPage(attentionItem),
});

const checkFilter = checker(filter);

async function listAttention(params: Infer<typeof filter>, call: Call): Promise<Page> {
  const { kind, cursor, limit = DEFAULT_LIMIT } = checkFilter(params);
  const sources = SOURCES.filter(({ kinds }) => kind === undefined || kinds.includes(kind));
  let [source, inside] = cursor === undefined ? [sources[0]] : readCursor(cursor, sources);
  const items: Page["items"] = [];
  for (let i = 0; source && items.length < limit && i < CALLS_AT_MOST; i++) {
    const paging = { limit: limit - items.length, ...(inside && { cursor: inside }) };
    const page: Page = await call(`${source.name}.attention`, paging);
    items.push(...page.items.filter((item) => kind === undefined || item.kind === kind));
    inside = page.meta.nextCursor ?? undefined;
    if (inside === undefined) source = sources[sources.indexOf(source) + 1];
  }
  return { items, meta: { nextCursor: source ? `${source.name}:${inside ?? ""}` : null } };
}

/** @throws VALIDATION if the cursor does not belong to this list */
function readCursor(cursor: string, sources: Source[]): [Source, string] {
  const end = cursor.indexOf(":");
  const source = sources.find(({ name }) => name === cursor.slice(0, end));
  return source
    ? [source, cursor.slice(end + 1)]
    : failField("cursor", "must be a nextCursor of this list");
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
            reason: "The rail has not reported the outcome",
          },
        ],
        meta: { nextCursor: null },
      },
    },
  }),
];
