// The `data` of linked accounts by option type: the caller's input, the stored form (encrypted,
// whole) and the form that a rail gets. Numbers are checked as far as possible without asking a
// bank.

import { type Infer, optional } from "../field.ts";
import { anyCaseOf, email, normalised, text } from "../fields.ts";
import { passesLuhn } from "../luhn.ts";

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

/** 12 to 19 digits that end in their check digit (ISO/IEC 7812-1), in any grouping. */
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
  recipientAddress: text(),
  recipientCity: text(),
  recipientState: text(),
  recipientPostalCode: text(),
};

export const bankData = {
  firstName: text(),
  lastName: text(),
  name: optional(text({ note: "Name of the account's holder; firstName lastName by default" })),
  email: email(),
  publicEmail,
  bankName: text(),
  accountNumber: normalised(
    accountNumber,
    "4 to 17 digits",
    { pattern: "^\\d{4,17}$" },
    { example: "000123456789" },
  ),
  routingNumber: normalised(
    routingNumber,
    "an ABA routing number of nine digits with a valid checksum",
    { pattern: "^\\d{9}$" },
    { example: "021000021" },
  ),
  accountType: anyCaseOf(["CHECKING", "SAVINGS"]),
  ...address,
};

const cardFields = {
  name: text({ note: "The cardholder's name" }),
  email: email(),
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
    { example: "4242" },
  ),
  cardBrand: normalised(
    cardBrand,
    `one of ${BRANDS.join(", ")}, in any case`,
    {},
    { example: "visa" },
  ),
  cardExpirationDate: normalised(
    cardExpiry,
    "MM/YY or MM/YYYY and not in the past",
    { pattern: "^(0[1-9]|1[0-2])/(20)?\\d{2}$" },
    { example: "12/30" },
  ),
};

export const cardData = { ...cardFields, cardType: anyCaseOf(["credit", "debit"]) };

export const prepaidCardData = {
  ...cardFields,
  cardType: optional(anyCaseOf(["prepaid", "credit", "debit"])),
};

export type BankData = Infer<typeof bankData>;
export type CardData = Infer<typeof cardData>;
export type PrepaidCardData = Infer<typeof prepaidCardData>;
