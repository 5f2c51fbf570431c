// Credit, which is what an invoice could not give back of seats: the next invoice begins with it, and
// that of the last one stands in the subscription. Invoices are stored before their subscription says
// what is left; so they are read after it, and where they do not fit, whether it has gone on meanwhile.

import { type Books, PHASES, readAll } from "../books.ts";
import { describe } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import type { Subscription } from "../kinds/subscriptions.ts";

const EARLIER = "Credit from an earlier invoice";
const CARRIED = "Credit carried to the next invoice";

/** What was tampered with may have any lines. */
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

/** Checks that what each invoice carries is what the next one begins with. */
export async function verifyCredit(books: Books, batch: Subscription[]): Promise<void> {
  const { findings } = books;
  const bySeats = new Map<string, Subscription>();
  for (const subscription of batch) {
    const { _id, plan, creditMinor } = subscription;
    if (plan?.charge?.type === "seating") bySeats.set(_id, subscription);
    else if (creditMinor !== 0) {
      const name = describe(KINDS.subscriptions, subscription);
      findings.violation("credit", `${name} is to be given ${creditMinor}, and has no seats`);
    }
  }
  const problems = await findBreaks(books, bySeats);
  const ids = [...problems.keys()];
  const again = await readAll<Subscription>(books, PHASES.subscriptions, ids, { v: 1 });
  for (const [id, problem] of problems) {
    const subscription = bySeats.get(id) as Subscription;
    // Another version: some of its invoices are newer than what was read of it.
    if (again.get(id)?.v !== subscription.v) continue;
    findings.violation("credit", `${describe(KINDS.subscriptions, subscription)} ${problem}`);
  }
}

/** The first break of each chain of credits, by subscription. */
async function findBreaks(
  books: Books,
  bySeats: Map<string, Subscription>,
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
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
    const carried = left.get(id) ?? 0;
    if (begins !== carried && !problems.has(id)) {
      problems.set(id, `has the invoice ${_id} with a credit of ${begins} instead of ${carried}`);
    }
    // What an invoice carries that is just being issued, its subscription does not say yet.
    const isIssuing = bySeats.get(id)?.issuing?.occasion === occasion;
    if (!isIssuing) left.set(id, creditIn(last, CARRIED));
  }
  for (const [id, { creditMinor }] of bySeats) {
    const carried = left.get(id) ?? 0;
    if (creditMinor === carried || problems.has(id)) continue;
    problems.set(id, `is to be given ${creditMinor}, its last invoice carries ${carried}`);
  }
  return problems;
}

function creditIn(line: Line | undefined, description: string): number {
  return line?.description === description ? (line.amountMinor ?? 0) : 0;
}
