// What renewals (payments of invoices) say of the invoices that they pay. A renewal has ended before its
// invoice says so, and that before its subscription goes on. So its subscription is read after it, then
// the invoice; and once that subscription has gone on, the renewal has ended, which is read once more.

import { type Books, PHASES, readAll } from "../books.ts";
import { attemptsOf, type Invoice, ownersOf, type Subscription } from "../documents/billed.ts";
import type { Payment } from "../documents/collected.ts";
import { nameOf } from "../documents/kind.ts";
import { KINDS } from "../documents/kinds.ts";

const SUBSCRIPTION_FIELDS = { collecting: 1 };
const INVOICE_FIELDS = {
  businessId: 1,
  subscriptionId: 1,
  linkId: 1,
  collectionAccountId: 1,
  currency: 1,
  status: 1,
  chargeMinor: 1,
  feesMinor: 1,
  amountMinor: 1,
  attempts: 1,
};
const STATUS = { status: 1 };

/** Checks renewals against the invoices that they pay. */
export async function verifyRenewals(books: Books, batch: Payment[]): Promise<void> {
  const renewals = batch.filter(({ renewal }) => renewal);
  const of = (field: "subscriptionId" | "invoiceId") =>
    renewals.map(({ renewal }) => renewal?.[field] as string);
  const subscriptions = await readAll<Subscription>(
    books,
    PHASES.subscriptions,
    of("subscriptionId"),
    SUBSCRIPTION_FIELDS,
  );
  const invoices = await readAll<Invoice>(books, PHASES.invoices, of("invoiceId"), INVOICE_FIELDS);
  const ids = renewals.map(({ _id }) => _id);
  const again = await readAll<Payment>(books, PHASES.payments, ids, STATUS);
  for (const payment of renewals) {
    const { subscriptionId = "", invoiceId = "" } = payment.renewal ?? {};
    const invoice = invoices.get(invoiceId);
    const now = { ...payment, ...again.get(payment._id) };
    const isUnderWay = subscriptions.get(subscriptionId)?.collecting?.paymentId === payment._id;
    const problem = invoice
      ? (termsProblem(payment, invoice) ?? (isUnderWay ? null : endProblem(now, invoice)))
      : `is for the invoice ${invoiceId}, which is not there`;
    if (problem) books.findings.violation("renewals", `${nameOf(KINDS.payments, now)} ${problem}`);
  }
}

function termsProblem(payment: Payment, invoice: Invoice): string | null {
  const [says, should] = [
    [ownersOf(payment), payment.renewal?.subscriptionId],
    [ownersOf(invoice), invoice.subscriptionId],
  ].map((parts) => parts.join(" "));
  if (says !== should) return `is for ${says}, its invoice ${invoice._id} ${should}`;
  const { totalMinor, feesMinor, amountMinor } = payment;
  const charged = [totalMinor, feesMinor, amountMinor].join(", ");
  const asked = [invoice.chargeMinor, invoice.feesMinor, invoice.amountMinor].join(", ");
  return charged === asked ? null : `charges ${charged}, its invoice ${invoice._id} ${asked}`;
}

/** The subscription has gone on: the payment has ended, and its invoice says how. */
function endProblem({ _id, status, renewal }: Payment, invoice: Invoice): string | null {
  const attempt = attemptsOf(invoice)[(renewal?.attempt ?? 0) - 1];
  const said = attempt?.paymentId === _id ? attempt.status : "not there";
  if (status === "PENDING") return "has not ended, and nobody collects it";
  if (said !== status) return `is ${said} on its invoice ${invoice._id}`;
  const isPaid = status !== "SUCCEEDED" || invoice.status === "paid";
  return isPaid ? null : `succeeded, and its invoice ${invoice._id} is ${invoice.status}`;
}
