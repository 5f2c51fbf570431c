// Why a payment cannot go into a file, as the code of its rejection. Nothing has been paid then.

import type { Currency } from "../../types.ts";
import type { FilePayment } from "../format.ts";
import { creditorName, creditorTown, isBankAccount, isComplete } from "./creditor.ts";
import { isPayoutId } from "./payment-ids.ts";

/** Fedwire's largest amount, 9,999,999,999.99, in minor units; the only limit of all wires. */
const MAX_AMOUNT_MINOR = 999_999_999_999;

/** @returns null if the payment can be written */
export function findFault(payment: FilePayment, currency: Currency): string | null {
  const { id, amountMinor } = payment;
  if (!isPayoutId(id)) return "id_not_supported";
  if (payment.currency !== currency) return "currency_not_supported";
  if (!isBankAccount(payment)) return "account_type_not_supported";
  if (!isComplete(payment)) return "account_data_not_supported";
  if (creditorName(payment) === "") return "recipient_name_not_supported";
  if (creditorTown(payment) === "") return "recipient_town_not_supported";
  const isInRange = Number.isInteger(amountMinor) && amountMinor > 0;
  return isInRange && amountMinor <= MAX_AMOUNT_MINOR ? null : "amount_out_of_range";
}
