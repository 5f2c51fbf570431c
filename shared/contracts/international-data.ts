// The fields of linking an international bank account (docs/integrate/rest-api.md, International
// accounts), and the rule that connects IBAN and BIC. It takes the IBANs and BICs that the rails
// can write (partners/account-numbers.ts).

import {
  hasIbans,
  hasIbansOnly,
  isBic,
  isCountry,
  isIban,
  isIbanOfAnyStructure,
} from "../../partners/account-numbers.ts";
import { taggedUnion } from "./compound-fields.ts";
import { type Infer, optional } from "./field.ts";
import { email, normalised, text } from "./fields.ts";

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
  return code !== null && isCountry(code) ? code : null;
}

function bic(value: string): string | null {
  const code = compact(value);
  return code !== null && isBic(code) ? code : null;
}

/** Local numbers are written with hyphens in some countries, such as New Zealand and Canada. */
function accountNumber(value: string): string | null {
  const number = compact(value.replaceAll(/\p{Pd}/gu, " "));
  return number !== null && /^.{4,34}$/.test(number) ? number : null;
}

/**
 * An IBAN of the country, whose code is `code`, or a local number if not every account there has an
 * IBAN. What the rails would write as an IBAN is no local number.
 */
function isNumberIn(code: string, number: string): boolean {
  if (isIbanOfAnyStructure(number)) return isIban(number) && number.startsWith(code);
  const isMeantAsIban = number.startsWith(code) && /^..\d\d/.test(number);
  return !hasIbansOnly(code) && !(isMeantAsIban && hasIbans(code));
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
    "a BIC (ISO 9362) of 8 or 11 letters and digits",
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
  data: taggedUnion(
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
