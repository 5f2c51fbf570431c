// The events of fundings, adjustments and transfers. Each has the balance of its wallet right after
// it, as the journal has it.

import { toDecimal } from "../../shared/money.ts";
import type { WalletTransaction } from "./transaction.model.ts";

/** The payload of the event of a successful request. @param at epoch ms */
export function payloadOf(
  { _id, walletId, entityId, amountMinor, currency, balanceMinor, reference }: WalletTransaction,
  at: number,
) {
  return {
    transactionId: _id,
    walletId,
    entityId,
    amount: amountMinor / 100,
    currency,
    balance: toDecimal(balanceMinor as number),
    reference: reference as string,
    timestamp: at,
    reason: "",
  };
}
