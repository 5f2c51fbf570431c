// The reviews of payouts that the screening holds (screening.ts): the list and the gauges of those
// that wait, and the decision of a person.

import type { Model, mongo } from "mongoose";
import type { Clock } from "../../shared/clock.ts";
import { DEFAULT_LIMIT } from "../../shared/contracts/contract.ts";
import type { Params, Result } from "../../shared/contracts/contracts.ts";
import { fail } from "../../shared/errors.ts";
import { type Gauge, gauge } from "../../shared/observability/metrics.ts";
import { inOneReply } from "../../shared/storage/database.ts";
import { after, cutAt } from "../../shared/storage/paging.ts";
import type { Deps } from "./deps.ts";
import { toTransaction } from "./payload.ts";
import { IN_REVIEW, type Payout, type ScreeningVerdict } from "./payout.model.ts";
import { denial, withVerdict } from "./screening.ts";

/** The payouts of all businesses that wait for a review, oldest first. */
export async function listReviews(
  payouts: Model<Payout>,
  { cursor, limit = DEFAULT_LIMIT }: Params<"payouts.reviews">,
): Promise<Result<"payouts.reviews">> {
  const found = await payouts
    .find({ visible: true, reviewSince: { $exists: true }, ...after(cursor) }, null, {
      ...inOneReply(limit + 1),
      hint: IN_REVIEW,
    })
    .readConcern("majority")
    .sort({ _id: 1 })
    .limit(limit + 1)
    .lean<Payout[]>();
  const { documents, nextCursor } = cutAt(limit, found);
  const items = documents.map((payout) => {
    const { amount, currency, method } = toTransaction(payout);
    const { _id: id, businessId, entityId, linkedAccountId } = payout;
    const { reviewSince = 0, verdicts = [] } = payout;
    const reasons = verdicts.at(-1)?.reasons ?? [];
    const since = new Date(reviewSince).toISOString();
    const history = verdicts.map(verdictView);
    const what = { id, businessId, entityId, linkedAccountId, amount, currency, method };
    return { ...what, reasons, since, history };
  });
  return { items, meta: { nextCursor } };
}

const COUNTED_AT_MOST = 10_000;

/** How many payouts wait for a review, and the longest for how long. */
export async function readReviewGauges(
  payouts: mongo.Collection<Payout>,
  clock: Clock,
): Promise<Gauge[]> {
  const [found] = await payouts
    .aggregate<{ count: number; since: number }>(
      [
        { $match: { visible: true, reviewSince: { $gte: 0 } } },
        { $limit: COUNTED_AT_MOST },
        { $group: { _id: null, count: { $sum: 1 }, since: { $min: "$reviewSince" } } },
      ],
      { hint: IN_REVIEW },
    )
    .toArray();
  const now = clock.now();
  const waitedMs = Math.max(0, now - (found?.since ?? now));
  return [
    gauge("payrail_payouts_in_review", found?.count ?? 0, {}),
    gauge("payrail_payouts_oldest_review_seconds", waitedMs / 1_000, {}),
  ];
}

export function verdictView({ at, decision, reasons, by }: ScreeningVerdict) {
  return { at: new Date(at).toISOString(), decision, reasons, by };
}

interface Decision {
  decision: "ALLOW" | "DENY";
  note: string;
  /** The subject of the person's token. */
  by: string;
  /** Whether an earlier run of the request may have decided already. */
  isRepeat?: boolean;
}

const TRIES_AT_MOST = 5;

/**
 * Decides about a payout that waits for a review: an ALLOW lets it be submitted within a day, a DENY
 * ends it, with the money back if that comes soon.
 * @param find reads the payout, or fails if there is none
 * @throws NOT_IN_REVIEW; UNAVAILABLE if the payout changes all the time
 */
export async function review(
  deps: Deps,
  find: () => Promise<Payout>,
  { decision, note, by, isRepeat }: Decision,
): Promise<Payout> {
  for (let i = 0; i < TRIES_AT_MOST; i++) {
    const payout = await find();
    const { reviewSince, verdicts = [] } = payout;
    const last = verdicts.at(-1);
    if (isRepeat && last?.by === by && last.decision === decision) return payout;
    if (reviewSince === undefined) return fail("NOT_IN_REVIEW");
    const verdict: ScreeningVerdict = { at: deps.clock.now(), decision, reasons: [note], by };
    const told = { verdicts: withVerdict(payout, verdict) };
    const decided = await deps.machine.transitionAlone(
      payout,
      decision === "DENY"
        ? denial({ ...payout, ...told })
        : { set: { ...told, reviewSince: undefined, unknownSince: undefined }, next: "now" },
    );
    if (!decided) continue;
    if (decision === "DENY") return deps.machine.drive(decided, { isFresh: true });
    void deps.machine.driveInBackground(decided, { isFresh: true });
    return decided;
  }
  return fail("UNAVAILABLE");
}
