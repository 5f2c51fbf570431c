// Payouts: their transfers, events and states, for verification.

import { type Posting, REVERSAL } from "../../../services/wallet-ledger/postings.ts";
import { decimalText, type Kind, MONEY, type Moving, relayProblem } from "./kind.ts";

export interface Payout extends Moving {
  visible: boolean;
  entityId: string;
  walletId: string;
  linkedAccountId: string;
  tokenHash?: string;
  rail?: string;
  submittedAt?: number;
  /** The names of the counters of limits, and whether they count it. */
  counted?: string[];
  isCounted?: boolean;
  method: "ACH";
}

const NOT_ACCEPTED = ["claim", "debit", "declined"];

/** The states that an accepted payout may have at each step (payouts, lifecycle.ts). */
const PAYOUT_STATES_AT: Record<string, string[]> = {
  submit: ["PENDING"],
  submitting: ["PENDING"],
  settle: ["PENDING", "PROCESSING_PAY_OUT"],
  reverse: ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS"],
  watch: ["SUCCESS", "FAILED"],
  closed: ["SUCCESS", "FAILED"],
};
const PAYOUT_STATUSES = ["PENDING", "PROCESSING_PAY_OUT", "SUCCESS", "FAILED"];

export const payouts: Kind<Payout> = {
  name: "payout",
  phase: "payouts",
  rule: "payouts",
  fields: [
    ...MONEY,
    "visible",
    "entityId",
    "walletId",
    "linkedAccountId",
    "tokenHash",
    "rail",
    "submittedAt",
    "counted",
    "isCounted",
    "method",
  ],
  postings: {
    payout: (payout) => toPosting(payout, "payout"),
    "payout-reversal": (payout) => toPosting(payout, "payout-reversal"),
  },
  owes({ step, status, relayed }) {
    // Only a payout with a debit tells that it is PENDING.
    if (step === "debit" && relayed > 0) return ["payout"];
    if (NOT_ACCEPTED.includes(step)) return [];
    return status === "FAILED" ? ["payout", "payout-reversal"] : ["payout"];
  },
  forbids({ step, status }, kind) {
    if (step === "claim" || step === "declined") return "moved money";
    const isReversible = step === "reverse" || status === "FAILED";
    return kind === "payout-reversal" && !isReversible ? "was reversed" : null;
  },
  findContradiction(payout) {
    const { step, status, visible, states, ...outbox } = payout;
    const entered = states.map((each) => each.status);
    if (NOT_ACCEPTED.includes(step)) return problemBefore(payout, entered);
    if (!visible) return "was accepted, and is not visible";
    if (entered.at(-1) !== status) return `has entered ${entered.at(-1) ?? "nothing"} last`;
    if (!PAYOUT_STATES_AT[step]?.includes(status)) return "is not in a state of its step";
    if (isAtRail(step, status) && !namesRail(payout)) return "was submitted, and names no rail";
    const places = entered.map((each) => PAYOUT_STATUSES.indexOf(each));
    const isInOrder = places.every((place, i) => place > (places[i - 1] ?? -1));
    if (!isInOrder || entered[0] !== "PENDING") return `has entered ${entered.join(", ")}`;
    return relayProblem(entered.length, outbox);
  },
  eventTypes: ["WITHDRAWAL"],
  expectedEvent: ({ _id, walletId, entityId, amountMinor, feesMinor, currency }) => ({
    eventType: "WITHDRAWAL",
    payload: {
      transactionId: _id,
      walletId,
      entityId,
      amount: amountMinor / 100,
      currency,
      feeCharged: decimalText(feesMinor),
    },
  }),
};

function toPosting(payout: Payout, kind: "payout" | "payout-reversal"): Posting {
  const { _id, walletId, currency, method, amountMinor, feesMinor } = payout;
  const id = kind === "payout" ? _id : _id + REVERSAL;
  return { id, kind, walletId, currency, method, amountMinor, feesMinor };
}

/** The problem of a payout that is not accepted, or whose debit is not decided. */
function problemBefore(payout: Payout, entered: string[]): string | null {
  const { step, status, visible, relayed } = payout;
  const isWhole = entered.join() === "PENDING";
  const isTold = status !== "PENDING" || relayed > (visible && isWhole ? 1 : 0);
  if (isTold || (visible && step !== "debit") || (!isWhole && entered.length > 0)) {
    return "was not accepted, and is visible";
  }
  if (step === "declined" && isWhole) return "was declined, and has a state";
  if (visible && !isWhole) return "may be debited, and has no state";
  // One that is screened first names no rail before its submit.
  const isScreened = payout.rail === undefined && payout.submittedAt === undefined;
  return visible && !isScreened && !namesRail(payout)
    ? "may be debited, and names half a rail"
    : null;
}

function namesRail({ rail, submittedAt }: Payout): boolean {
  return typeof rail === "string" && Number.isSafeInteger(submittedAt);
}

/**
 * Whether a payout was submitted. It names its rail, because payrail may ask no other rail about
 * it. An admin may end a payout as FAILED that was never submitted.
 */
function isAtRail(step: string, status: string): boolean {
  return ["submitting", "settle"].includes(step) || (step === "watch" && status === "SUCCESS");
}
