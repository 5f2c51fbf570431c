// IBANs (ISO 13616) and BICs (ISO 9362): the one rule for linking an account and for a rail that
// writes it, so it stands between payrail and its partners. A number that is linked as an IBAN and
// written as a local one is not paid. ibantools has the lengths and structures of the IBAN
// registry, and the countries of ISO 3166-1 with Kosovo's XK.

import { countrySpecs } from "ibantools";

/**
 * The structures of accounts by country where ibantools is narrower than the registry (release
 * 103), or, for CI, than the accounts of its banks: BCEAO writes a bank's code as CI and three
 * digits.
 */
const WIDER: Record<string, RegExp> = {
  BR: /^[A-Z\d]{8}\d{15}[A-Z][A-Z\d]$/,
  BY: /^[A-Z\d]{4}\d{4}[A-Z\d]{16}$/,
  CI: /^[A-Z][A-Z\d]\d{22}$/,
  DO: /^[A-Z\d]{4}\d{20}$/,
  PK: /^[A-Z]{4}[A-Z\d]{16}$/,
  PS: /^[A-Z]{4}[A-Z\d]{21}$/,
};

/**
 * In the registry too: BI since release 91, DJ 92, FK 95 and HN 99. ibantools has their IBANs, but
 * does not know that all their accounts have one. In the other countries for which it has IBANs
 * beyond the registry (MA, SN and so on), local numbers are used too.
 */
const ALSO_REGISTERED = ["BI", "DJ", "FK", "HN"];

/** Of ISO 3166-1, and XK. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(countrySpecs, code);
}

/** Whether some accounts in a country have an IBAN. */
export function hasIbans(country: string): boolean {
  return countrySpecs[country]?.chars !== undefined;
}

/** Whether every account in a country has an IBAN. */
export function hasIbansOnly(country: string): boolean {
  return countrySpecs[country]?.IBANRegistry === true || ALSO_REGISTERED.includes(country);
}

/**
 * Whether a number is an IBAN of its country's structure. National check digits are left to the
 * bank, because some countries' banks do not follow them, and a refused payout is returned.
 */
export function isIban(number: string): boolean {
  const country = number.slice(0, 2);
  const structure = WIDER[country] ?? new RegExp(countrySpecs[country]?.bban_regexp ?? "$^");
  return isIbanOfAnyStructure(number) && structure.test(number.slice(4));
}

/**
 * Whether a number has an IBAN's country, length and check digits, from 02 to 98, so that an
 * account has one IBAN. Countries change their structures, and this shows a number of a later one.
 */
export function isIbanOfAnyStructure(number: string): boolean {
  const isFormed = /^[A-Z]{2}(?!00|01|99)\d{2}[A-Z\d]+$/.test(number);
  return isFormed && number.length === countrySpecs[number.slice(0, 2)]?.chars && isChecked(number);
}

/** ISO 7064, MOD 97-10: letters count as 10 to 35, and the first four characters come last. */
function isChecked(number: string): boolean {
  const rearranged = number.slice(4) + number.slice(0, 4);
  const digits = Array.from(rearranged, (character) => Number.parseInt(character, 36)).join("");
  return BigInt(digits) % 97n === 1n;
}

/** Of 8 or 11 characters. The party's prefix has letters and digits since ISO 9362:2014. */
export function isBic(code: string): boolean {
  return /^[A-Z\d]{4}[A-Z]{2}[A-Z\d]{2}([A-Z\d]{3})?$/.test(code) && isCountry(code.slice(4, 6));
}
