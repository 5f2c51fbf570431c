// The reasons that banks give for rejections and returns: ISO 20022 External Code Sets,
// ExternalStatusReason1Code (pain.002) and ExternalReturnReason1Code (camt.054). A code has the same
// meaning in both sets. The codes of this table are those for which merchants read a reason; every
// other code stays as it is, and payrail takes it as a general failure.

import { DUPLICATE } from "../../types.ts";

const ACCOUNT_NOT_FOUND = "account_not_found";
const COMPLIANCE = "compliance";
/** The operator, or another person of the payer, has cancelled at the bank. */
export const CANCELLED_BY_BANK = "cancelled_by_bank";

const REASONS: Record<string, string> = {
  /** IncorrectAccountNumber: account number is invalid or missing. */
  AC01: ACCOUNT_NOT_FOUND,
  /** InvalidCreditorAccountNumber: creditor account number is invalid or missing. */
  AC03: ACCOUNT_NOT_FOUND,
  /** ClosedAccountNumber: account number specified has been closed on the bank's books. */
  AC04: ACCOUNT_NOT_FOUND,
  /** ClosedCreditorAccountNumber: creditor account number closed. */
  AC07: ACCOUNT_NOT_FOUND,
  /** UnknownEndCustomer: not known at the bank, or no longer in its books. */
  BE06: ACCOUNT_NOT_FOUND,
  /** UnknownCreditor: unknown creditor. */
  UCRD: ACCOUNT_NOT_FOUND,
  /** BlockedAmount: amount has been blocked by regulatory authorities. */
  AM07: COMPLIANCE,
  /** NotCompliant: customer account is not compliant with regulatory requirements. */
  NOCM: COMPLIANCE,
  /** MissingDebtorAccountOrIdentification: needed for regulatory requirements. */
  RR01: COMPLIANCE,
  /** MissingDebtorNameOrAddress: needed for regulatory requirements. */
  RR02: COMPLIANCE,
  /** MissingCreditorNameOrAddress: needed for regulatory requirements. */
  RR03: COMPLIANCE,
  /** RegulatoryReason: regulatory reason. */
  RR04: COMPLIANCE,
  /** RegulatoryInformationInvalid: regulatory or central bank reporting is missing or invalid. */
  RR05: COMPLIANCE,
  /** Duplication: duplication. */
  AM05: DUPLICATE,
  /** DuplicateMessageID: message identification is not unique. */
  DU01: DUPLICATE,
  /** DuplicatePaymentInformationID: payment information block is not unique. */
  DU02: DUPLICATE,
  /** DuplicateTransaction: transaction is not unique. */
  DU03: DUPLICATE,
  /** DuplicateEndToEndID: end to end id is not unique. */
  DU04: DUPLICATE,
  /** DuplicateInstructionID: instruction id is not unique. */
  DU05: DUPLICATE,
  /** DuplicatePayment: payment is a duplicate of another payment. */
  DUPL: DUPLICATE,
  /** CancelledByCustomer: cancellation requested by the debtor. */
  CUST: CANCELLED_BY_BANK,
  /** OrderCancelled: an authorized user has cancelled the order. */
  DS02: CANCELLED_BY_BANK,
  /** FollowingCancellationRequest: return following a cancellation request. */
  FOCR: CANCELLED_BY_BANK,
};

/** ISO's code for a reason in words. It stands for a missing reason and for a bank's own words too. */
const NARRATIVE = "NARR";

/**
 * payrail's code for a bank's reason. Words of a bank are not passed on, because they can have an
 * account number in them, and codes are stored and logged.
 */
export function reasonCode(bankCode: string | undefined): string {
  const code = bankCode !== undefined && /^[A-Z0-9]{1,4}$/.test(bankCode) ? bankCode : NARRATIVE;
  return Object.hasOwn(REASONS, code) ? (REASONS[code] as string) : code;
}
