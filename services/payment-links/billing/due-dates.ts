// Due dates: when the driver of a subscription acts next, and for how long it waits. Pure.

import type { Change } from "../../../shared/resumable/document.ts";
import { type Billable, nextDue } from "./due-invoice.ts";
import { untilReleased } from "./hold.ts";
import { boundaryAt } from "./periods.ts";
import type { Issuing, Subscription } from "./subscription.model.ts";

/**
 * The time that a driver goes by, epoch ms by the business's clock. That is real time or, if the
 * business has a test clock, the time at which the subscription is due: so a test clock that jumps
 * by months shows each date on the way as real time would.
 */
export interface BillingTime {
  /** When the driver's work takes place. */
  now: number;
  /** The driver does the work that is due up to this time. */
  dueBy: number;
  /** A test clock stands still: nothing becomes due while the driver waits. */
  isFrozen: boolean;
}

/**
 * The next action of a subscription: it issues an invoice, passes a boundary, or both at one time.
 */
interface Action {
  /** Epoch ms, business's clock. */
  at: number;
  due: Issuing | null;
  isBoundary: boolean;
}

/** @returns null if nothing is left to do */
export function nextAction(subscription: Billable & Pick<Subscription, "status">): Action | null {
  const due = nextDue(subscription);
  if (subscription.status === "cancelled") return due && { at: due.at, due, isBoundary: false };
  const boundary = boundaryAt(subscription, subscription.boundary);
  const at = Math.min(due?.at ?? boundary, boundary);
  return { at, due: due?.at === at ? due : null, isBoundary: at === boundary };
}

/**
 * The cut-off: all before it is decided, epoch ms. An event that happens now is placed at or after
 * it, because the clock of this node may be a little behind.
 */
export function cutoff(subscription: Subscription): number {
  const { boundary, issuing } = subscription;
  const passed = boundary > 0 ? boundaryAt(subscription, boundary - 1) : 0;
  return Math.max(passed, issuing?.at ?? 0);
}

/** The last event that is decided: the cut-off, or a later change of seats; epoch ms. */
export function lastEventAt(subscription: Subscription): number {
  return Math.max(cutoff(subscription), subscription.changes.at(-1)?.at ?? 0);
}

export function advance(subscription: Subscription, time: BillingTime): Change<Subscription> {
  const action = nextAction(subscription);
  if (!action || action.at > time.dueBy) return waitFor(action, time);
  if (subscription.heldSince !== undefined) return untilReleased();
  const { set, enter } = action.isBoundary
    ? passBoundary(subscription, action.at)
    : { set: {}, enter: [] };
  const now = Math.max(action.at, time.now);
  if (!action.due) {
    const boundary = subscription.boundary + 1;
    const status = enter.at(-1) ?? subscription.status;
    const passed = { ...subscription, ...set, status, boundary };
    const rest = waitFor(nextAction(passed), { ...time, now });
    return { ...rest, set: { ...set, ...rest.set, boundary }, enter };
  }
  // Until the next wait only a test clock goes by `dueAt`, and each changed key of an index costs
  // the database nearly as much as an update.
  const dueAt = time.isFrozen && { dueAt: now };
  return { set: { ...set, step: "issue", issuing: action.due, ...dueAt }, enter, next: "now" };
}

/** At a boundary a trial ends, or the subscription itself. */
function passBoundary(
  { status, boundary, endsAtBoundary }: Subscription,
  at: number,
): Required<Pick<Change<Subscription>, "set" | "enter">> {
  if (endsAtBoundary !== undefined && boundary >= endsAtBoundary) {
    return { set: { cancelledAt: at }, enter: ["cancelled"] };
  }
  return { set: {}, enter: status === "trialing" ? ["active"] : [] };
}

type Rest = Pick<Change<Subscription>, "set" | "next">;

/** Waits for the next action; a subscription without one is closed. */
export function waitForNext(subscription: Subscription, time: BillingTime): Rest {
  return waitFor(nextAction(subscription), time);
}

function waitFor(action: Action | null, time: BillingTime): Rest {
  if (!action) return close({});
  // Overdue work takes place now, because time does not go back.
  const at = action.at > time.dueBy ? action.at : Math.max(action.at, time.now);
  const { set, next } = waitUntil(at, time);
  return { set: { ...set, step: "wait" }, next };
}

/** Nothing is done before `dueAt`, epoch ms by the business's clock. */
export function waitUntil(dueAt: number, { now, dueBy, isFrozen }: BillingTime): Rest {
  if (isFrozen) return { set: { dueAt }, next: dueAt > dueBy ? "never" : 0 };
  return { set: { dueAt }, next: Math.max(0, dueAt - now) };
}

/** Closes the subscription; its next step deletes its saved methods. Nothing is left to hold. */
export function close(set: Rest["set"]): Rest {
  return { set: { ...set, step: "closed", dueAt: undefined, heldSince: undefined }, next: "now" };
}
