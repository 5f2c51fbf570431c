// When a subscription does what. Its driver goes by the business's clock: by the real time, or, where the
// business has a test clock, by the moment at which the subscription is due, so that a jump of months
// shows each moment as it would have been.

import type { Change } from "../../../shared/resumable/document.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { nextIssuing } from "./invoice-draft.ts";
import { boundaryAt } from "./periods.ts";
import type { Subscription } from "./subscription.model.ts";

/** Epoch ms by the business's clock. */
export interface Moment {
  /** When what the driver does now happens. */
  now: number;
  /** What is due by then is due. */
  until: number;
  /** A test clock stands still: nothing comes to be due by waiting. */
  stands: boolean;
}

type Wait = Pick<Change<Subscription>, "set" | "next">;

export async function momentOf(
  { testClockOf, clock }: Pick<BillingDeps, "testClockOf" | "clock">,
  { businessId, dueAt }: Subscription,
): Promise<Moment> {
  const until = await testClockOf(businessId);
  if (until !== null) return { now: Math.min(dueAt ?? until, until), until, stands: true };
  const now = clock.now();
  return { now, until: now, stands: false };
}

/**
 * When it has to do something next, epoch ms: the next boundary, or what is issued before it; once it
 * is cancelled, what is left to be issued.
 * @returns null where nothing is left
 */
export function dueOf(subscription: Subscription): number | null {
  const issued = nextIssuing(subscription)?.at;
  if (subscription.status === "cancelled") return issued ?? null;
  const boundary = boundaryAt(subscription, subscription.boundary);
  return issued === undefined ? boundary : Math.min(issued, boundary);
}

/**
 * Up to which moment all is decided, epoch ms: what happens now comes after it, though the clock of the
 * node that is asked may be a little behind.
 */
export function decidedUpTo(subscription: Subscription): number {
  const { boundary, issuing } = subscription;
  const passed = boundary > 0 ? boundaryAt(subscription, boundary - 1) : 0;
  return Math.max(passed, issuing?.at ?? 0);
}

/** It waits for what it has to do next; where nothing is left, it is closed. */
export function waits(subscription: Subscription, moment: Moment): Wait {
  const due = dueOf(subscription);
  if (due === null) return CLOSED;
  // Never before what it has done already: time does not go back.
  const { set, next } = restsUntil(due > moment.until ? due : Math.max(due, moment.now), moment);
  return { set: { ...set, step: "wait" }, next };
}

/** Nothing is done before that moment. */
export function restsUntil(dueAt: number, { now, until: latest, stands }: Moment): Wait {
  if (stands) return { set: { dueAt }, next: dueAt > latest ? "never" : 0 };
  return { set: { dueAt }, next: Math.max(0, dueAt - now) };
}

/** Its saved methods are forgotten next. */
export const CLOSED: Wait = { set: { step: "closed", dueAt: undefined }, next: "now" };
