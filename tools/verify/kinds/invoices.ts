// Invoices: their events and states, for verification. They move no money, because their payments
// do.

import type { Currency } from "../../../shared/money.ts";
import {
  type Document,
  decimalText,
  isoText,
  type Kind,
  MOVES_NOTHING,
  relayProblem,
} from "./kind.ts";

interface Attempt {
  paymentId: string;
  at: number;
  status: string;
  reason?: string;
}

export interface Invoice extends Document {
  subscriptionId: string;
  linkId: string;
  collectionAccountId: string;
  occasion: string;
  number: number;
  currency: Currency;
  periodStart: number;
  periodEnd: number;
  lines: { description: string; quantity: number; amountMinor: number }[];
  totalMinor: number;
  chargeMinor: number;
  /** What its attempts charge, if an admin has replaced it by the captured sum. */
  askedMinor?: number;
  feesMinor: number;
  amountMinor: number;
  attempts: Attempt[];
  nextTryAt?: number;
  paidAt?: number;
}

const ENDED = ["paid", "void"];

export const invoices: Kind<Invoice> = {
  name: "invoice",
  phase: "invoices",
  rule: "invoices",
  fields: [
    "subscriptionId",
    "linkId",
    "collectionAccountId",
    "occasion",
    "number",
    "currency",
    "periodStart",
    "periodEnd",
    "lines",
    "totalMinor",
    "chargeMinor",
    "askedMinor",
    "feesMinor",
    "amountMinor",
    "attempts",
    "nextTryAt",
    "paidAt",
  ],
  ...MOVES_NOTHING,
  findContradiction(invoice) {
    const { step, status, states, paidAt, chargeMinor, askedMinor } = invoice;
    const path = states.map((each) => each.status).join(", ");
    const isRight = /^(failed, )*(failed|paid|void)?$/.test(path);
    if (!isRight || status !== (states.at(-1)?.status ?? "open")) {
      return `has entered ${path || "nothing"} last`;
    }
    if (step !== (ENDED.includes(status) ? "closed" : "open")) {
      return "is not in a state of its step";
    }
    if (askedMinor !== undefined && status !== "paid") {
      return `charges ${chargeMinor} and not ${askedMinor}, and is not paid`;
    }
    if ((status === "paid") !== (paidAt !== undefined)) {
      return status === "paid" ? "is paid at no time" : "is paid, and is not";
    }
    return wrongAttempts(invoice) ?? wrongRetry(invoice) ?? relayProblem(states.length, invoice);
  },
  eventTypes: ["INVOICE"],
  expectedEvent(invoice, seq) {
    const status = invoice.states[seq - 1]?.status;
    if (status !== "paid" && status !== "failed") return null;
    const attempt = readAttempts(invoice)[seq - 1];
    const { askedMinor = invoice.chargeMinor } = invoice;
    return {
      eventType: "INVOICE",
      payload: {
        invoiceId: invoice._id,
        transactionId: invoice._id,
        paymentId: attempt?.paymentId ?? null,
        subscriptionId: invoice.subscriptionId,
        paymentLinkId: invoice.linkId,
        number: invoice.number,
        periodStart: isoText(invoice.periodStart),
        periodEnd: isoText(invoice.periodEnd),
        amount: invoice.totalMinor / 100,
        charged: decimalText(status === "paid" ? invoice.chargeMinor : askedMinor),
        currency: invoice.currency,
        reason: attempt?.reason ?? "",
      },
    };
  },
};

/** Each attempt but the last was declined, and each declined attempt is a state of the invoice. */
function wrongAttempts(invoice: Invoice): string | null {
  const { status, states, totalMinor } = invoice;
  const attempts = readAttempts(invoice);
  const failed = states.filter((each) => each.status === "failed").length;
  const last = { paid: "SUCCEEDED", open: "PENDING", failed: "PENDING" }[status];
  const isTried = status === "paid" ? totalMinor !== 0 : attempts.length > failed;
  const expected = [...Array<string>(failed).fill("FAILED"), ...(isTried && last ? [last] : [])];
  const actual = attempts.map((each) => each.status);
  if (actual.join() === expected.join()) return null;
  return `has the attempts ${actual.join(", ") || "of none"}, and has entered ${failed} times failed`;
}

const DAY_MS = 86_400_000;
/** Days after the first decline at which a declined invoice is tried again. */
const RETRIED_AFTER_DAYS = [1, 3, 5, 7];

/**
 * The schedule gives the next attempt at a declined invoice, or it is a day after a late attempt.
 */
function wrongRetry(invoice: Invoice): string | null {
  const { status, nextTryAt } = invoice;
  const attempts = readAttempts(invoice);
  const last = attempts.at(-1);
  if (status !== "failed" || last?.status !== "FAILED") return null;
  const first = attempts[0]?.at ?? Number.NaN;
  const scheduled = RETRIED_AFTER_DAYS.map((days) => first + days * DAY_MS);
  const isRight =
    nextTryAt !== undefined &&
    nextTryAt > last.at &&
    [...scheduled, last.at + DAY_MS].includes(nextTryAt);
  return isRight ? null : `is tried again at ${nextTryAt}, which no schedule gives`;
}

/** A document that was tampered with may hold anything. */
export function readAttempts({ attempts }: Pick<Invoice, "attempts">): Attempt[] {
  return Array.isArray(attempts) ? attempts.filter(Boolean) : [];
}

/** A document that was tampered with may hold anything. */
export function readLines({ lines }: Pick<Invoice, "lines">): Partial<Invoice["lines"][number]>[] {
  return Array.isArray(lines) ? lines.map((line) => line ?? {}) : [];
}

/** The number of a period in its occasion; null for any other occasion. */
export function parsePeriod(occasion: unknown): number | null {
  const digits = /^period:(\d+)$/.exec(String(occasion))?.[1];
  return digits === undefined ? null : Number(digits);
}
