// The `data` of linked accounts by option type: the caller's input, the stored form (encrypted,
// whole) and the form that a rail gets. Numbers are checked as far as possible without asking a
// bank.

import passesLuhn from "fast-luhn";
import { type Infer, optional } from "./field.ts";
import { anyCaseOf, email, normalised, text } from "./fields.ts";

/** Prefixes assigned by the ABA: government, Federal Reserve districts, thrifts, electronic. */
const ABA = /^(0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/;
const ABA_WEIGHTS = [3, 7, 1];

/**
 * An ABA routing number: nine digits, an assigned prefix, the checksum (3, 7, 1) modulo 10.
 * abavalidator is not used: it has no prefixes, takes a number with spaces around it, and its last
 * release is of 2021.
 */
function routingNumber(value: string): string | null {
  const sum = Array.from(value, Number).reduce(
    (total, digit, i) => total + digit * (ABA_WEIGHTS[i % 3] as number),
    0,
  );
  return ABA.test(value) && sum > 0 && sum % 10 === 0 ? value : null;
}

/** Up to 17 digits, the room in an ACH entry. */
function accountNumber(value: string): string | null {
  return /^\d{4,17}$/.test(value) ? value : null;
}

/** Refuses card numbers: they belong in a vault, never here. */
function vaultToken(value: string): string | null {
  const token = value.trim();
  return /^[\x21-\x7e]{1,256}$/.test(token) && !isCardNumber(token) ? token : null;
}

/**
 * 12 to 19 digits that end in their check digit (ISO/IEC 7812-1), in any grouping. card-validator
 * is not used, because it refuses each number of a brand that it does not know: a vault token that
 * is such a number would pass as no card number.
 */
function isCardNumber(value: string): boolean {
  const digits = value.replace(/[ .-]/g, "");
  return /^\d{12,19}$/.test(digits) && passesLuhn(digits);
}

/** MM/YY or MM/YYYY, stored as MM/YY; a card is valid until the end of its month, UTC. */
function cardExpiry(value: string): string | null {
  const match = /^(0[1-9]|1[0-2])\/(?:20)?(\d{2})$/.exec(value);
  if (!match) return null;
  const month = Number(match[1]);
  const year = 2000 + Number(match[2]);
  return Date.UTC(year, month) > Date.now() ? `${match[1]}/${match[2]}` : null;
}

const BRANDS = [
  "Visa",
  "Mastercard",
  "American Express",
  "Amex",
  "Discover",
  "Diners Club",
  "JCB",
  "UnionPay",
  "Maestro",
  "Verve",
  "Interac",
] as const;

/** Stored as the caller writes it, because vaults differ in case and separators. */
function cardBrand(value: string): string | null {
  const brand = value.trim();
  const letters = (name: string) => name.toLowerCase().replace(/[ _-]/g, "");
  const isKnown = BRANDS.some((known) => letters(known) === letters(brand));
  return isKnown && /^[a-z _-]{1,32}$/i.test(brand) ? brand : null;
}

const publicEmail = optional(email({ note: "Shown to the public instead of email" }));

export const address = {
  recipientAddress: text({ note: "Street and number of the recipient", example: "1 Main St" }),
  recipientCity: text({ note: "City of the recipient", example: "New York" }),
  recipientState: text({ note: "State or region of the recipient", example: "NY" }),
  recipientPostalCode: text({ note: "Postal code of the recipient", example: "10001" }),
};

export const bankData = {
  firstName: text({ note: "First name of the holder", example: "Ada" }),
  lastName: text({ note: "Last name of the holder", example: "Lovelace" }),
  name: optional(
    text({ note: "Name of the holder; first and last name if left out", example: "Ada Lovelace" }),
  ),
  email: email({ note: "Email address of the holder" }),
  publicEmail,
  bankName: text({ note: "Name of the bank", example: "First Bank" }),
  accountNumber: normalised(
    accountNumber,
    "4 to 17 digits",
    { pattern: "^\\d{4,17}$" },
    { note: "The account number, of 4 to 17 digits", example: "000123456789" },
  ),
  routingNumber: normalised(
    routingNumber,
    "an ABA routing number of nine digits with a valid checksum",
    { pattern: "^\\d{9}$" },
    { note: "The ABA routing number, whose checksum is verified", example: "021000021" },
  ),
  accountType: anyCaseOf(["CHECKING", "SAVINGS"], { note: "The kind of bank account" }),
  ...address,
};

const cardFields = {
  name: text({ note: "The cardholder's name", example: "Ada Lovelace" }),
  email: email({ note: "Email address of the holder" }),
  publicEmail,
  encryptedCardNumber: normalised(
    vaultToken,
    "a vault's token of 1 to 256 visible ASCII characters, not a card number",
    { minLength: 1, maxLength: 256 },
    { note: "The vault's token; card numbers are refused", example: "tok_4f9a2b7c" },
  ),
  lastFourDigits: normalised(
    (value) => (/^\d{4}$/.test(value) ? value : null),
    "the card number's last four digits",
    { pattern: "^\\d{4}$" },
    { note: "The last four digits of the card number", example: "4242" },
  ),
  cardBrand: normalised(
    cardBrand,
    `one of ${BRANDS.join(", ")}, in any case`,
    {},
    { note: "The brand of the card, in any case", example: "visa" },
  ),
  cardExpirationDate: normalised(
    cardExpiry,
    "MM/YY or MM/YYYY and not in the past",
    { pattern: "^(0[1-9]|1[0-2])/(20)?\\d{2}$" },
    { note: "The month in which the card expires, as MM/YY or MM/YYYY", example: "12/49" },
  ),
};

export const cardData = {
  ...cardFields,
  cardType: anyCaseOf(["credit", "debit"], { note: "The kind of card" }),
};

export const prepaidCardData = {
  ...cardFields,
  cardType: optional(
    anyCaseOf(["prepaid", "credit", "debit"], { note: "The kind of card", default: "prepaid" }),
  ),
};

export type BankData = Infer<typeof bankData>;
export type CardData = Infer<typeof cardData>;
export type PrepaidCardData = Infer<typeof prepaidCardData>;
