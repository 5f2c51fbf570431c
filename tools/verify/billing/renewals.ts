// Checks renewals (payments of invoices) against the invoices that they pay. A renewal ends before
// its invoice stores the end, and the invoice stores it before its subscription goes on. So the
// subscription is read after the renewal, then the invoice. If the subscription has gone on, the
// renewal has ended, and it is read again.

import type { Books } from "../books.ts";
import { type Invoice, readAttempts } from "../kinds/invoices.ts";
import { readDocuments, reporter } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { feeKind, feesOf, type Payment } from "../kinds/payments.ts";
import { ownersText, type Subscription } from "../kinds/subscriptions.ts";

export async function verifyRenewals(books: Books, batch: Payment[]): Promise<void> {
  const renewals = batch.filter(({ renewal }) => renewal);
  const of = (field: "subscriptionId" | "invoiceId") =>
    renewals.map(({ renewal }) => renewal?.[field] as string);
  const subscriptions = await readDocuments(books, KINDS.subscriptions, of("subscriptionId"));
  const invoices = await readDocuments(books, KINDS.invoices, of("invoiceId"));
  const ids = renewals.map(({ _id }) => _id);
  const again = await readDocuments(books, KINDS.payments, ids);
  const report = reporter(books, KINDS.payments, "renewals");
  for (const payment of renewals) {
    const { subscriptionId = "", invoiceId = "" } = payment.renewal ?? {};
    const invoice = invoices.get(invoiceId);
    const now = again.get(payment._id) ?? payment;
    const subscription = subscriptions.get(subscriptionId);
    const { issuing, collecting } = subscription ?? {};
    const isUnderWay =
      collecting?.paymentId === payment._id ||
      (invoice !== undefined && issuing?.occasion === invoice.occasion);
    const problem = invoice
      ? (termsProblem(payment, invoice, subscription) ??
        (isUnderWay ? null : endProblem(now, invoice)))
      : `is for the invoice ${invoiceId}, which is not there`;
    report(now, problem);
  }
}

/** Its attempts charge what the invoice asks for, less the plan's fee of what was charged. */
function termsProblem(
  payment: Payment,
  invoice: Invoice,
  subscription: Subscription | undefined,
): string | null {
  const [actual, expected] = [
    [ownersText(payment), payment.renewal?.subscriptionId],
    [ownersText(invoice), invoice.subscriptionId],
  ].map((parts) => parts.join(" "));
  if (actual !== expected) return `is for ${actual}, its invoice ${invoice._id} ${expected}`;
  const { totalMinor, askedMinor = totalMinor, feesMinor } = payment;
  const asked = invoice.askedMinor ?? invoice.chargeMinor;
  if (askedMinor !== asked) return `charges ${askedMinor}, its invoice ${invoice._id} ${asked}`;
  // The invoice of a subscription that is not there is a violation already.
  if (!subscription) return null;
  const { fee } = subscription.plan ?? {};
  const fees = feesOf(fee, totalMinor);
  if (fees !== feesMinor) return `charges ${totalMinor} less ${feesMinor} and not ${fees}`;
  const [own, planned] = [feeKind(payment), feeKind({ fee })];
  return own === planned ? null : `has a fee of ${own}, its plan of ${planned}`;
}

/** The subscription has gone on, so the payment has ended, and its invoice stores the same end. */
function endProblem(
  { _id, status, renewal, totalMinor }: Payment,
  invoice: Invoice,
): string | null {
  const attempt = readAttempts(invoice)[(renewal?.attempt ?? 0) - 1];
  const said = attempt?.paymentId === _id ? attempt.status : "not there";
  if (status === "PENDING") return "has not ended, and no subscription collects it";
  if (said !== status) return `is ${said} on its invoice ${invoice._id}`;
  if (status !== "SUCCEEDED") return null;
  const { _id: id, status: is, chargeMinor } = invoice;
  if (is !== "paid") return `succeeded, and its invoice ${id} is ${is}`;
  return totalMinor === chargeMinor
    ? null
    : `has charged ${totalMinor}, its invoice ${id} ${chargeMinor}`;
}
