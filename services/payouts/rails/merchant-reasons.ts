// The table from the codes of rails to what a merchant may read of a failure: one of six reasons for
// people, and a code for programs. Pure.

import { CANCELLED, DUPLICATE } from "../../../partners/types.ts";
import type { OptionType } from "../../../shared/contracts/linked-accounts.ts";
import type { Reason } from "../../../shared/contracts/payouts.ts";
import type { FailureCode } from "../../../shared/contracts/transactions.ts";

interface Failure {
  reason: Reason;
  code: FailureCode;
}

const GENERAL: Failure = { reason: "Payment could not be processed.", code: "processing_failed" };
const NOT_FOUND = "Recipient account not found.";
const CANCELLED_FAILURE: Failure = { reason: "Payment was cancelled.", code: "cancelled" };

/** The failure for a rail's code; any other code is a general failure. */
const FAILURES: Record<string, Failure> = {
  account_not_found: { reason: NOT_FOUND, code: "account_not_found" },
  account_closed: { reason: NOT_FOUND, code: "account_closed" },
  [DUPLICATE]: { reason: "Duplicate transaction detected.", code: "duplicate" },
  compliance: { reason: "Transaction declined for compliance reasons.", code: "compliance" },
  card_declined: {
    reason: "Your payment could not be processed. Please try a different card.",
    code: "card_declined",
  },
  [CANCELLED]: CANCELLED_FAILURE,
  cancelled_by_bank: CANCELLED_FAILURE,
};

/** Only card payouts get a card's failure. */
function failureFor(railCode: string, optionType: OptionType): Failure {
  const failure = Object.hasOwn(FAILURES, railCode) ? FAILURES[railCode] : undefined;
  const isCard = optionType === "card" || optionType === "prepaid_card";
  return failure === undefined || (failure.code === "card_declined" && !isCard) ? GENERAL : failure;
}

/** The merchant-safe reason for a rail's code. */
export function merchantReason(railCode: string, optionType: OptionType): Reason {
  return failureFor(railCode, optionType).reason;
}

/**
 * The code of a failure for programs.
 * @param wasPaid whether the rail has paid before; without a reason of its own the payment was
 *   returned
 */
export function failureCode(
  railCode: string,
  optionType: OptionType,
  wasPaid: boolean,
): FailureCode {
  const { code } = failureFor(railCode, optionType);
  return wasPaid && code === GENERAL.code ? "returned_by_bank" : code;
}
