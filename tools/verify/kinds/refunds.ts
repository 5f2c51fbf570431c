// Refunds: their transfers, events and states, for verification.

import { type Posting, REVERSAL } from "../../../services/wallet-ledger/postings.ts";
import { decimalText, type Kind, MONEY, type Moving, relayProblem } from "./kind.ts";
import { feeKind, type Payment } from "./payments.ts";

export interface Refund extends Moving {
  visible: boolean;
  paymentId: string;
  linkId: string;
  collectionAccountId: string;
  fee?: Payment["fee"];
}

/** Whether a refund is visible at each step, and its possible states. */
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
  fields: [...MONEY, "visible", "paymentId", "linkId", "collectionAccountId", "fee.kind"],
  postings: {
    refund: (refund) => toPosting(refund, "refund"),
    "refund-reversal": (refund) => toPosting(refund, "refund-reversal"),
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
  findContradiction({ step, status, states, visible, ...outbox }) {
    const at = REFUND_AT[step];
    if (!at?.statuses.includes(status)) return "is not in a state of its step";
    if (visible !== at.visible) {
      return visible ? "is not debited, and is visible" : "is debited, and is not visible";
    }
    const entered = states.map((each) => each.status).join(", ");
    if (entered !== (status === "PENDING" ? "" : status)) return `has entered ${entered} last`;
    return relayProblem(states.length, outbox);
  },
  eventTypes: ["REFUND"],
  expectedEvent: ({ _id: id, paymentId, linkId, amountMinor, feesMinor, currency }) => ({
    eventType: "REFUND",
    payload: {
      refundId: id,
      paymentId,
      transactionId: paymentId,
      paymentLinkId: linkId,
      amount: amountMinor / 100,
      feesReturned: decimalText(feesMinor),
      currency,
    },
  }),
};

function toPosting(refund: Refund, kind: "refund" | "refund-reversal"): Posting {
  const { _id, collectionAccountId: walletId, currency, amountMinor, feesMinor } = refund;
  const id = kind === "refund" ? _id : _id + REVERSAL;
  return { id, kind, walletId, currency, method: feeKind(refund), amountMinor, feesMinor };
}
