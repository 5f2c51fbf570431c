// Subscriptions and invoices, as a verification knows them. They move nothing themselves: the payments
// of an invoice do.

import type { Currency } from "../../shared/money.ts";
import { type Document, decimalOf, isoOf, type Kind, untold } from "./kind.ts";

/** A change of seats that is not billed yet. */
export interface SeatChange {
  at: number;
  from: number;
  to: number;
  amountMinor: number;
  isImmediate: boolean;
}

export interface Subscription extends Document {
  v: number;
  linkId: string;
  collectionAccountId: string;
  plan: {
    charge: {
      type: string;
      interval?: { type: string; count: number };
      consumptionDetails?: { costPerUnit: number; minimumUnits?: number; baseFee?: number };
      seatDetails?: { costPerSeat: number; baseFee?: number; newSeatBillingType?: string };
    };
    amountMinor: number;
    currency: Currency;
    customerPays: boolean;
    fee: { fixed: number; basisPoints: number; min: number; max: number | null };
  };
  anchorAt: number;
  methodId: string;
  dueAt?: number;
  nextAttemptAt?: number;
  holds?: string;
  orderId?: string;
  externalId?: string;
  boundary: number;
  seats: number;
  changes: SeatChange[];
  usageEntries?: number;
  creditMinor: number;
  issuing?: { occasion: string };
  collecting?: { invoiceId: string; attempt: number; paymentId: string };
  endsAtBoundary?: number;
  cancelledAt?: number;
}

/** What a subscription has under way at a step. */
const UNDER_WAY: Record<string, "issuing" | "collecting" | null> = {
  wait: null,
  issue: "issuing",
  collect: "collecting",
  retry: "collecting",
  closed: null,
};

/** It begins with a trial, or without; then it is active, past_due and active again; then cancelled. */
const SUBSCRIPTION_PATH =
  /^(trialing|(trialing, )?active(, past_due, active)*(, past_due)?)(, cancelled)?$/;

export const subscriptions: Kind<Subscription> = {
  name: "subscription",
  phase: "subscriptions",
  rule: "billing",
  fields: [
    "v",
    "linkId",
    "collectionAccountId",
    "plan",
    "anchorAt",
    "methodId",
    "dueAt",
    "nextAttemptAt",
    "holds",
    "orderId",
    "externalId",
    "boundary",
    "seats",
    "changes",
    "usageEntries",
    "creditMinor",
    "issuing",
    "collecting",
    "endsAtBoundary",
    "cancelledAt",
  ],
  postings: {},
  owes: () => [],
  forbids: () => null,
  contradictionIn({ step, status, states, cancelledAt, issuing, collecting, ...told }) {
    const path = states.map((each) => each.status).join(", ");
    if (!SUBSCRIPTION_PATH.test(path) || states.at(-1)?.status !== status)
      return `has entered ${path || "nothing"} last`;
    const isCancelled = status === "cancelled";
    if (isCancelled !== (cancelledAt !== undefined)) {
      return isCancelled ? "is cancelled at no time" : "is cancelled, and goes on";
    }
    const underWay = UNDER_WAY[step];
    if (underWay === undefined || (step === "closed" && !isCancelled)) {
      return "is not in a state of its step";
    }
    if ((issuing !== undefined) !== (underWay === "issuing")) {
      return issuing ? "is issuing, and is not at it" : "is to issue nothing";
    }
    if ((collecting !== undefined) !== (underWay === "collecting")) {
      return collecting ? "is collecting, and is not at it" : "is to collect nothing";
    }
    return untold(states.length, told);
  },
  eventTypes: ["SUBSCRIPTION"],
  eventOf({ _id: id, linkId, collectionAccountId, plan, anchorAt, ...rest }, seq) {
    const status = seq === 1 ? "created" : (rest.states[seq - 1]?.status ?? "");
    if (status === "trialing" || status === "active") return null;
    return {
      eventType: "SUBSCRIPTION",
      status,
      payload: {
        subscriptionId: id,
        transactionId: id,
        paymentLinkId: linkId,
        collectionAccountId,
        type: plan?.charge?.type,
        amount: plan?.amountMinor / 100,
        currency: plan?.currency,
        startDate: isoOf(anchorAt),
        cancelledAt: status === "cancelled" ? isoOf(rest.cancelledAt as number) : null,
        orderId: rest.orderId ?? null,
        externalId: rest.externalId ?? null,
      },
    };
  },
};

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
    "feesMinor",
    "amountMinor",
    "attempts",
    "nextTryAt",
    "paidAt",
  ],
  postings: {},
  owes: () => [],
  forbids: () => null,
  contradictionIn(invoice) {
    const { step, status, states, paidAt } = invoice;
    const path = states.map((each) => each.status).join(", ");
    const isRight = /^(failed, )*(failed|paid|void)?$/.test(path);
    if (!isRight || status !== (states.at(-1)?.status ?? "open")) {
      return `has entered ${path || "nothing"} last`;
    }
    if (step !== (ENDED.includes(status) ? "closed" : "open")) {
      return "is not in a state of its step";
    }
    if ((status === "paid") !== (paidAt !== undefined)) {
      return status === "paid" ? "is paid at no time" : "is paid, and is not";
    }
    return wrongAttempts(invoice) ?? wrongRetry(invoice) ?? untold(states.length, invoice);
  },
  eventTypes: ["INVOICE"],
  eventOf(invoice, seq) {
    const status = invoice.states[seq - 1]?.status;
    if (status !== "paid" && status !== "failed") return null;
    const attempt = attemptsOf(invoice)[seq - 1];
    return {
      eventType: "INVOICE",
      payload: {
        invoiceId: invoice._id,
        transactionId: invoice._id,
        paymentId: attempt?.paymentId ?? null,
        subscriptionId: invoice.subscriptionId,
        paymentLinkId: invoice.linkId,
        number: invoice.number,
        periodStart: isoOf(invoice.periodStart),
        periodEnd: isoOf(invoice.periodEnd),
        amount: invoice.totalMinor / 100,
        charged: decimalOf(invoice.chargeMinor),
        currency: invoice.currency,
        reason: attempt?.reason ?? "",
      },
    };
  },
};

/** Each attempt but the last was declined, and each that was is a state of its invoice. */
function wrongAttempts(invoice: Invoice): string | null {
  const { status, states, totalMinor } = invoice;
  const attempts = attemptsOf(invoice);
  const failed = states.filter((each) => each.status === "failed").length;
  const last = { paid: "SUCCEEDED", open: "PENDING", failed: "PENDING" }[status];
  const isTried = status === "paid" ? totalMinor !== 0 : attempts.length > failed;
  const should = [...Array<string>(failed).fill("FAILED"), ...(isTried && last ? [last] : [])];
  const says = attempts.map((each) => each.status);
  if (says.join() === should.join()) return null;
  return `has the attempts ${says.join(", ") || "of none"}, and has entered ${failed} times failed`;
}

const DAY_MS = 86_400_000;
/** Days after the first decline at which a declined invoice is tried again. */
const RETRIED_AFTER_DAYS = [1, 3, 5, 7];

/** An invoice that was declined is tried again as its schedule says, or a day after a late attempt. */
function wrongRetry(invoice: Invoice): string | null {
  const { status, nextTryAt } = invoice;
  const attempts = attemptsOf(invoice);
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
export function attemptsOf({ attempts }: Pick<Invoice, "attempts">): Attempt[] {
  return Array.isArray(attempts) ? attempts.filter(Boolean) : [];
}

/** A document that was tampered with may hold anything. */
export function linesOf({ lines }: Pick<Invoice, "lines">): Partial<Invoice["lines"][number]>[] {
  return Array.isArray(lines) ? lines.map((line) => line ?? {}) : [];
}

/** A document that was tampered with may hold anything. */
export function changesOf({ changes }: Pick<Subscription, "changes">): SeatChange[] {
  return Array.isArray(changes) ? changes.filter(Boolean) : [];
}

/** Null for what is of no period. */
export function periodOf(occasion: unknown): number | null {
  const digits = /^period:(\d+)$/.exec(String(occasion))?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Whether periods are billed at their end. */
export function isInArrears(plan: Subscription["plan"] | null): boolean {
  return plan?.charge?.type === "consumption";
}

/** Whose it is, and what for. */
export function ownersOf(of: {
  businessId: string;
  linkId: string;
  collectionAccountId: string;
  currency?: string;
}): string {
  return [of.businessId, of.linkId, of.collectionAccountId, of.currency].join(" ");
}
