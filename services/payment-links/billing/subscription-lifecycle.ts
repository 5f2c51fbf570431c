// The lifecycle of a subscription: one switch over its step. Each arrow is one compare-and-set of the
// subscription, which the machine (shared/resumable) makes; so however many drive it, it goes one way.
//
//   wait ────► issue     a boundary is passed, or seats are charged: what is billed is decided
//   wait ────► wait      a boundary is passed at which nothing is billed
//   issue ───► collect   the invoice is there (issue.ts)
//   collect ─► wait      paid: active again, and the next period's turn (collect.ts)
//   collect ─► retry     definitely declined: past_due
//   retry ───► collect   the next attempt, a payment of its own
//   any ─────► closed    cancelled, and nothing is left to be billed; the saved methods are forgotten
//
// It has one invoice under way at a time, so its periods are billed in order, each of them once: the
// boundary moves on only with the invoice that is issued for it. The next attempt at an invoice comes to
// be only after the one before it was declined. While nobody knows what became of an attempt, nothing
// else happens.

import type { Change } from "../../../shared/resumable/document.ts";
import { forgetMethods } from "../payments/saved-methods.ts";
import type { BillingDeps } from "./billing-deps.ts";
import { collect, voidInvoice } from "./collect.ts";
import { CLOSED, dueOf, type Moment, momentOf, restsUntil, waits } from "./due-dates.ts";
import { isGivenUp, isScheduled } from "./dunning.ts";
import { nextIssuing } from "./invoice-draft.ts";
import { issue } from "./issue.ts";
import { boundaryAt } from "./periods.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/** Does what the step asks for; what changes because of it. */
export async function subscriptionChangeFor(
  deps: BillingDeps,
  subscription: Subscription,
  isFresh: boolean,
): Promise<Change<Subscription>> {
  const moment = await momentOf(deps, subscription);
  switch (subscription.step) {
    case "wait":
      return wait(subscription, moment);
    case "issue":
      return issue(deps, subscription, moment, isFresh);
    case "collect":
      return collect(deps, subscription, moment);
    case "retry":
      return retry(deps, subscription, moment);
    case "closed":
      await forgetMethods(deps, subscription);
      return { set: {}, next: "never" };
  }
}

function wait(subscription: Subscription, moment: Moment): Change<Subscription> {
  const due = dueOf(subscription);
  if (due === null || due > moment.until) return waits(subscription, moment);
  const issuing = nextIssuing(subscription);
  const { set, enter } = passing(subscription, due);
  const now = Math.max(due, moment.now);
  if (issuing?.at === due) {
    return { set: { ...set, step: "issue", issuing, dueAt: now }, enter, next: "now" };
  }
  const boundary = subscription.boundary + 1;
  const status = enter.at(-1) ?? subscription.status;
  const rest = waits({ ...subscription, ...set, status, boundary }, { ...moment, now });
  return { ...rest, set: { ...set, ...rest.set, boundary }, enter };
}

/** What becomes of it with a boundary: its trial is over, or it has come to its end. */
function passing(
  subscription: Subscription,
  due: number,
): { set: Partial<Pick<Subscription, "cancelledAt">>; enter: Subscription["status"][] } {
  const { status, boundary, endsAtBoundary } = subscription;
  if (status === "cancelled" || due < boundaryAt(subscription, boundary)) {
    return { set: {}, enter: [] };
  }
  if (endsAtBoundary !== undefined && boundary >= endsAtBoundary) {
    return { set: { cancelledAt: due }, enter: ["cancelled"] };
  }
  return { set: {}, enter: status === "trialing" ? ["active"] : [] };
}

/** The next attempt, once it is due. */
async function retry(
  deps: BillingDeps,
  subscription: Subscription,
  moment: Moment,
): Promise<Change<Subscription>> {
  const { dueAt = moment.until } = subscription;
  const collecting = subscription.collecting as Collecting;
  if (isGivenUp(subscription)) {
    await voidInvoice(deps, collecting);
    return { ...CLOSED, set: { ...CLOSED.set, collecting: undefined } };
  }
  if (dueAt > moment.until) return restsUntil(dueAt, moment);
  const { attempt, retries } = collecting;
  const next: Collecting = {
    ...collecting,
    attempt: attempt + 1,
    paymentId: deps.newId(),
    retries: retries + (isScheduled(collecting, moment.now) ? 1 : 0),
  };
  return { set: { step: "collect", collecting: next, dueAt: moment.now }, next: "now" };
}
