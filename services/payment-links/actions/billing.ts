// The actions of subscriptions and their billing. Contracts: shared/contracts/subscriptions.ts.

import type { Handlers } from "../../../shared/rpc/actions.ts";
import type { Deps } from "../assembly.ts";
import { cancelSubscription } from "../billing/cancel.ts";
import { releaseBilling } from "../billing/hold.ts";
import { createMethodLink } from "../billing/method-links.ts";
import { previewInvoice } from "../billing/preview.ts";
import { setSeats } from "../billing/seats.ts";
import { setup } from "../billing/setup.ts";
import { cancelAsSubscriber, showToSubscriber } from "../billing/subscriber.ts";
import {
  type BillingModels,
  listInvoices,
  listSubscriptions,
  showInvoice,
  showSubscription,
} from "../billing/subscription-listing.ts";
import { setTestClock, testClockRun } from "../billing/test-clock.ts";
import { listUsage, recordUsage } from "../billing/usage.ts";

/** @param deps the dependencies of the started service */
export function billingActions(deps: () => Deps, models: BillingModels) {
  return {
    setup: (params, { meta: { deadline } }) => setup(deps(), params, deadline),

    subscriber: (params, context) => showToSubscriber(deps(), context, params),

    cancelAsSubscriber: (params, context) => cancelAsSubscriber(deps(), context, params),

    subscriptions: (params) => listSubscriptions(deps(), models, params),

    subscription: (params) => showSubscription(deps(), params),

    invoices: (params) => listInvoices(deps(), models, params),

    invoice: (params) => showInvoice(deps(), params),

    previewInvoice: (params) => previewInvoice(deps(), params),

    recordUsage: (params) => recordUsage(deps(), params),

    usage: (params) => listUsage(deps(), models, params),

    setSeats: (params, _context, creation) => setSeats(deps(), params, creation),

    releaseBilling: (params) => releaseBilling(deps(), params),

    cancelSubscription: (params, _context, creation) =>
      cancelSubscription(deps(), params, creation),

    createMethodLink: (params, _context, creation) => createMethodLink(deps(), params, creation),

    setTestClock: (params) => setTestClock(deps(), params),

    testClockRun: (params) => testClockRun(deps(), params),
  } satisfies Partial<Handlers<"payment-links">>;
}
