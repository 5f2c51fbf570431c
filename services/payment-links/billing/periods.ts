// The periods of a subscription. Boundary k is the anchor plus k intervals, always counted from the anchor
// and never from the boundary before: so the anchor's day is kept, and where a month is too short for
// it the boundary is that month's last day. All in UTC. Period k lies from boundary k up to, and
// without, boundary k + 1; boundaries only grow.

import { DateTime } from "luxon";
import type { Subscription } from "./subscription.model.ts";

/** What the periods of a subscription follow from. */
export type Periodic = Pick<Subscription, "anchorAt" | "plan">;

/**
 * The moment of a boundary.
 * @param k from 0, which is the anchor
 * @returns epoch ms
 */
export function boundaryAt({ anchorAt, plan }: Periodic, k: number): number {
  const { type, count } = plan.charge.interval;
  return utc(anchorAt)
    .plus({ [type]: count * k })
    .toMillis();
}

const DAY_MS = 86_400_000;

/**
 * The period that a moment is in.
 * @param at epoch ms
 * @returns its number, from 0; -1 before the anchor
 */
export function periodOf(of: Periodic, at: number): number {
  if (at < of.anchorAt) return -1;
  const { type, count } = of.plan.charge.interval;
  if (type === "day" || type === "week") {
    return Math.floor((at - of.anchorAt) / (count * (type === "day" ? 1 : 7) * DAY_MS));
  }
  // A boundary lies in the month (or year) that it is counted to, whatever its day: so of the
  // boundaries in the months up to this one, only the last may still be ahead.
  const [from, to] = [utc(of.anchorAt), utc(at)];
  const years = to.year - from.year;
  const passed = type === "year" ? years : years * 12 + to.month - from.month;
  const k = Math.floor(passed / count);
  return boundaryAt(of, k) <= at ? k : k - 1;
}

function utc(at: number): DateTime<true> {
  return DateTime.fromMillis(at, { zone: "utc" }) as DateTime<true>;
}
