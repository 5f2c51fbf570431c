// Payments: their transfers, events and states, for verification.

import type { FeeKind } from "../../../shared/config/fee-table.ts";
import { computeFee, type Fee } from "../../../shared/fees.ts";
import { decimalText, type Kind, MONEY, type Moving, relayProblem } from "./kind.ts";

export interface Payment extends Moving {
  linkId: string;
  collectionAccountId: string;
  totalMinor: number;
  fee?: { kind?: FeeKind };
  /** The sum of its link or invoice, if an admin has replaced it by the captured one. */
  askedMinor?: number;
  /** The admin that decided its end. */
  decidedBy?: string;
  holds?: string;
  refundedMinor: number;
  refundedFeesMinor: number;
  refunds?: Allocation[];
  renewal?: { subscriptionId: string; invoiceId: string; attempt: number };
}

/** The part of a payment that is reserved for a refund; zero after it was given back. */
export interface Allocation {
  id: string;
  amountMinor: number;
  feesMinor: number;
}

/**
 * The fee that comes out of a charge; NaN if there is none to compute, because a document that was
 * tampered with may hold anything.
 */
export function feesOf(fee: Fee | undefined, chargeMinor: number): number {
  const parts = [fee?.fixed, fee?.basisPoints, fee?.min, chargeMinor];
  if (!fee || !parts.every(Number.isSafeInteger) || chargeMinor < 0) return Number.NaN;
  return Math.min(computeFee(fee, chargeMinor), chargeMinor);
}

/** The kind of a fee; documents of earlier releases have none, and are of cards. */
export function feeKind({ fee }: { fee?: { kind?: FeeKind } }): FeeKind {
  return fee?.kind ?? "CARD_COLLECTION";
}

export const payments: Kind<Payment> = {
  name: "payment",
  phase: "payments",
  rule: "payments",
  fields: [
    ...MONEY,
    "linkId",
    "collectionAccountId",
    "totalMinor",
    "fee.kind",
    "askedMinor",
    "decidedBy",
    "holds",
    "refundedMinor",
    "refundedFeesMinor",
    "refunds",
    "renewal",
  ],
  postings: {
    collection: (payment) => ({
      id: payment._id,
      kind: "collection",
      walletId: payment.collectionAccountId,
      currency: payment.currency,
      method: feeKind(payment),
      amountMinor: payment.totalMinor,
      feesMinor: payment.feesMinor,
    }),
  },
  owes: ({ status }) => (status === "SUCCEEDED" ? ["collection"] : []),
  forbids({ step, status }) {
    // The driver that inserted the payment posts it before it stores the capture.
    const mayBePosted = step === "charge" || step === "post" || status === "SUCCEEDED";
    return mayBePosted ? null : "moved money";
  },
  findContradiction({ step, status, states, holds, linkId, totalMinor, feesMinor, ...rest }) {
    const entered = states.map((each) => each.status);
    if (totalMinor - feesMinor !== rest.amountMinor)
      return "does not credit its charge less the fees";
    if (rest.askedMinor !== undefined && !rest.decidedBy)
      return `charges ${totalMinor} and not ${rest.askedMinor}, and no admin has decided it`;
    if (holds !== undefined && holds.split(":")[0] !== linkId)
      return `holds the link ${holds}, not its own`;
    if (status === "FAILED" && holds !== undefined) return "holds its link";
    if (step === "charge" || step === "post") {
      return status === "PENDING" && entered.length === 0 ? null : "has ended before its end";
    }
    // The second state of a success stands for its notification.
    const path = entered.join(", ");
    const isRight =
      status === "FAILED" ? path === "FAILED" : /^SUCCEEDED(, SUCCEEDED)?$/.test(path);
    if (step !== "closed" || status === "PENDING" || entered.at(-1) !== status || !isRight) {
      return `has entered ${path || "nothing"} last`;
    }
    return relayProblem(entered.length, rest);
  },
  eventTypes: ["COLLECTION", "NOTIFICATION"],
  expectedEvent(payment, seq) {
    // The invoice sends the event of a renewal.
    if (payment.renewal) return null;
    const { _id: id, linkId, collectionAccountId, currency } = payment;
    const amount = payment.totalMinor / 100;
    const payload = { paymentId: id, transactionId: id, paymentLinkId: linkId, amount, currency };
    if (seq > 1) return { eventType: "NOTIFICATION", payload };
    const isFailed = payment.status === "FAILED";
    const fees = decimalText(isFailed ? 0 : payment.feesMinor);
    const net = decimalText(isFailed ? 0 : payment.amountMinor);
    return { eventType: "COLLECTION", payload: { ...payload, collectionAccountId, fees, net } };
  },
};
