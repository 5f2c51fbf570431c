// What an ACH credit can say about a payment, and the payments that it cannot make. A payment
// without a fault always fits into its entry.

import type { FilePayment } from "../format.ts";
import { holderName } from "../holder.ts";
import { hasLetterOrDigit } from "../latin.ts";
import { plainText } from "./plain-text.ts";
import { isRoutingNumber } from "./routing-number.ts";

/** Ten digits: $99,999,999.99. */
const MAX_AMOUNT_MINOR = 10 ** 10 - 1;
const NAME_LENGTH = 22;

/** The codes of live credits (Rules, Appendix Three, 3.2.2). */
export const TRANSACTION_CODES: Record<string, string> = { CHECKING: "22", SAVINGS: "32" };

/** The recipient's name as far as it fits; empty if no letter or digit is left of it. */
export function recipientName(account: Record<string, string>): string {
  const plain = plainText(holderName(account)).slice(0, NAME_LENGTH);
  return hasLetterOrDigit(plain) ? plain : "";
}

/** Why the payment cannot be an ACH credit, as a code of a rejection; null if it can. */
export function findFault({ amountMinor, currency, optionType, account }: FilePayment) {
  const { routingNumber = "", accountNumber = "", accountType = "" } = account;
  if (currency !== "USD") return "currency_not_supported";
  if (optionType !== "bank") return "destination_not_supported";
  if (!Number.isInteger(amountMinor) || amountMinor < 1 || amountMinor > MAX_AMOUNT_MINOR) {
    return "amount_out_of_range";
  }
  if (!isRoutingNumber(routingNumber)) return "routing_number_invalid";
  if (!/^\d{4,17}$/.test(accountNumber)) return "account_number_invalid";
  if (!Object.hasOwn(TRANSACTION_CODES, accountType)) return "account_type_invalid";
  if (recipientName(account) === "") return "name_invalid";
  return null;
}
