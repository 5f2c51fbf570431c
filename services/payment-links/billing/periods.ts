// The periods of a subscription. Boundary k is the anchor plus k intervals, counted from the anchor
// and never from the boundary before. So the anchor's day is kept, and in a month that is too short
// the boundary is the last day of the month. All dates are UTC. Period k begins at boundary k and
// ends before boundary k + 1. Boundaries only grow, up to the last moment that the API can show.

import { DateTime } from "luxon";
import { LATEST_MS } from "../../../shared/iso-time.ts";
import type { Subscription } from "./subscription.model.ts";

export type Periodic = Pick<Subscription, "anchorAt" | "plan">;

/**
 * The time of a boundary.
 * @param k from 0, which is the anchor
 * @returns epoch ms
 */
export function boundaryAt({ anchorAt, plan }: Periodic, k: number): number {
  const { type, count } = plan.charge.interval;
  const boundary = utc(anchorAt).plus({ [type]: count * k });
  return Math.min(boundary.toMillis(), LATEST_MS);
}

const DAY_MS = 86_400_000;

/**
 * The period that contains a time.
 * @param at epoch ms
 * @returns its number, from 0; -1 before the anchor
 */
export function periodAt(of: Periodic, at: number): number {
  if (at < of.anchorAt) return -1;
  const { type, count } = of.plan.charge.interval;
  if (type === "day" || type === "week") {
    return Math.floor((at - of.anchorAt) / (count * (type === "day" ? 1 : 7) * DAY_MS));
  }
  // Each boundary lies in the month (or year) that it is counted to, on any day of it. So only the
  // last boundary in the months up to this one can still be ahead.
  const from = utc(of.anchorAt);
  const to = utc(at);
  const years = to.year - from.year;
  const passed = type === "year" ? years : years * 12 + to.month - from.month;
  const k = Math.floor(passed / count);
  return boundaryAt(of, k) <= at ? k : k - 1;
}

function utc(at: number): DateTime<true> {
  return DateTime.fromMillis(at, { zone: "utc" }) as DateTime<true>;
}
