// The recipient's side of a payment, from the data of the linked account
// (shared/contracts/account-data.ts and international-data.ts): bank, name, address, account.

import { isBic } from "../../account-numbers.ts";
import type { FilePayment } from "../format.ts";
import { holderName } from "../holder.ts";
import { hasLetterOrDigit, isPlaceholder, isPlaceName } from "../latin.ts";
import { accountId, bankId, isAccountNumber, isMember } from "./accounts.ts";
import { plainText } from "./texts.ts";
import { type Element, element } from "./xml-writer.ts";

/** ISO 20022 External Code Sets, ExternalCashAccountType1Code. */
const ACCOUNT_TYPES: Record<string, string> = { CHECKING: "CACC", SAVINGS: "SVGS" };

/** The kinds of destination that a wire reaches. */
export function isBankAccount({ optionType }: FilePayment): boolean {
  return optionType === "bank" || optionType === "international_bank";
}

/** Whether the data of a bank account can be written. */
export function isComplete({ optionType, account }: FilePayment): boolean {
  const { accountNumber = "", routingNumber = "", accountType = "", swiftOrBic = "" } = account;
  if (!isAccountNumber(accountNumber)) return false;
  if (optionType === "bank") {
    return Object.hasOwn(ACCOUNT_TYPES, accountType) && isMember("USABA", routingNumber);
  }
  return isBic(swiftOrBic) && /^[A-Z]{2}$/.test(account.recipientCountry ?? "");
}

/** At most 140 characters; empty if no letter or digit of it can be written. */
export function creditorName({ account }: FilePayment): string {
  const name = plainText(holderName(account), 140);
  return hasLetterOrDigit(name) ? name : "";
}

/** At most 35 characters; empty if it is no town's name, or none of it can be written. */
export function creditorTown({ account }: FilePayment): string {
  const town = plainText(account.recipientCity ?? "", 35);
  return isPlaceName(town) ? town : "";
}

/** The elements CdtrAgt, Cdtr and CdtrAcct. */
export function creditorElements(payment: FilePayment): Element[] {
  const { optionType, account } = payment;
  const isUs = optionType === "bank";
  const { routingNumber = "", accountNumber = "" } = account;
  const bank = isUs
    ? { clearing: { system: "USABA" as const, member: routingNumber } }
    : { bic: account.swiftOrBic };
  const country = isUs ? "US" : account.recipientCountry;
  const type = isUs ? ACCOUNT_TYPES[account.accountType ?? ""] : undefined;
  return [
    bankId("CdtrAgt", bank),
    element("Cdtr", element("Nm", creditorName(payment)), postalAddress(payment, country)),
    element("CdtrAcct", accountId(accountNumber), type && element("Tp", element("Cd", type))),
  ];
}

/**
 * A structured address: payment systems take no address without a town and a country in elements of
 * their own since November 2026 (CBPR+). The house number stays in the street, where it was typed.
 */
function postalAddress(payment: FilePayment, country = ""): Element {
  const { recipientAddress, recipientPostalCode, recipientState } = payment.account;
  return element(
    "PstlAdr",
    element("StrtNm", optionalText(recipientAddress, 70)),
    element("PstCd", optionalText(recipientPostalCode, 16)),
    element("TwnNm", creditorTown(payment)),
    element("CtrySubDvsn", optionalText(recipientState, 35)),
    element("Ctry", country),
  );
}

/** Of a part of the address that a file can leave out, and that people without it must fill in. */
function optionalText(text = "", max: number): string {
  const plain = plainText(text, max);
  return isPlaceholder(plain) ? "" : plain;
}
