// The public views of a payout: the payload of its webhooks (docs/integrate/rest-api.md, Webhook
// payload), the transaction of the merchant's lists and details, and the withdrawal of the caller
// that made it. Pure; none has the rail's own code.

import { PAYOUT_METHOD_TABLE } from "../../shared/config/payout-methods.ts";
import type { Result } from "../../shared/contracts/contracts.ts";
import type { Reason } from "../../shared/contracts/payouts.ts";
import type { FailureCode, Status } from "../../shared/contracts/transactions.ts";
import { creationTime } from "../../shared/ids.ts";
import { toDecimal, toNumber } from "../../shared/money.ts";
import type { Payout } from "./payout.model.ts";
import { wasPaid } from "./rail-answers.ts";
import { failureCode } from "./rails/merchant-reasons.ts";

type Payload = Result<"payouts.webhookPayload">;

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
export function toWebhookPayload(payout: Payout, status: Status, at: number): Payload {
  const { amountMinor, feesMinor, currency, optionType, lastFour, reason } = payout;
  return {
    eventType: "WITHDRAWAL",
    status,
    payload: {
      description: `${DESCRIPTION[status]}: ${DESTINATION[optionType]} ending in ${lastFour}`,
      method: PAYOUT_METHOD_TABLE[payout.method].eventName,
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
      reason: shownFailureReason(payout, status) ?? "",
    },
  };
}

/** The size of its events in JSON, in bytes; estimated from above. */
export function estimatePayoutBytes({ states, reason }: Payout): number {
  // A character takes at most three bytes in JSON and UTF-8.
  return states.length * (1_000 + 3 * reason.length);
}

/** The payout as a transaction; `amount` is the debited sum, the fee included. */
export function toTransaction(payout: Payout) {
  const { _id: id, states, status, amountMinor, feesMinor } = payout;
  const createdAt = creationTime(id);
  return {
    id,
    flow: payout.flow,
    status,
    amount: toDecimal(amountMinor + feesMinor),
    fees: toDecimal(feesMinor),
    currency: payout.currency,
    method: PAYOUT_METHOD_TABLE[payout.method].eventName,
    entityId: payout.entityId,
    walletId: payout.walletId,
    linkedAccountId: payout.linkedAccountId,
    reason: payout.reason,
    failureReason: shownFailureReason(payout, status),
    failureCode: failureCodeOf(payout),
    ...(payout.notice !== undefined && { notice: payout.notice }),
    needsAttention: payout.needsAttention,
    reference: payout.reference ?? null,
    metadata: payout.metadata ?? null,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(states.at(-1)?.at ?? createdAt).toISOString(),
  } satisfies Result<"payouts.transaction">;
}

/** The payout as the caller that withdrew sees it; what the bank says is the merchant's to read. */
export function toWithdrawal(payout: Payout): Result<"payouts.withdrawal"> {
  const {
    flow: _flow,
    entityId: _entityId,
    needsAttention: _flag,
    notice: _notice,
    reference: _reference,
    metadata: _metadata,
    failureCode: _failureCode,
    ...shown
  } = toTransaction(payout);
  return shown;
}

/** The reason is stored before the money is back, and shown only after it. */
function shownFailureReason({ failureReason }: Payout, status: Status): Reason | null {
  return status === "FAILED" && failureReason ? failureReason : null;
}

function failureCodeOf(payout: Payout): FailureCode | null {
  const { status, railCode = "", optionType } = payout;
  return status === "FAILED" ? failureCode(railCode, optionType, wasPaid(payout)) : null;
}
