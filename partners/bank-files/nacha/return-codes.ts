// The reasons of returns: payrail's reasons for those that merchants can act on, and the bank's own
// code for every other one, which merchants read as a general failure.
//
// The reasons that can come for a PPD credit (Nacha Operating Rules, Appendix Four, 4.2). For those
// with a star the ACH operator returns the entry, mostly before it settles; the others come from
// the recipient's bank.
//   R02  Account closed                            R19* Amount field error
//   R03  No account, unable to locate account      R20  Non-transaction account
//   R04  Invalid account number structure          R22  Invalid individual id number
//   R06  Returned per ODFI's request               R23  Credit entry refused by receiver
//   R12  Account sold to another DFI               R24  Duplicate entry
//   R13* Invalid ACH routing number                R25* Addenda error
//   R14  Representative payee deceased             R26* Mandatory field error
//   R15  Beneficiary or account holder deceased    R27* Trace number error
//   R16  Account frozen, or OFAC instruction       R28* Routing number check digit error
//   R17  File record edit criteria                 R32* RDFI non-settlement
//   R18* Improper effective entry date             R34* Limited participation DFI
//   R85  Incorrectly coded outbound international payment
// Other codes are for debits and other classes. With the transaction code of a returned credit they
// are returns too, because the money comes back whatever the reason.

const REASONS: Record<string, string> = {
  R02: "account_closed",
  R03: "account_not_found",
  R04: "account_not_found",
  R06: "cancelled_by_bank",
  R12: "account_not_found",
  R13: "account_not_found",
  R16: "compliance",
  R20: "account_not_found",
  R24: "duplicate",
  R28: "account_not_found",
};

/** The code of a return: one of payrail's reasons, or the bank's code. */
export function reasonOf(code: string): string {
  return REASONS[code] ?? code;
}

/** The codes of returns that the Rules define (Appendix Four, 4.2), in words and as a test. */
export const RETURN_CODES = "R01 to R47, R50 to R53, or R80 to R85";
const RETURN_CODE = /^R(0[1-9]|[1-3]\d|4[0-7]|5[0-3]|8[0-5])$/;

/**
 * Whether a code is a return of the entry. R61 to R69 dishonor a return and R71 to R77 contest that
 * (Appendix Four, 4.4 and 4.5): banks dispute there, and the code does not say who has the money.
 */
export function isReturnCode(code: string): boolean {
  return RETURN_CODE.test(code);
}
