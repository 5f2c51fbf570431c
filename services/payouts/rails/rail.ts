// Payrail's knowledge of rails beside their modules (shared/partners/rail.ts): how a method's
// network works, and the table from the rails' codes to the six reasons that a merchant may read.

import type { OptionType } from "../../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../../shared/contracts/payouts.ts";
import type { Method } from "../../../shared/fees.ts";
import { CANCELLED, DUPLICATE } from "../../../shared/partners/rail.ts";

/** Whether the network accepts first and settles later (docs/rest-api.md, Payout states). */
export function isAcceptedFirst(method: Method): boolean {
  return method === "ACH" || method === "RTP";
}

const GENERAL: Reason = "Payment could not be processed.";
const CARD: Reason = "Your payment could not be processed. Please try a different card.";

/** From a rail's code to what the merchant may read; what is not here is a general failure. */
const REASON_OF_CODE: Record<string, Reason> = {
  account_not_found: "Recipient account not found.",
  [DUPLICATE]: "Duplicate transaction detected.",
  compliance: "Transaction declined for compliance reasons.",
  card_declined: CARD,
  [CANCELLED]: "Payment was cancelled.",
  cancelled_by_bank: "Payment was cancelled.",
};

/** The merchant-safe reason of a rail's code; a card's reason is told of cards alone. */
export function reasonOf(code: string, optionType: OptionType): Reason {
  const reason = Object.hasOwn(REASON_OF_CODE, code) ? REASON_OF_CODE[code] : undefined;
  const isCard = optionType === "card" || optionType === "prepaid_card";
  return reason === undefined || (reason === CARD && !isCard) ? GENERAL : reason;
}
