// The public views of a refund: its event, the merchant's view and the admin's transaction. Pure.
// None of them contains the acquirer's own code.

import type { Result } from "../../../shared/contracts/contracts.ts";
import type { EventBody } from "../../../shared/contracts/events.ts";
import type { PaymentStatus } from "../../../shared/contracts/payments.ts";
import { creationTime } from "../../../shared/ids.ts";
import { toDecimal, toNumber } from "../../../shared/money.ts";
import type { RelayedEvent } from "../../../shared/resumable/relay.ts";
import { TRANSACTION_STATUS } from "../payments/payment-views.ts";
import type { Refund } from "./refund.model.ts";

const REFUSED_REASON = "The refund was refused by the card's bank.";

const shownReason = (status: PaymentStatus) => (status === "FAILED" ? REFUSED_REASON : null);

/**
 * The event of a refund's end.
 * @param at epoch ms of the event
 */
export function toRefundEvent(
  refund: Refund,
  status: EventBody<"REFUND">["status"],
  at: number,
): Pick<RelayedEvent, "body" | "paymentLinkId"> {
  const { _id: id, paymentId, linkId, amountMinor, feesMinor, currency } = refund;
  const payload = {
    refundId: id,
    paymentId,
    transactionId: paymentId,
    paymentLinkId: linkId,
    amount: toNumber(amountMinor),
    feesReturned: toDecimal(feesMinor),
    currency,
    timestamp: at,
    reference: refund.reference,
    reason: shownReason(status) ?? "",
  };
  return { paymentLinkId: linkId, body: { eventType: "REFUND", status, payload } };
}

/** The size of its event in JSON, in bytes; estimated from above. */
export function estimateRefundBytes({ reference }: Refund): number {
  return 1_000 + Buffer.byteLength(JSON.stringify(reference));
}

/** The admin's view of a resolved refund; `fees` is the returned part of the payment's fee. */
export function toRefundTransaction(refund: Refund): Result<"payment-links.resolve"> {
  const { id, status, amount, feesReturned, currency, ...view } = refundView(refund);
  return {
    id,
    flow: "REFUND",
    status: TRANSACTION_STATUS[status],
    amount,
    fees: feesReturned,
    currency,
    method: "CARD",
    entityId: refund.businessId,
    walletId: refund.collectionAccountId,
    linkedAccountId: null,
    reason: view.reference,
    failureReason: view.reason,
    // A refund fails only if the card's bank refuses it.
    failureCode: status === "FAILED" ? "card_declined" : null,
    needsAttention: view.needsAttention,
    reference: view.reference,
    metadata: null,
    createdAt: view.createdAt,
    updatedAt: new Date(refund.states.at(-1)?.at ?? creationTime(id)).toISOString(),
  };
}

/** The merchant's view of the refund. */
export function refundView(refund: Refund): Result<"payment-links.refund"> {
  const { _id: id, paymentId, status, amountMinor, feesMinor, currency, reference } = refund;
  return {
    id,
    paymentId,
    status,
    amount: toDecimal(amountMinor),
    feesReturned: toDecimal(feesMinor),
    currency,
    reference,
    reason: shownReason(status),
    needsAttention: refund.needsAttention,
    createdAt: new Date(creationTime(id)).toISOString(),
  };
}
