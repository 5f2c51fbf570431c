// Credit: the part of a price cut for seats that an invoice could not give back. The next invoice
// begins with it, and the subscription stores the credit of the last invoice. An invoice is stored
// before its subscription stores the rest. So invoices are read after their subscription, and if
// they do not fit, the subscription is read again to see whether another node has changed it.

import { type Books, PHASES } from "../books.ts";
import { reporter, reportUnlessChanged } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import type { Subscription } from "../kinds/subscriptions.ts";

const EARLIER = "Credit from an earlier invoice";
const CARRIED = "Credit carried to the next invoice";

/** A document that was tampered with may have any lines. */
const LINES = { $cond: [{ $isArray: "$lines" }, "$lines", []] };
const AT_ENDS = {
  subscriptionId: 1,
  number: 1,
  occasion: 1,
  first: { $first: LINES },
  last: { $last: LINES },
};

type Line = { description?: string; amountMinor?: number } | null;

interface Row {
  _id: string;
  subscriptionId: string;
  occasion: string;
  first?: Line;
  last?: Line;
}

/** Checks that each invoice begins with the credit that the invoice before it carries. */
export async function verifyCredit(books: Books, batch: Subscription[]): Promise<void> {
  const report = reporter(books, KINDS.subscriptions, "credit");
  const bySeats = new Map<string, Subscription>();
  for (const subscription of batch) {
    const { _id, plan, creditMinor } = subscription;
    if (plan?.charge?.type === "seating") bySeats.set(_id, subscription);
    else if (creditMinor !== 0) {
      report(subscription, `is to be given ${creditMinor}, and has no seats`);
    }
  }
  // If the version changed, some of the invoices are newer than the subscription that was read.
  await reportUnlessChanged(books, KINDS.subscriptions, "credit", await findBreaks(books, bySeats));
}

/** Finds the first break of each chain of credits. */
async function findBreaks(
  books: Books,
  bySeats: Map<string, Subscription>,
): Promise<Map<Subscription, string>> {
  const problems = new Map<Subscription, string>();
  if (bySeats.size === 0) return problems;
  const left = new Map<string, number>();
  // A subscription has one invoice at a time, so their numbers are in its order.
  const rows = books.aggregate<Row>(PHASES.invoices, [
    { $match: { subscriptionId: { $in: [...bySeats.keys()] } } },
    { $project: AT_ENDS },
    { $sort: { subscriptionId: 1, number: 1 } },
  ]);
  for await (const { _id, subscriptionId: id, occasion, first, last } of rows) {
    const begins = -creditIn(first, EARLIER);
    const subscription = bySeats.get(id) as Subscription;
    const carried = left.get(id) ?? 0;
    if (begins !== carried && !problems.has(subscription)) {
      problems.set(
        subscription,
        `has the invoice ${_id} with a credit of ${begins} instead of ${carried}`,
      );
    }
    // The subscription does not yet store the credit of an invoice that is being issued.
    const isIssuing = subscription.issuing?.occasion === occasion;
    if (!isIssuing) left.set(id, creditIn(last, CARRIED));
  }
  for (const [id, subscription] of bySeats) {
    const { creditMinor } = subscription;
    const carried = left.get(id) ?? 0;
    if (creditMinor === carried || problems.has(subscription)) continue;
    problems.set(
      subscription,
      `has a credit of ${creditMinor}, its last invoice carries ${carried}`,
    );
  }
  return problems;
}

function creditIn(line: Line | undefined, description: string): number {
  return line?.description === description ? (line.amountMinor ?? 0) : 0;
}
