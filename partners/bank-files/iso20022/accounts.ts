// The forms of accounts and of banks, and how they are written: IBAN, BIC, and the members of
// national clearing systems (ISO 20022 External Code Sets,
// ExternalClearingSystemIdentification1Code).

import { isIbanOfAnyStructure } from "../../account-numbers.ts";
import { type Element, element } from "./xml-writer.ts";

/** The forms of the members of the clearing systems, and their countries. */
const CLEARING_SYSTEMS = {
  USABA: { member: /^\d{9}$/, country: "US" },
  CACPA: { member: /^\d{9}$/, country: "CA" },
  GBDSC: { member: /^\d{6}$/, country: "GB" },
};

export type ClearingSystem = keyof typeof CLEARING_SYSTEMS;

export interface Bank {
  bic?: string;
  clearing?: { system: ClearingSystem; member: string };
}

export function isAccountNumber(number: string): boolean {
  return /^[A-Z0-9]{4,34}$/.test(number);
}

export function isClearingSystem(name: string): name is ClearingSystem {
  return Object.hasOwn(CLEARING_SYSTEMS, name);
}

export function isMember(system: ClearingSystem, member: string): boolean {
  return CLEARING_SYSTEMS[system].member.test(member);
}

/** The `Id` of an account. A number that is taken for a local one is not paid. */
export function accountId(number: string): Element {
  if (isIbanOfAnyStructure(number)) return element("Id", element("IBAN", number));
  return element("Id", element("Othr", element("Id", number)));
}

/**
 * The identification of a bank, with its country, which many banks demand (CGI-MP's guide for
 * pain.001.001.09). The bank's name is left out, because the number decides.
 */
export function bankId(name: "DbtrAgt" | "CdtrAgt", { bic, clearing }: Bank): Element {
  const country = clearing ? CLEARING_SYSTEMS[clearing.system].country : bic?.slice(4, 6);
  return element(
    name,
    element(
      "FinInstnId",
      bic && element("BICFI", bic),
      clearing &&
        element(
          "ClrSysMmbId",
          element("ClrSysId", element("Cd", clearing.system)),
          element("MmbId", clearing.member),
        ),
      country && element("PstlAdr", element("Ctry", country)),
    ),
  );
}
