// How an entry says which payout it pays. The addenda has the payout's whole id, so a file can be
// read without payrail's database. The entry has the short id, which banks repeat in their answers.

import { createHash } from "node:crypto";
import { plainText } from "./plain-text.ts";

/** The largest number of payments in a file: the entries and addenda of a batch have six digits. */
export const MAX_PAYMENTS = 499_999;
/** Traces have seven digits. Less by one file's payments, so that none begins again in a file. */
const TRACES = 9_500_000;

/** Digits and capitals without I, L, O and U, which people confuse (Crockford's base 32). */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SHORT_ID_LENGTH = 15;
const SHORT_ID = new RegExp(`^[${ALPHABET}]{${SHORT_ID_LENGTH}}$`);
/** The room in the batch header. */
export const BATCH_ID = /^[A-Z0-9-]{1,20}$/;
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const INFORMATION = new RegExp(`^REF\\*ZZ\\*(${UUID})(?:\\*[^*\\\\~]+)?\\\\$`);
const REFERENCE_LENGTH = 35;

/**
 * The short form of a payout's id: 75 bits of its SHA-256 as 15 characters, the length of the
 * Individual Identification Number. Two of a hundred million payouts share it with a probability of
 * 1 in 7 million, and `write` takes no two of the same file.
 */
export function shortId(id: string): string {
  const bits = BigInt(`0x${createHash("sha256").update(id).digest("hex")}`);
  const characters = Array.from({ length: SHORT_ID_LENGTH }, (_, i) => {
    return ALPHABET[Number((bits >> BigInt(256 - 5 * (i + 1))) & 31n)];
  });
  return characters.join("");
}

export function isShortId(text: string): boolean {
  return SHORT_ID.test(text);
}

/**
 * The last seven digits of a payment's trace number, 1 to 9,999,998. They ascend within a file, as
 * ACH operators require (Rules, Appendix Two, 2.4), and repeat after 9.5 million payments. They do
 * not identify the payment, because a bank may give it another trace number; the short id does.
 * @param paymentsBefore the payments of earlier files
 * @param index in this file, below MAX_PAYMENTS
 */
export function sequenceNumber(paymentsBefore: number, index: number): number {
  return 1 + (paymentsBefore % TRACES) + index;
}

/**
 * The addenda's information: a REF segment of ANSI X12 (ZZ: as both sides agree), because the
 * addenda of a PPD entry has X12 segments (Rules, Appendix Three, 3.2.2).
 * @param id a UUID in lower case
 * @param reference any text; as much of it as fits is written
 */
export function informationOf(id: string, reference: string): string {
  const text = plainText(reference).slice(0, REFERENCE_LENGTH).trim();
  return `REF*ZZ*${id}${text && `*${text}`}\\`;
}

/** The payout's id in an addenda's information; null if it has another form. */
export function idIn(information: string): string | null {
  return INFORMATION.exec(information.trimEnd())?.[1] ?? null;
}
