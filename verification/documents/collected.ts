// Payments and refunds, as a verification knows them.

import { REVERSAL } from "../../services/wallet-ledger/postings.ts";
import { decimalOf, type Kind, MONEY, type Moving, untold } from "./kind.ts";

export interface Payment extends Moving {
  linkId: string;
  collectionAccountId: string;
  totalMinor: number;
  holds?: string;
  refundedMinor: number;
  refundedFeesMinor: number;
  refunds?: Allocation[];
  /** Of a renewal: which attempt at which invoice it is. */
  renewal?: { subscriptionId: string; invoiceId: string; attempt: number };
}

/** What of a payment is reserved for a refund; nothing where it was given back. */
export interface Allocation {
  id: string;
  amountMinor: number;
  feesMinor: number;
}

const CARD = "CARD_COLLECTION" as const;

export const payments: Kind<Payment> = {
  name: "payment",
  phase: "payments",
  rule: "payments",
  fields: [
    ...MONEY,
    "linkId",
    "collectionAccountId",
    "totalMinor",
    "holds",
    "refundedMinor",
    "refundedFeesMinor",
    "refunds",
    "renewal",
  ],
  postings: {
    collection: ({ _id: id, collectionAccountId, currency, totalMinor, feesMinor }) => ({
      id,
      kind: "collection",
      walletId: collectionAccountId,
      currency,
      method: CARD,
      amountMinor: totalMinor,
      feesMinor,
    }),
  },
  owes: ({ status }) => (status === "SUCCEEDED" ? ["collection"] : []),
  forbids({ step, status }) {
    return step === "post" || status === "SUCCEEDED" ? null : "moved money";
  },
  contradictionIn({ step, status, states, holds, linkId, totalMinor, feesMinor, ...rest }) {
    const entered = states.map((each) => each.status);
    if (totalMinor - feesMinor !== rest.amountMinor)
      return "credits another part of what it charged";
    if (holds !== undefined && holds !== linkId) return `holds the link ${holds}, not its own`;
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
    return untold(entered.length, rest);
  },
  eventTypes: ["COLLECTION", "NOTIFICATION"],
  eventOf(payment, seq) {
    // Of a renewal its invoice tells.
    if (payment.renewal) return null;
    const { _id: id, linkId, collectionAccountId, currency } = payment;
    const amount = payment.totalMinor / 100;
    const payload = { paymentId: id, transactionId: id, paymentLinkId: linkId, amount, currency };
    if (seq > 1) return { eventType: "NOTIFICATION", payload };
    const isFailed = payment.status === "FAILED";
    const fees = decimalOf(isFailed ? 0 : payment.feesMinor);
    const net = decimalOf(isFailed ? 0 : payment.amountMinor);
    return { eventType: "COLLECTION", payload: { ...payload, collectionAccountId, fees, net } };
  },
};

export interface Refund extends Moving {
  visible: boolean;
  paymentId: string;
  linkId: string;
  collectionAccountId: string;
}

/** Whether a refund at a step is seen, and the states in which it may be. */
const REFUND_AT: Record<string, { visible: boolean; statuses: string[] }> = {
  allocate: { visible: false, statuses: ["PENDING"] },
  post: { visible: false, statuses: ["PENDING"] },
  ask: { visible: true, statuses: ["PENDING"] },
  reverse: { visible: true, statuses: ["PENDING"] },
  closed: { visible: true, statuses: ["SUCCEEDED", "FAILED"] },
  declined: { visible: false, statuses: ["PENDING"] },
};

export const refunds: Kind<Refund> = {
  name: "refund",
  phase: "refunds",
  rule: "refunds",
  fields: [...MONEY, "visible", "paymentId", "linkId", "collectionAccountId"],
  postings: {
    refund: ({ _id: id, ...rest }) => ({ ...refundMoney(rest), id, kind: "refund" }),
    "refund-reversal": ({ _id, ...rest }) => ({
      ...refundMoney(rest),
      id: _id + REVERSAL,
      kind: "refund-reversal",
    }),
  },
  owes({ visible, status }) {
    if (!visible) return [];
    return status === "FAILED" ? ["refund", "refund-reversal"] : ["refund"];
  },
  forbids({ step, status }, kind) {
    if (step === "allocate" || step === "declined") return "moved money";
    const isReversible = step === "reverse" || status === "FAILED";
    return kind === "refund-reversal" && !isReversible ? "was reversed" : null;
  },
  contradictionIn({ step, status, states, visible, ...told }) {
    const at = REFUND_AT[step];
    if (!at?.statuses.includes(status)) return "is not in a state of its step";
    if (visible !== at.visible) {
      return visible ? "is not debited, and others see it" : "is debited, and nobody sees it";
    }
    const entered = states.map((each) => each.status).join(", ");
    if (entered !== (status === "PENDING" ? "" : status)) return `has entered ${entered} last`;
    return untold(states.length, told);
  },
  eventTypes: ["REFUND"],
  eventOf: ({ _id: id, paymentId, linkId, amountMinor, feesMinor, currency }) => ({
    eventType: "REFUND",
    payload: {
      refundId: id,
      paymentId,
      transactionId: paymentId,
      paymentLinkId: linkId,
      amount: amountMinor / 100,
      feesReturned: decimalOf(feesMinor),
      currency,
    },
  }),
};

function refundMoney(refund: Omit<Refund, "_id">) {
  const { collectionAccountId: walletId, currency, amountMinor, feesMinor } = refund;
  return { walletId, currency, method: CARD, amountMinor, feesMinor };
}
