// The table from the codes of rails to the six reasons that a merchant may read.

import { CANCELLED, DUPLICATE } from "../../../partners/types.ts";
import type { OptionType } from "../../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../../shared/contracts/payouts.ts";

const GENERAL: Reason = "Payment could not be processed.";
const CARD: Reason = "Your payment could not be processed. Please try a different card.";

/** The merchant's reason for a rail's code; any other code is a general failure. */
const REASONS: Record<string, Reason> = {
  account_not_found: "Recipient account not found.",
  [DUPLICATE]: "Duplicate transaction detected.",
  compliance: "Transaction declined for compliance reasons.",
  card_declined: CARD,
  [CANCELLED]: "Payment was cancelled.",
  cancelled_by_bank: "Payment was cancelled.",
};

/** The merchant-safe reason for a rail's code; only card payouts get a card's reason. */
export function merchantReason(code: string, optionType: OptionType): Reason {
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  const isCard = optionType === "card" || optionType === "prepaid_card";
  return reason === undefined || (reason === CARD && !isCard) ? GENERAL : reason;
}
