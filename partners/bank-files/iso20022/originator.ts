// The payer's side of the agreement with its bank, as an operator writes it in JSON: who pays, from
// which account, at which bank, and who bears the charges.

import { isBic, isIbanOfAnyStructure } from "../../account-numbers.ts";
import type { Currency } from "../../types.ts";
import { type ClearingSystem, isAccountNumber, isClearingSystem, isMember } from "./accounts.ts";
import { CURRENCIES, isCurrency } from "./amounts.ts";
import { isPlainText } from "./texts.ts";

/**
 * DEBT: the payer bears all charges. SHAR: each side bears those of its own bank. SLEV: as the
 * service's rules say. CRED is missing, because the recipient must get the whole amount.
 */
const CHARGE_BEARERS = ["DEBT", "SHAR", "SLEV"] as const;

export interface IsoOriginator {
  name: string;
  /** The payer's id at the bank, or at the bank's channel. */
  id: string;
  /** An IBAN, or the bank's own number. */
  account: string;
  /** The only currency of the rail: the account's, and of each payment. */
  currency: Currency;
  bank: { bic?: string; clearing?: { system: ClearingSystem; member: string } };
  chargeBearer: (typeof CHARGE_BEARERS)[number];
  address?: { street?: string; postalCode?: string; town: string; state?: string; country: string };
}

type Check = (value: unknown, path: string) => string[];

/**
 * @param settings an operator's JSON
 * @throws Error that lists all faults, without the account's number
 */
export function readOriginator(settings: unknown): IsoOriginator {
  const faults = checkOriginator(settings, "originator");
  if (faults.length > 0) throw new Error(`The ISO 20022 originator is wrong: ${faults.join("; ")}`);
  return settings as IsoOriginator;
}

const checkOriginator = object({
  name: text(70),
  id: text(35),
  account: must("an IBAN, or a number of 4 to 34 capitals and digits", isAccount),
  currency: must(`one of ${CURRENCIES.join(", ")}`, isCurrency),
  bank: (value, path) => {
    const faults = checkBank(value, path);
    if (faults.length > 0 || Object.keys(value as object).length > 0) return faults;
    return [`${path} needs bic or clearing`];
  },
  chargeBearer: must(`one of ${CHARGE_BEARERS.join(", ")}`, (value) =>
    CHARGE_BEARERS.some((bearer) => bearer === value),
  ),
  "address?": object({
    "street?": text(70),
    "postalCode?": text(16),
    town: text(35),
    "state?": text(35),
    country: must("a country of two capitals", (value) => /^[A-Z]{2}$/.test(value)),
  }),
});

const checkBank = object({
  "bic?": must("a BIC (ISO 9362) of 8 or 11 letters and digits", isBic),
  "clearing?": (value, path) => {
    const faults = checkClearing(value, path);
    if (faults.length > 0) return faults;
    const { system, member } = value as { system: ClearingSystem; member: string };
    return isMember(system, member) ? [] : [`${path}.member is no member of ${system}`];
  },
});

const checkClearing = object({
  system: must("one of USABA, CACPA, GBDSC", isClearingSystem),
  member: text(35),
});

function isAccount(value: string): boolean {
  const isMeantAsIban = /^[A-Z]{2}\d{2}[A-Z0-9]{11,}$/.test(value);
  return isAccountNumber(value) && (isIbanOfAnyStructure(value) || !isMeantAsIban);
}

/** The checks of all keys; a key that ends in ? may be absent. Other keys are faults. */
function object(keys: Record<string, Check>): Check {
  return (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return [`${path} must be an object`];
    }
    const names = Object.keys(keys).map((key) => key.replace("?", ""));
    const unknown = Object.keys(value).filter((key) => !names.includes(key));
    const faults = Object.entries(keys).flatMap(([key, check]) => {
      const name = key.replace("?", "");
      if (Object.hasOwn(value, name)) {
        return check((value as Record<string, unknown>)[name], `${path}.${name}`);
      }
      return key.endsWith("?") ? [] : [`${path}.${name} is missing`];
    });
    return [...unknown.map((key) => `${path}.${key} is unknown`), ...faults];
  };
}

function must(promise: string, passes: (value: string) => boolean): Check {
  return (value, path) =>
    typeof value === "string" && passes(value) ? [] : [`${path} must be ${promise}`];
}

/** A text that the file takes as it is, because an operator should see what the bank sees. */
function text(max: number): Check {
  return must(`1 to ${max} characters of A-Z a-z 0-9 / - ? : ( ) . , ' + and space`, (value) =>
    isPlainText(value, max),
  );
}
