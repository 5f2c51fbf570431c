// What is kept of a linked account so that its lists find it, while it is linked.
//
// A text is found by its suffixes: each place in it is a key of the twelve characters that begin
// there, so that a part of the text is the beginning of a key, and a range of the index. Longer parts
// are verified against the whole text. The names, emails, banks and last digits of an account are one
// array, as an index holds no more than one; a letter says which of them a key is of.

import type { Currency } from "../../shared/money.ts";
import type { LinkedAccount } from "./linked-account.model.ts";

/** Characters of a key; a part of no more needs no verification. */
export const KEY_LENGTH = 12;

/** The texts that are searched, by the parameter that does. */
export const TEXTS = {
  search: { letter: "n", field: "name" },
  email: { letter: "e", field: "email" },
  bank: { letter: "b", field: "bank" },
} as const;
/** The letter of the last digits. */
export const DIGITS = "4";

/** The list that an account is in while it is linked. */
export function listOf(businessId: string, currency: Currency): string {
  return `${businessId}:${currency}`;
}

/**
 * What case-insensitive means: canonically equal (NFC) once all is lower case, the two forms of the
 * Greek sigma being one letter. Compatibility forms (NFKC) stay what they are, as does what merely
 * looks alike: a full-width or a Cyrillic letter is not the Latin one.
 */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

type Findable = Required<Pick<LinkedAccount, "list" | "keys" | "folded">>;

/** What is stored beside an account for its lists, while it is linked. */
export function findable(
  account: Pick<
    LinkedAccount,
    "businessId" | "currency" | "counterPartyName" | "counterPartyEmail" | "bankName" | "lastFour"
  >,
): Findable {
  const folded: Findable["folded"] = {
    name: fold(account.counterPartyName),
    email: fold(account.counterPartyEmail),
    ...(account.bankName !== undefined && { bank: fold(account.bankName) }),
  };
  const keys = Object.values(TEXTS).flatMap(({ letter, field }) =>
    suffixes(folded[field] ?? "").map((suffix) => letter + suffix),
  );
  const lastDigits = Array.from(account.lastFour, (_, i) => DIGITS + account.lastFour.slice(i));
  const list = listOf(account.businessId, account.currency);
  return { list, keys: [...new Set([...keys, ...lastDigits])], folded };
}

function suffixes(text: string): string[] {
  const characters = Array.from(text);
  return characters.map((_, i) => characters.slice(i, i + KEY_LENGTH).join(""));
}
