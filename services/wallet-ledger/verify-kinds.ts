// The kinds of documents for which other services have money moved: payouts, payments, refunds. What
// each has to have in the journal and among the events, and what it cannot say at once. Pure. It is
// said here anew, and shares nothing with the code that moves the money: what that gets wrong shows.

import type { Currency } from "../../shared/money.ts";
import { toDecimal } from "../../shared/money.ts";
import type { Rule } from "./findings.ts";
import type { Posting } from "./postings.ts";
import { REVERSAL } from "./reads.ts";
import type { Phase } from "./verify-books.ts";

/** What all kinds have. What was tampered with may hold anything; what counts on more, looks first. */
export interface Document {
  _id: string;
  step: string;
  status: string;
  states: { status: string; at: number }[];
  relayed: number;
  relayAt?: number;
  businessId: string;
  currency: Currency;
  amountMinor: number;
  feesMinor: number;
}

/** What an event has to say: its type, and of its payload those fields. */
export interface Told {
  eventType: string;
  payload: Record<string, unknown>;
}

export interface Kind<D extends Document = Document> {
  /** As a violation names one. */
  name: string;
  phase: Phase;
  /** What is violated where the journal and the document's state disagree. */
  rule: Rule;
  /** What is read of it, beside what all kinds have. */
  fields: readonly string[];
  /** Its transfers in the journal. */
  postings: Record<string, (document: D) => Posting>;
  /** The kinds of transfers that have to be committed, as it stands. */
  owes(document: D): string[];
  /** What is wrong if a transfer of that kind is committed, as it stands; null for nothing. */
  forbids(document: D, kind: string): string | null;
  /** What it says that cannot be true at once; null for nothing. */
  contradictionIn(document: D): string | null;
  eventTypes: readonly string[];
  /** What its event of a state says, the `seq`-th from 1. */
  eventOf(document: D, seq: number): Told;
}

export interface Payout extends Document {
  visible: boolean;
  entityId: string;
  walletId: string;
  method: "ACH";
}

const NOT_ACCEPTED = ["claim", "debit", "declined"];

/** The states in which an accepted payout may be at a step (payouts, lifecycle.ts). */
const PAYOUT_STATES_AT: Record<string, string[]> = {
  submit: ["PENDING"],
  submitting: ["PENDING"],
  settle: ["PENDING", "PROCESSING_PAY_OUT"],
  reverse: ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"],
  watch: ["SUCCESS", "FAILED"],
  closed: ["SUCCESS", "FAILED"],
};
const PAYOUT_STATUSES = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"];

const payouts: Kind<Payout> = {
  name: "payout",
  phase: "payouts",
  rule: "payouts",
  fields: ["visible", "entityId", "walletId", "method"],
  postings: {
    payout: ({ _id: id, ...rest }) => ({ ...payoutMoney(rest), id, kind: "payout" }),
    "payout-reversal": ({ _id, ...rest }) => ({
      ...payoutMoney(rest),
      id: _id + REVERSAL,
      kind: "payout-reversal",
    }),
  },
  owes({ step, status }) {
    if (NOT_ACCEPTED.includes(step)) return [];
    return status === "FAILED" ? ["payout", "payout-reversal"] : ["payout"];
  },
  forbids({ step, status }, kind) {
    if (step === "claim" || step === "declined") return "moved money";
    const isReversible = step === "reverse" || status === "FAILED";
    return kind === "payout-reversal" && !isReversible ? "was reversed" : null;
  },
  contradictionIn({ step, status, visible, states, ...told }) {
    const entered = states.map((each) => each.status);
    if (NOT_ACCEPTED.includes(step)) {
      const isUnseen = !visible && entered.length === 0 && status === "PENDING";
      return isUnseen ? null : "was not accepted, and others see it";
    }
    if (!visible) return "was accepted, and nobody sees it";
    if (entered.at(-1) !== status) return `has entered ${entered.at(-1) ?? "nothing"} last`;
    if (!PAYOUT_STATES_AT[step]?.includes(status)) return "is not in a state of its step";
    const places = entered.map((each) => PAYOUT_STATUSES.indexOf(each));
    const isInOrder = places.every((place, i) => place > (places[i - 1] ?? -1));
    if (!isInOrder || entered[0] !== "PENDING") return `has entered ${entered.join(", ")}`;
    return untold(entered.length, told);
  },
  eventTypes: ["WITHDRAWAL"],
  eventOf: ({ _id, walletId, entityId, amountMinor, feesMinor, currency }) => ({
    eventType: "WITHDRAWAL",
    payload: {
      transactionId: _id,
      walletId,
      entityId,
      amount: amountMinor / 100,
      currency,
      feeCharged: decimalOf(feesMinor),
    },
  }),
};

function payoutMoney(payout: Omit<Payout, "_id">) {
  const { walletId, currency, method, amountMinor, feesMinor } = payout;
  return { walletId, currency, method, amountMinor, feesMinor };
}

export interface Payment extends Document {
  linkId: string;
  collectionAccountId: string;
  totalMinor: number;
  holds?: string;
  refundedMinor: number;
  refundedFeesMinor: number;
  refunds?: Allocation[];
}

/** What of a payment is reserved for a refund; nothing where it was given back. */
export interface Allocation {
  id: string;
  amountMinor: number;
  feesMinor: number;
}

const CARD = "CARD_COLLECTION" as const;

const payments: Kind<Payment> = {
  name: "payment",
  phase: "payments",
  rule: "payments",
  fields: [
    "linkId",
    "collectionAccountId",
    "totalMinor",
    "holds",
    "refundedMinor",
    "refundedFeesMinor",
    "refunds",
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
    const { _id: id, linkId, collectionAccountId, currency } = payment;
    const amount = decimalOf(payment.totalMinor);
    const payload = { paymentId: id, transactionId: id, paymentLinkId: linkId, amount, currency };
    if (seq > 1) return { eventType: "NOTIFICATION", payload };
    const fees = decimalOf(payment.feesMinor);
    const net = decimalOf(payment.amountMinor);
    return { eventType: "COLLECTION", payload: { ...payload, collectionAccountId, fees, net } };
  },
};

export interface Refund extends Document {
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

const refunds: Kind<Refund> = {
  name: "refund",
  phase: "refunds",
  rule: "refunds",
  fields: ["visible", "paymentId", "linkId", "collectionAccountId"],
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
      transactionId: id,
      paymentId,
      paymentLinkId: linkId,
      amount: decimalOf(amountMinor),
      feesReturned: decimalOf(feesMinor),
      currency,
    },
  }),
};

function refundMoney(refund: Omit<Refund, "_id">) {
  const { collectionAccountId: walletId, currency, amountMinor, feesMinor } = refund;
  return { walletId, currency, method: CARD, amountMinor, feesMinor };
}

export const KINDS = { payouts, payments, refunds };

/** All kinds, as what is looked up in a list of them. */
export const ALL_KINDS: Kind[] = Object.values(KINDS) as Kind[];

const COMMON = [
  "step",
  "status",
  "states",
  "relayed",
  "relayAt",
  "businessId",
  "currency",
  "amountMinor",
  "feesMinor",
];

/** What is read of a kind's documents. */
export function projectionOf({ fields }: Pick<Kind, "fields">): Record<string, 1> {
  return Object.fromEntries([...COMMON, ...fields].map((field) => [field, 1 as const]));
}

/** A document as it is stored, with states that can be looked at. */
export function soundOf<D extends Document>(stored: D): D {
  const states: unknown = stored.states;
  return { ...stored, states: Array.isArray(states) ? states.filter(Boolean) : [] };
}

export function nameOf({ name }: Pick<Kind, "name">, { _id, status, step }: Document): string {
  return `${name} ${_id} (${status}, ${step})`;
}

/** What is not told and nobody tells; null for nothing. */
function untold(
  entered: number,
  { relayed, relayAt }: Pick<Document, "relayed" | "relayAt">,
): string | null {
  const isBeingTold = relayed < entered && relayAt !== undefined;
  if (relayed === entered || isBeingTold) return null;
  return `has told of ${relayed} states of ${entered}, and nobody tells the rest`;
}

/** What was tampered with may be no amount. */
function decimalOf(minor: number): string {
  return Number.isSafeInteger(minor) ? toDecimal(minor) : String(minor);
}
