// The reasons for which a customer cannot be erased yet: money of the customer is under way, or a
// saved card will be charged. The merchant ends it first.

import { fail } from "../../../shared/errors.ts";
import { MAJORITY } from "../../../shared/storage/database.ts";
import type { BillingDeps } from "../billing/deps.ts";
import type { RefundDeps } from "../refunds/deps.ts";
import type { OfCustomer } from "./find-customer.ts";

/**
 * Refuses the erasure of a customer with money under way or a saved card in use.
 * @throws ERASURE_REFUSED with all reasons
 */
export async function requireNothingOpen(
  { payments, refunds, subscriptions, methods }: BillingDeps & RefundDeps,
  theirs: OfCustomer,
): Promise<void> {
  const ids = (found: { _id: string }[]) => found.map(({ _id }) => _id);
  const [paying, refunded, subscribed] = await Promise.all([
    payments.documents.countDocuments(
      { ...theirs.payments, $or: [{ step: { $ne: "closed" } }, { needsAttention: true }] },
      MAJORITY,
    ),
    payments.documents
      .find({ ...theirs.payments, refunds: { $exists: true } }, MAJORITY)
      .project({ _id: 1 })
      .toArray(),
    subscriptions.documents.find(theirs.subscriptions, MAJORITY).toArray(),
  ]);
  const refunding = await refunds.documents.countDocuments(
    {
      paymentId: { $in: ids(refunded as { _id: string }[]) },
      $or: [{ step: { $nin: ["closed", "declined"] } }, { needsAttention: true }],
    },
    MAJORITY,
  );
  const running = subscribed.filter(({ status }) => status !== "cancelled").length;
  const collecting = subscribed.filter(
    ({ status, step, needsAttention }) =>
      status === "cancelled" && (step !== "closed" || needsAttention),
  ).length;
  const cards = await methods.documents.countDocuments(
    { subscriptionId: { $in: ids(subscribed) } },
    MAJORITY,
  );
  const reasons = [
    paying > 0 && `${paying} payments with this email are under way`,
    refunding > 0 && `${refunding} refunds to this email are under way`,
    running > 0 && `${running} subscriptions of this email run: cancel them first`,
    collecting > 0 && `${collecting} cancelled subscriptions still have an invoice to collect`,
    running + collecting === 0 && cards > 0 && `${cards} saved cards are being deleted`,
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) fail("ERASURE_REFUSED", reasons.join("; "));
}
