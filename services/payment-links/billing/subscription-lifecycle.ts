// The lifecycle of a subscription: one switch over its step. Each arrow is one compare-and-set of
// the subscription, made by its machine (shared/resumable), so several drivers at a time move it
// only one way.
//
//   wait ────► issue     an invoice is due: at a boundary, or for seats charged immediately
//   wait ────► wait      a boundary is passed at which no invoice is due
//   issue ───► collect   the invoice is stored, and its first attempt has no known outcome
//   wait, issue          stay while billing is held after a restore              (hold.ts)
//   issue, collect ──► wait     the invoice is paid: active again
//   issue, collect ──► retry    the attempt was definitely declined: past_due
//   retry ───► collect   the next attempt is due; it is a payment of its own
//   any ─────► closed    cancelled, and nothing is left to bill; the saved methods are deleted
//
// The way of the data: due-dates.ts acts when an invoice is due, due-invoice.ts decides its scope,
// invoice-draft.ts drafts it, issue.ts stores it, collect.ts collects it, and dunning.ts decides
// the next attempt or returns to the next due date.
//
// A subscription has one invoice under way at a time. So its periods are billed in order and once:
// the boundary moves on only with the invoice that is issued for it. The next attempt at an invoice
// begins only after the one before it was declined. While the outcome of an attempt is unknown, all
// waits.

import { newOrigin } from "../../../shared/observability/spans.ts";
import type { Change } from "../../../shared/resumable/document.ts";
import { workForOrigin } from "../../../shared/rpc/origin.ts";
import { hasEvent } from "./billing-events.ts";
import { collect, retry } from "./collect.ts";
import type { BillingDeps } from "./deps.ts";
import { advance, type BillingTime } from "./due-dates.ts";
import { issue } from "./issue.ts";
import type { Collecting, Subscription } from "./subscription.model.ts";

/**
 * Does the work of the step, and returns the change that follows from it. An invoice belongs to the
 * request that made it due, as a setup does; one that no request made due has an origin of its own.
 */
export async function subscriptionChangeFor(
  deps: BillingDeps,
  subscription: Subscription,
  isFresh: boolean,
): Promise<Change<Subscription>> {
  const { set, enter = [], ...change } = await stepFor(deps, subscription, isFresh);
  const isWaiting = (set.step ?? subscription.step) === "wait";
  return {
    ...change,
    set: isWaiting ? { ...set, origin: undefined } : set,
    enter,
    hasNoEvents: !enter.some(hasEvent),
  };
}

async function stepFor(
  deps: BillingDeps,
  subscription: Subscription,
  isFresh: boolean,
): Promise<Change<Subscription>> {
  const time = await billingTime(deps, subscription);
  switch (subscription.step) {
    case "wait":
      return advance(subscription, time);
    case "issue": {
      // Drawn here and not before, so that the subscriptions of one date share a statement as they
      // become due.
      const origin = subscription.origin ?? newOrigin(deps.config, "bill");
      return workForOrigin(origin, () => issue(deps, subscription, time, isFresh));
    }
    case "collect": {
      const { invoiceId } = subscription.collecting as Collecting;
      return collect(deps, subscription, time, await deps.invoices.find(invoiceId));
    }
    case "retry":
      return retry(deps, subscription, time);
    case "closed":
      await deps.methods.documents.deleteMany({ subscriptionId: subscription._id });
      return { set: {}, next: "never" };
  }
}

async function billingTime(
  { testClockNow, clock }: BillingDeps,
  { businessId, dueAt }: Subscription,
): Promise<BillingTime> {
  const frozenAt = await testClockNow(businessId);
  if (frozenAt !== null) {
    return { now: Math.min(dueAt ?? frozenAt, frozenAt), dueBy: frozenAt, isFrozen: true };
  }
  const now = clock.now();
  return { now, dueBy: now, isFrozen: false };
}
