// Subscriptions: their events and states, for verification. They move no money, because the
// payments of their invoices do.

import type { FeeSnapshot } from "../../../shared/config/fee-table.ts";
import type { Currency } from "../../../shared/money.ts";
import { type Document, isoText, type Kind, MOVES_NOTHING, relayProblem } from "./kind.ts";

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
    fee: FeeSnapshot;
  };
  anchorAt: number;
  methodId: string;
  dueAt?: number;
  /** Its invoices are held after a restore. */
  heldSince?: number;
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

/** The work that a subscription has under way at each step. */
const UNDER_WAY: Record<string, "issuing" | "collecting" | null> = {
  wait: null,
  issue: "issuing",
  collect: "collecting",
  retry: "collecting",
  closed: null,
};

/** The states in order: a trial or none, then active, past_due and active again, then cancelled. */
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
    "heldSince",
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
  ...MOVES_NOTHING,
  findContradiction({ step, status, states, cancelledAt, issuing, collecting, ...outbox }) {
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
    return relayProblem(states.length, outbox);
  },
  eventTypes: ["SUBSCRIPTION"],
  expectedEvent({ _id: id, linkId, collectionAccountId, plan, anchorAt, ...rest }, seq) {
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
        startDate: isoText(anchorAt),
        cancelledAt: status === "cancelled" ? isoText(rest.cancelledAt as number) : null,
        orderId: rest.orderId ?? null,
        externalId: rest.externalId ?? null,
      },
    };
  },
};

/** A document that was tampered with may hold anything. */
export function readChanges({ changes }: Pick<Subscription, "changes">): SeatChange[] {
  return Array.isArray(changes) ? changes.filter(Boolean) : [];
}

/** Whether periods are billed at their end. */
export function isInArrears(plan: Subscription["plan"] | null): boolean {
  return plan?.charge?.type === "consumption";
}

/** The owners of a document, as a text to compare. */
export function ownersText(of: {
  businessId: string;
  linkId: string;
  collectionAccountId: string;
  currency?: string;
}): string {
  return [of.businessId, of.linkId, of.collectionAccountId, of.currency].join(" ");
}
