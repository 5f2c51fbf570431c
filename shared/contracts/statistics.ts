// Contracts of the statistics of a business: one form of row for every service that has
// transactions.

import { CURRENCIES } from "../money.ts";
import { list, object } from "./compound-fields.ts";
import { action, businessId, currency, money } from "./contract.ts";
import { nullable, optional } from "./field.ts";
import { integer, number, oneOf, text, timestamp } from "./fields.ts";

const FLOW_GROUPS = ["payouts", "collections", "refunds"] as const;
export type FlowGroup = (typeof FLOW_GROUPS)[number];

/** The longest range, and the range without a parameter. */
export const DAYS = { atMost: 92, byDefault: 30 };

const count = (note: string, example: number) => integer({ min: 0, note, example });
const seconds = (note: string, example: number) => number({ min: 0, note, example });

const row = object(
  {
    day: text({
      note: "The day on which they were created, in UTC",
      example: "2026-01-05",
      keywords: { format: "date" },
    }),
    flow: oneOf(FLOW_GROUPS, { note: "What is counted" }),
    currency,
    succeeded: count("How many have succeeded by now", 117),
    failed: count("How many have failed by now", 2),
    open: count("How many have not ended yet", 1),
    amount: money("The sum of the amounts of those that have succeeded", "2925.00"),
    fees: money("The sum of their fees; of refunds, the fees that were given back", "29.25"),
    secondsToSettle: nullable(
      object(
        { median: seconds("The median", 86_412.5), p95: seconds("The 95th percentile", 172_800) },
        {
          note: "The time from the acceptance of a payout to its success; null without one, and for others",
        },
      ),
    ),
  },
  { name: "DayStatistics", note: "What was created on a day, and what has become of it" },
);

const asked = {
  from: optional(
    timestamp({
      note: `Only what was created then or later; by default ${DAYS.byDefault} days before \`to\``,
    }),
  ),
  to: optional(
    timestamp({
      note: `Only what was created before, at most ${DAYS.atMost} days after \`from\`; by default the end of today, in UTC`,
    }),
  ),
  currency: optional(oneOf(CURRENCIES, { note: "Only this currency", default: "USD" })),
};
/** Of one business. */
export const statisticsParams = { businessId, ...asked };
/** Of all businesses. */
export const allStatisticsParams = asked;

/** A row for every day and flow; a range may touch one day more than it is long. */
export const statisticsRows = list(row, { max: FLOW_GROUPS.length * (DAYS.atMost + 1) });

/** A service's part of the statistics. */
export function statisticsAction(things: string) {
  return action({
    does: `Counts the ${things} of a business, or of all businesses, by the day of their creation and by their outcome`,
    // A node of the previous release needs a business.
    params: { ...asked, businessId: optional(businessId) },
    result: statisticsRows,
    errors: ["TOO_BROAD"],
  });
}
