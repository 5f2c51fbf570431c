// The reasons that banks give for rejections and returns: ISO 20022 External Code Sets,
// ExternalStatusReason1Code (pain.002) and ExternalReturnReason1Code (camt.054). A code has the
// same meaning in both sets.

import { DUPLICATE } from "../../types.ts";

/** The bank has had the file or the payment before: the first one may have been paid. */
const DUPLICATES = words("AM05 ALAC DU01 DU02 DU03 DU04 DU05 DUPL RF01");

const ACCOUNT_NOT_FOUND = "account_not_found";
const ACCOUNT_CLOSED = "account_closed";
const COMPLIANCE = "compliance";
/** The operator, or another person of the payer, has cancelled at the bank. */
export const CANCELLED_BY_BANK = "cancelled_by_bank";

/** The codes for which merchants read a reason; every other one is a general failure to them. */
const REASONS: Record<string, string> = {
  /** IncorrectAccountNumber: account number is invalid or missing. */
  AC01: ACCOUNT_NOT_FOUND,
  /** InvalidCreditorAccountNumber: creditor account number is invalid or missing. */
  AC03: ACCOUNT_NOT_FOUND,
  /** ClosedAccountNumber: account number specified has been closed on the bank's books. */
  AC04: ACCOUNT_CLOSED,
  /** ClosedCreditorAccountNumber: creditor account number closed. */
  AC07: ACCOUNT_CLOSED,
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
  /** CancelledByCustomer: cancellation requested by the debtor. */
  CUST: CANCELLED_BY_BANK,
  /** OrderCancelled: an authorized user has cancelled the order. */
  DS02: CANCELLED_BY_BANK,
  /** FollowingCancellationRequest: return following a cancellation request. */
  FOCR: CANCELLED_BY_BANK,
  /** Of a return: as a refusal they never come to a merchant. */
  ...Object.fromEntries([...DUPLICATES].map((code) => [code, DUPLICATE])),
};

/**
 * ExternalStatusReason1Code without the codes that do not say why: those of duplicates, NARR
 * (words), MS02 and MS03 (not specified), and G000 to G006, S000 to S004 and DT06, which tell of a
 * payment that goes on. A refusal counts with a code of this list alone: a code that is missing
 * here costs an operator a look, and a wrong one would return money that the bank has paid.
 */
const DEFINITE = words(`
  AB01 AB02 AB03 AB04 AB05 AB06 AB07 AB08 AB09 AB10 AB11
  AC01 AC02 AC03 AC04 AC05 AC06 AC07 AC08 AC09 AC10 AC11 AC12 AC13 AC14 AC15 AC16 AEXR
  AG01 AG02 AG03 AG04 AG05 AG06 AG07 AG08 AG09 AG10 AG11 AG12 AG13 AGNT
  AM01 AM02 AM03 AM04 AM06 AM07 AM09 AM10 AM11 AM12 AM13 AM14 AM15 AM16 AM17 AM18 AM19 AM20 AM21
  AM22 AM23 ARFR ARJR ATNS
  BE01 BE04 BE05 BE06 BE07 BE08 BE09 BE10 BE11 BE12 BE13 BE14 BE15 BE16 BE17 BE18 BE19 BE20 BE21
  BE22 BE23
  CERI CH03 CH04 CH07 CH09 CH10 CH11 CH12 CH13 CH14 CH15 CH16 CH17 CH19 CH20 CH21 CH22 CHQC CN01
  CNOR CURR CUST DC02 DNOR
  DS01 DS02 DS03 DS04 DS05 DS06 DS07 DS08 DS09 DS0A DS0B DS0C DS0D DS0E DS0F DS0G DS0H DS0K
  DS10 DS11 DS12 DS13 DS14 DS15 DS16 DS17 DS18 DS19 DS20 DS21 DS22 DS23 DS24 DS25 DS26 DS27
  DT01 DT02 DT03 DT04 DT05
  ED01 ED03 ED05 ED06 EDTL EDTR ERIN
  FF01 FF02 FF03 FF04 FF05 FF06 FF07 FF08 FF09 FF10 FF11 FF12 FF13 FOCR FR01 FRAD
  ID01 IEDT IRNR MD01 MD02 MD05 MD06 MD07 NERI NOAR NOAS NOCM NOPG NRCH PINS
  RC01 RC02 RC03 RC04 RC05 RC06 RC07 RC08 RC09 RC10 RC11 RC12 RCON RECI REPR
  RR01 RR02 RR03 RR04 RR05 RR06 RR07 RR08 RR09 RR10 RR11 RR12 RTNS RUTA
  SL01 SL02 SL03 SL11 SL12 SL13 SL14 SPII
  TA01 TD01 TD02 TD03 TK01 TK02 TK03 TK09 TKCM TKSG TKSP TKVE TKXP TM01 TS01 TS04 UCRD UPAY
`);

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

export function isDuplicate(code: string): boolean {
  return DUPLICATES.has(code);
}

export function isDefinite(code: string): boolean {
  return DEFINITE.has(code);
}

/** ISO's code for a reason in words. It stands for a missing reason and a bank's own words too. */
const NARRATIVE = "NARR";

/**
 * payrail's code for a bank's reason. Words of a bank are not passed on, because they can have an
 * account number in them, and codes are stored and logged.
 */
export function reasonCode(bankCode: string | undefined): string {
  const code = bankCode !== undefined && /^[A-Z0-9]{1,4}$/.test(bankCode) ? bankCode : NARRATIVE;
  return Object.hasOwn(REASONS, code) ? (REASONS[code] as string) : code;
}
