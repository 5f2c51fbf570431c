// The fields of linking an international bank account (docs/rest-api.md, International accounts),
// and the rule that connects IBAN and BIC. ibantools has the data of the registries: IBANs
// as in release 103 of the IBAN registry; countries of ISO 3166-1, and Kosovo's XK, which its IBANs
// and BICs use.

import { countrySpecs, isValidBIC, ValidationErrorsIBAN, validateIBAN } from "ibantools";
import { formed } from "../compound-fields.ts";
import { type Infer, optional } from "../field.ts";
import { email, normalised, text } from "../fields.ts";

// Since release 103 a Brazilian bank identifier may contain letters; ibantools allows only digits.
countrySpecs.BR = { ...countrySpecs.BR, bban_regexp: "^[A-Z\\d]{8}\\d{15}[A-Z][A-Z\\d]$" };

/**
 * Also in the IBAN registry: BI since release 91, DJ 92, FK 95 and HN 99. ibantools has their
 * IBANs, but does not know that all their accounts have one. In the other countries for which it
 * has IBANs beyond the registry (MA, SN and so on), local numbers are used too.
 */
const ALSO_REGISTERED = ["BI", "DJ", "FK", "HN"];

/**
 * Territories with banks that use another country's code: in IBANs by the IBAN registry (those of
 * FI, FR and GB), the others because ISO 3166-2 lists them among that country's subdivisions.
 */
const CODE_USED_IN: Record<string, string> = {
  ...every("FR", ["BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"]),
  ...every("GB", ["GG", "IM", "JE"]),
  ...every("US", ["AS", "GU", "MP", "PR", "UM", "VI"]),
  AX: "FI",
  SJ: "NO",
};

function every(code: string, territories: string[]): Record<string, string> {
  return Object.fromEntries(territories.map((territory) => [territory, code]));
}

/** In capitals and without spaces of any kind; null for anything else. */
function compact(value: string): string | null {
  if (!/^[A-Za-z\d\p{Zs}]+$/u.test(value)) return null;
  return value.replace(/\p{Zs}/gu, "").toUpperCase();
}

function country(value: string): string | null {
  const code = compact(value);
  return code !== null && Object.hasOwn(countrySpecs, code) ? code : null;
}

function bic(value: string): string | null {
  const code = compact(value);
  return code !== null && isValidBIC(code) ? code : null;
}

/** Local numbers are written with hyphens in some countries, such as New Zealand and Canada. */
function accountNumber(value: string): string | null {
  const number = compact(value.replaceAll(/\p{Pd}/gu, " "));
  return number !== null && /^.{4,34}$/.test(number) ? number : null;
}

/**
 * Length, structure and mod 97 (ISO 13616), with check digits from 02 to 98, so that an account has
 * one IBAN. National check digits are left to the bank, because some countries' banks do not follow
 * them, and a refused payout is returned.
 */
export function isIban(number: string): boolean {
  const { WrongAccountBankBranchChecksum: national } = ValidationErrorsIBAN;
  const isInRange = !/^..(00|01|99)/.test(number);
  return isInRange && validateIBAN(number).errorCodes.every((code) => code === national);
}

/** Whether every account in a country has an IBAN; `code` is the prefix of its IBANs. */
function hasIbansOnly(code: string): boolean {
  return countrySpecs[code]?.IBANRegistry === true || ALSO_REGISTERED.includes(code);
}

/** An IBAN of the country, or a local number if not every account there has an IBAN. */
function isNumberIn(code: string, number: string): boolean {
  if (isIban(number)) return number.startsWith(code);
  const isMeantAsIban = number.startsWith(code) && /^..\d\d/.test(number);
  return !hasIbansOnly(code) && !(isMeantAsIban && countrySpecs[code]?.chars !== undefined);
}

type Bank = Record<"swiftOrBic" | "accountNumber", string>;

/**
 * The fields of a bank that do not fit each other, with their allowed values. The account lies in
 * the country of its BIC; its holder may live in another one.
 */
function misfits({ swiftOrBic, accountNumber: number }: Partial<Bank>): [keyof Bank, string][] {
  if (swiftOrBic === undefined || number === undefined) return [];
  const bankCountry = swiftOrBic.slice(4, 6);
  const code = CODE_USED_IN[bankCountry] ?? bankCountry;
  if (isNumberIn(code, number)) return [];
  if (isIban(number)) return [["swiftOrBic", "a BIC of the IBAN's country"]];
  const local = hasIbansOnly(code) ? "" : ", or a local account number";
  const iban = `an IBAN of the BIC's country (length, structure and check digits)${local}`;
  return [["accountNumber", iban]];
}

const inAnyWriting = "Spaces and lower case are accepted";

const recipient = {
  email: email({ note: "Email address of the recipient" }),
  accountNumber: normalised(
    accountNumber,
    "an IBAN, or a local account number of 4 to 34 letters and digits",
    {},
    {
      note: `The account number: an IBAN if the bank's country has IBANs. ${inAnyWriting}, and so are hyphens`,
      example: "DE89370400440532013000",
    },
  ),
  swiftOrBic: normalised(
    bic,
    "a BIC of 8 or 11 characters",
    {},
    {
      note: `The BIC of the bank; its country is the IBAN's. ${inAnyWriting}`,
      example: "DEUTDEFF",
    },
  ),
  bankName: text({ note: "Name of the bank", example: "Commerzbank" }),
  recipientAddress: text({
    note: "Street and number of the recipient",
    example: "Unter den Linden 1",
  }),
  recipientCity: text({ note: "City of the recipient", example: "Berlin" }),
  recipientState: text({ note: "State or region of the recipient", example: "Berlin" }),
  recipientCountry: normalised(
    country,
    "an ISO 3166-1 alpha-2 country code",
    {},
    {
      note: `The country in which the recipient lives, by ISO 3166-1 alpha-2. ${inAnyWriting}`,
      example: "DE",
    },
  ),
  recipientPostalCode: text({ note: "Postal code of the recipient", example: "10117" }),
  nickName: optional(
    text({ note: "Your name for the account; the label if left out", example: "Savings" }),
  ),
};

/** The body of the request. */
export const internationalLink = {
  label: text({ note: "Display name of the linked account", example: "Main account" }),
  data: formed(
    "recipientType",
    {
      personal: {
        firstName: text({ note: "First name of the person", example: "Ada" }),
        lastName: text({ note: "Last name of the person", example: "Lovelace" }),
        ...recipient,
      },
      business: {
        name: text({ note: "The business's name", example: "Analytical Engines GmbH" }),
        ...recipient,
      },
    },
    { misfits, name: "Recipient", note: "The account and its holder, a person or a business" },
  ),
};

/** The part that is stored sealed; the nickname belongs to the account, and may change. */
type Data = Infer<typeof internationalLink>["data"];
export type InternationalData = WithoutNickName<Data>;
type WithoutNickName<D> = D extends unknown ? Omit<D, "nickName"> : never;
