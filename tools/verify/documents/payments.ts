// Checks payments and refunds against one another and against their links. A refund is stored
// before its part of the payment is reserved, and the part is reserved before the refund goes on;
// the part is given back before the refund stores its failure. So the payment is read after a
// refund, and the refund after the parts that its payment has reserved.

import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import { type Books, PHASES, READ_AT_ONCE, readAll, select } from "../books.ts";
import { describe, readDocuments } from "../kinds/kind.ts";
import { KINDS } from "../kinds/kinds.ts";
import { type Allocation, feeKind, feesOf, type Payment } from "../kinds/payments.ts";
import type { Refund } from "../kinds/refunds.ts";

/** The terms of a link that its payments have to agree with. */
interface Link {
  _id: string;
  businessId: string;
  collectionAccountId: string;
  totalMinor: number;
  feesMinor: number;
  terms?: { isOpenLink?: boolean; currency?: string };
  fee?: FeeSnapshot;
}

const LINK_FIELDS = select(
  ...["businessId", "collectionAccountId", "totalMinor", "feesMinor"],
  ...["terms.isOpenLink", "terms.currency", "fee"],
);

/** Checks payments against their links, against one another, and against their refunds. */
export async function verifyPayments(books: Books, batch: Payment[]): Promise<void> {
  // Renewals are checked against their invoices (renewals.ts).
  const ofLinks = batch.filter(({ renewal }) => !renewal);
  await verifyLinks(books, ofLinks);
  await verifyHolders(books, batch);
  for (const payment of batch) verifySums(books, payment);
  await verifyAllocations(books, batch);
}

async function verifyLinks(books: Books, batch: Payment[]): Promise<void> {
  const { violation } = books.findings;
  const ids = batch.map(({ linkId }) => linkId);
  const links = await readAll<Link>(books, "payment_links", ids, LINK_FIELDS);
  for (const payment of batch) {
    const link = links.get(payment.linkId);
    const name = describe(KINDS.payments, payment);
    if (!link) {
      violation("holds", `${name} is of the link ${payment.linkId}, which is not there`);
      continue;
    }
    const [actual, expected] = [
      [payment.businessId, payment.collectionAccountId, payment.currency, feeKind(payment)],
      [link.businessId, link.collectionAccountId, link.terms?.currency, feeKind(link)],
    ].map((parts) => parts.join(" "));
    const { totalMinor, askedMinor = totalMinor, feesMinor } = payment;
    const fees = askedMinor === totalMinor ? link.feesMinor : feesOf(link.fee, totalMinor);
    const money = [askedMinor, feesMinor].join(" less ");
    const asked = [link.totalMinor, fees].join(" less ");
    if (actual !== expected) violation("holds", `${name} is for ${actual}, its link ${expected}`);
    if (money !== asked) violation("holds", `${name} charges ${money}, its link ${asked}`);
    const isClosed = link.terms?.isOpenLink === false;
    if (isClosed && payment.status === "SUCCEEDED" && payment.holds !== link._id) {
      violation("holds", `${name} does not hold its link ${link._id}, which is paid once`);
    }
  }
}

/** One payment at a time holds a link, and the payment that succeeded holds it for good. */
async function verifyHolders({ find, findings }: Books, batch: Payment[]): Promise<void> {
  const held = batch.flatMap(({ holds }) => (holds === undefined ? [] : [holds]));
  if (held.length === 0) return;
  const holders = (ids: string[]) =>
    find<Payment>(PHASES.payments, { holds: { $in: ids } }, { projection: { holds: 1 } })
      .batchSize(2 * READ_AT_ONCE)
      .toArray();
  const isTwice = (found: Payment[]) =>
    [...Map.groupBy(found, ({ holds }) => holds as string)].filter(([, group]) => group.length > 1);
  // While they were read, one payment may have released the link and another may have taken it: a
  // second read tells.
  const suspects = isTwice(await holders(held)).map(([id]) => id);
  const twice = suspects.length > 0 ? isTwice(await holders(suspects)) : [];
  for (const [id, group] of twice) {
    const payments = group.map(({ _id }) => _id).join(", ");
    findings.violation("holds", `link ${id} is held by ${group.length} payments: ${payments}`);
  }
}

/** The refunded sum of a payment is the sum of its parts, and at most the charge. */
function verifySums({ findings: { violation } }: Books, payment: Payment): void {
  const { totalMinor, feesMinor, refundedMinor, refundedFeesMinor } = payment;
  const name = describe(KINDS.payments, payment);
  const parts = readAllocations(payment);
  const sum = (of: (part: Allocation) => number) => parts.reduce((all, part) => all + of(part), 0);
  for (const [field, actual, expected, most] of [
    ["amount", refundedMinor, sum((part) => part.amountMinor), totalMinor],
    ["fees", refundedFeesMinor, sum((part) => part.feesMinor), feesMinor],
  ] as const) {
    if (actual !== expected) {
      violation(
        "refunded",
        `${name} has refunded ${field} ${actual}, its refunds come to ${expected}`,
      );
    }
    if (actual > most) violation("refunded", `${name} has refunded ${field} ${actual} of ${most}`);
  }
  if (refundedMinor === totalMinor && refundedFeesMinor !== feesMinor) {
    violation(
      "refunded",
      `${name} is refunded, and ${feesMinor - refundedFeesMinor} of its fees not`,
    );
  }
  if (refundedMinor !== 0 && payment.status !== "SUCCEEDED") {
    violation("refunded", `${name} is refunded, and did not succeed`);
  }
}

/** A reserved part belongs to a refund and has its amounts, unless the refund failed. */
async function verifyAllocations(books: Books, batch: Payment[]): Promise<void> {
  const reserved = batch.flatMap((payment) =>
    readAllocations(payment).map((part) => ({ payment, part })),
  );
  for (let i = 0; i < reserved.length; i += READ_AT_ONCE) {
    const some = reserved.slice(i, i + READ_AT_ONCE);
    const ids = some.map(({ part }) => part.id);
    const refunds = await readDocuments(books, KINDS.refunds, ids);
    for (const { payment, part } of some) {
      const refund = refunds.get(part.id);
      const name = describe(KINDS.payments, payment);
      if (refund?.paymentId !== payment._id) {
        books.findings.violation("refunded", `${name} has no refund ${part.id}`);
      } else if (part.amountMinor === 0 && refund.status === "SUCCEEDED") {
        books.findings.violation("refunded", `${name} counts nothing for its refund ${part.id}`);
      }
    }
  }
}

/** The steps at which the part of a refund is reserved, unless it is being given back. */
const RESERVED = ["post", "ask", "reverse"];

/** Checks refunds against their payments, which are read after them. */
export async function verifyRefunds(books: Books, batch: Refund[]): Promise<void> {
  const ids = batch.map(({ paymentId }) => paymentId);
  const payments = await readDocuments(books, KINDS.payments, ids);
  for (const refund of batch) {
    const problem = findProblem(refund, payments.get(refund.paymentId));
    if (problem) {
      books.findings.violation("refunded", `${describe(KINDS.refunds, refund)} ${problem}`);
    }
  }
}

function findProblem(refund: Refund, payment: Payment | undefined): string | null {
  const { _id, step, status, amountMinor, feesMinor } = refund;
  if (!payment) return `is of the payment ${refund.paymentId}, which is not there`;
  const [actual, expected] = [refund, payment].map((of) =>
    [of.businessId, of.linkId, of.collectionAccountId, of.currency, feeKind(of)].join(" "),
  );
  if (actual !== expected) return `is of ${actual}, its payment of ${expected}`;
  const part = readAllocations(payment).find(({ id }) => id === _id);
  const given = part ? `${part.amountMinor} less ${part.feesMinor}` : "nothing";
  const own = `${amountMinor} less ${feesMinor}`;
  const isGivenBack = !part || part.amountMinor === 0;
  if (status === "FAILED" || step === "declined") {
    return isGivenBack ? null : `moved nothing, and its payment counts ${given}`;
  }
  if (status !== "SUCCEEDED" && !RESERVED.includes(step)) return null;
  if (status !== "SUCCEEDED" && part && isGivenBack) return null;
  return given === own ? null : `is ${own}, its payment counts ${given}`;
}

/** A document that was tampered with may hold anything. */
function readAllocations({ refunds }: Payment): Allocation[] {
  return Array.isArray(refunds) ? refunds.filter(Boolean) : [];
}
