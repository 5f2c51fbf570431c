// Notifications of change for the merchant: what the recipient's bank says about an account. They
// never have more than the last four characters of a number, nor the holder's name.

import { slice } from "./record.ts";

/** Where the corrected data has the right values (Nacha Operating Rules, Appendix Five, 5.3). */
interface Places {
  routing?: [number, number];
  account?: [number, number];
  /** Of a transaction code, which begins with 2 for checking and 3 for savings. */
  type?: [number, number];
}

const PLACES: Record<string, Places> = {
  C01: { account: [1, 17] },
  C02: { routing: [1, 9] },
  C03: { routing: [1, 9], account: [13, 29] },
  C05: { type: [1, 2] },
  C06: { account: [1, 17], type: [21, 22] },
  C07: { routing: [1, 9], account: [10, 26], type: [27, 28] },
};

const NO_CHANGE = "The payment was made, and the account needs no change.";
const OTHERS: Record<string, string> = {
  C04: "The recipient's bank has another name for the holder of this account. Ask the recipient, and link the account again with the right name.",
  C09: `The recipient's bank does not know the identification number of the payment. ${NO_CHANGE}`,
  C13: `The recipient's bank found a fault in the addenda of the payment. ${NO_CHANGE}`,
  C14: "The recipient's bank forwards the payments of this account to another country. Ask the recipient for another account.",
};

const TYPES: Record<string, string> = { "2": "checking", "3": "savings" };

/** The codes of changes that the Rules define (Appendix Five, 5.3), in words. */
export const CHANGE_CODES = "C01 to C09, C13 or C14";

/**
 * Whether a code is a notification of change. C61 to C69 are refusals of one: our bank sends them
 * to the recipient's bank, so they are never an answer to us.
 */
export function isChangeCode(code: string): boolean {
  return /^C(0[1-9]|13|14)$/.test(code);
}

/**
 * What the merchant reads and can do; at most 200 characters.
 * @param corrected the 29 characters of corrected data
 */
export function noticeOf(code: string, corrected: string): string {
  const places = PLACES[code];
  if (!places) {
    return (
      OTHERS[code] ??
      `The recipient's bank asks for a change of this account's data (${code}). Check them with the recipient.`
    );
  }
  const { routing, account, type } = places;
  const news = [
    routing && `another routing number${ending(slice(corrected, routing))}`,
    account && `another account number${ending(slice(corrected, account))}`,
    type && accountType(slice(corrected, type)),
  ].filter(Boolean);
  const list = new Intl.ListFormat("en").format(news as string[]);
  const them = news.length > 1 ? "them" : "it";
  return `The recipient's bank has ${list} for this account. Link the account again with ${them}.`;
}

/** Empty for a short number, which its last four characters would show whole. */
function ending(field: string): string {
  const number = field.replace(/[^0-9A-Za-z]/g, "");
  return number.length > 4 ? ` ending in ${number.slice(-4)}` : "";
}

function accountType(transactionCode: string): string {
  const type = TYPES[transactionCode.charAt(0)];
  return type ? `the type ${type}` : "another type";
}
