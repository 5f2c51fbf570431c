// The search keys of linked accounts, by which lists find them while they are linked, and of end
// users.
//
// A text is found by its suffixes: each position in it gives a key of the twelve characters that
// begin there. So any part of the text is the prefix of a key, and a search is a range of the
// index. A longer part is compared with the whole text. The names, emails, banks and last digits of
// an account share one array, because an index can hold only one array; the first letter of a key
// shows its field.

import { readEmail } from "../../../shared/email.ts";
import type { Currency } from "../../../shared/money.ts";
import type { Entity } from "../entity.model.ts";
import type { LinkedAccount } from "../linked-account.model.ts";

/** The length of a key in characters; a part up to this length needs no comparison. */
const KEY_LENGTH = 12;

/** The searched texts, by the search parameter. */
export const TEXTS = {
  search: { letter: "n", field: "name" },
  email: { letter: "e", field: "email" },
  bank: { letter: "b", field: "bank" },
} as const;
/** The letter for the last digits. */
export const DIGITS = "4";

/** Stands for a currency in the name of the list of unlinked accounts. That list has no count. */
export const UNLINKED = "unlinked";

/** The list that contains an account while it is linked. */
export function listName(businessId: string, currency: Currency | typeof UNLINKED): string {
  return `${businessId}:${currency}`;
}

/**
 * Folds a text for case-insensitive comparison: canonical equivalence (NFC) after lower-casing,
 * with one form of the Greek sigma. Compatibility forms (NFKC) and letters that only look alike
 * stay different: a full-width or a Cyrillic letter is not the Latin one.
 */
export function fold(text: string): string {
  return text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");
}

/** A whole address with a domain in Unicode is stored with its A-labels. */
export function emailAsStored(part: string): string {
  const address = readEmail(part);
  return typeof address === "string" ? address : part;
}

/** The key that a searched part begins with, and whether that is the whole part. */
export function keyOf(part: string): { key: string; isWhole: boolean } {
  const characters = Array.from(part);
  const isWhole = characters.length <= KEY_LENGTH;
  return { key: characters.slice(0, KEY_LENGTH).join(""), isWhole };
}

type Findable = Required<Pick<LinkedAccount, "list" | "keys" | "folded">>;

/** The list that is read, or several. */
export type ReadList = string | { $in: string[] };

/** The fields that are stored with an account for its lists; an unlinked one is in another list. */
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
  const list = listName(account.businessId, account.currency);
  return { list, keys: [...new Set([...keys, ...lastDigits])], folded };
}

/**
 * The fields that are stored with an end user for the search, which knows no difference between
 * email and external identifier.
 */
export function findableEntity({
  email,
  externalIdentifier,
}: Pick<Entity, "email" | "externalIdentifier">): Required<Pick<Entity, "keys" | "folded">> {
  const folded = [email, externalIdentifier ?? ""].map(fold);
  return { keys: [...new Set(folded.flatMap(suffixes))], folded };
}

function suffixes(text: string): string[] {
  const characters = Array.from(text);
  return characters.map((_, i) => characters.slice(i, i + KEY_LENGTH).join(""));
}
