// Invoices before they are issued. The preview and the invoice are both drafted here, from the same
// facts. A total is the sum of its lines and never below 0: credit that an invoice cannot give back
// is carried to the next one. Pure.

import type { Billable, InvoiceScope } from "./due-invoice.ts";
import type { InvoiceLine } from "./invoice.model.ts";
import {
  carriedCredit,
  changeLine,
  earlierCredit,
  priceLines,
  sumLines,
  usageLines,
} from "./invoice-lines.ts";
import type { PeriodUsage } from "./usage.model.ts";

export interface InvoiceDraft {
  lines: InvoiceLine[];
  /** The sum of the lines, 0 or more; in minor units. */
  totalMinor: number;
  /** The credit that is left after it, in minor units; 0 or more. */
  creditMinor: number;
}

/**
 * The draft of an invoice.
 * @param usage of the period in the scope; null if usage is not billed
 */
export function draftInvoice(
  account: Billable,
  scope: InvoiceScope,
  usage: PeriodUsage | null,
): InvoiceDraft {
  const lines = [
    ...earlierCredit(account.creditMinor),
    ...periodLines(account, scope, usage),
    ...scope.changes
      .filter(({ amountMinor }) => amountMinor !== 0)
      .map((change) => changeLine(account, change)),
  ];
  const sum = sumLines(lines);
  const creditMinor = Math.max(0, -sum);
  return {
    lines: [...lines, ...carriedCredit(creditMinor)],
    totalMinor: Math.max(0, sum),
    creditMinor,
  };
}

/** The usage of a period, or the price of one that is billed in advance. */
function periodLines(
  { name, plan }: Billable,
  { occasion, periodStart, periodEnd, seats, usagePeriod }: InvoiceScope,
  usage: PeriodUsage | null,
): InvoiceLine[] {
  if (usagePeriod !== null) {
    if (!usage) throw new Error(`The usage of period ${usagePeriod} is missing`);
    return usageLines(plan, usage, periodStart === periodEnd);
  }
  return occasion.kind === "period" ? priceLines(name, plan, seats) : [];
}
