// The public views of a payout: the payload of its webhooks (docs/rest-api.md, Webhook payload) and
// the transaction of lists and details. Pure; neither has the rail's own code.

import type { PAYLOAD_METHODS, Reason } from "../../shared/contracts/payouts.ts";
import type { Status } from "../../shared/contracts/transactions.ts";
import type { Result } from "../../shared/contracts.ts";
import type { Method } from "../../shared/fees.ts";
import { timeOf } from "../../shared/ids.ts";
import { toDecimal, toNumber } from "../../shared/money.ts";
import type { Payout } from "./payout.model.ts";

type Payload = Result<"payouts.webhookPayload">;

const PAYLOAD_METHOD: Record<Method, (typeof PAYLOAD_METHODS)[number]> = {
  ACH: "BANK_TRANSFER_ACH",
  RTP: "BANK_TRANSFER_RTP",
  WIRE: "BANK_TRANSFER_WIRE",
  PUSH_TO_CARD: "PUSH_TO_CARD",
};

const DESCRIPTION: Record<Status, string> = {
  PENDING: "Payment queued",
  PROCESSING_PAY_OUT: "Payment sent",
  SUCCESS: "Payment delivered",
  FAILED: "Payment failed",
};

const DESTINATION: Record<Payout["optionType"], string> = {
  bank: "bank account",
  international_bank: "bank account",
  card: "card",
  prepaid_card: "card",
};

/**
 * The webhook payload of a payout in a state.
 * @param at epoch ms: of the event, or of the request for the payload
 */
export function payloadOf(payout: Payout, status: Status, at: number): Payload {
  const { amountMinor, feesMinor, currency, optionType, lastFour, reason } = payout;
  return {
    eventType: "WITHDRAWAL",
    status,
    payload: {
      description: `${DESCRIPTION[status]}: ${DESTINATION[optionType]} ending in ${lastFour}`,
      method: PAYLOAD_METHOD[payout.method],
      transactionId: payout._id,
      walletId: payout.walletId,
      entityId: payout.entityId,
      entityType: payout.entityType,
      summary: reason,
      entry: "DEBIT",
      amount: toNumber(amountMinor),
      currency,
      timestamp: at,
      feeCharged: toDecimal(feesMinor),
      reason: failureReasonOf(payout, status) ?? "",
    },
  };
}

/** The payout as a transaction; `amount` is what was debited, the fee included. */
export function transactionOf(payout: Payout): Result<"payouts.transaction"> {
  const { _id: id, states, status, amountMinor, feesMinor } = payout;
  const createdAt = timeOf(id);
  return {
    id,
    flow: payout.flow,
    status,
    amount: toDecimal(amountMinor + feesMinor),
    fees: toDecimal(feesMinor),
    currency: payout.currency,
    method: PAYLOAD_METHOD[payout.method],
    entityId: payout.entityId,
    walletId: payout.walletId,
    linkedAccountId: payout.linkedAccountId,
    reason: payout.reason,
    failureReason: failureReasonOf(payout, status),
    needsAttention: payout.needsAttention,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(states.at(-1)?.at ?? createdAt).toISOString(),
  };
}

/** Decided before the money is back, told only after it. */
function failureReasonOf({ failureReason }: Payout, status: Status): Reason | null {
  return status === "FAILED" && failureReason ? failureReason : null;
}
