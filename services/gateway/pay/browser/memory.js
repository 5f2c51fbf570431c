// The page's memory of an attempt: its Idempotency-Key, chosen when the form opens. All tabs of a
// browser at a link share it until the attempt's outcome has been shown. So a page that is
// reloaded, restored, duplicated or opened again sends the same key, and the server makes one
// payment. After it the page keeps the id of what was made, so that its customer finds the receipt;
// only this browser has it. Nothing else is kept: no card, no token of a card, no name. What the
// customer typed outlives the page only on the way to the same page in another language.
//
// Where the browser refuses storage, this entry of its history keeps the key, which survives a
// reload and a copied tab. A page that is opened anew does not have it, so its requests say `once`.

import { newKey } from "./asking.js";
import { checkout, form } from "./page.js";

/**
 * @typedef {object} Memory
 * @property {string} key
 * @property {number} at the time of the last change, epoch ms
 * @property {boolean} [isSent] whether a request with the key has left
 * @property {string} [id] of the payment or subscription that it has made
 */

/** Longer than any outcome stays unknown. */
const KEPT_MS = 7 * 24 * 3_600_000;
const PREFIX = "payrail.attempt ";
const NAME = PREFIX + checkout;
/** As long as a customer looks for a receipt. */
const RECEIPT_KEPT_MS = 90 * 24 * 3_600_000;
const RECEIPTS = "payrail.receipt ";
const TYPED = "payrail.typed ";

const storage = openStorage();
forgetOld();
let memory = recall() ?? { key: newKey(), at: Date.now() };
/** Whether the customer wants to pay once more, knowing of the earlier payment. */
let isFurther = false;
if (form && !memory.isSent) keep({});
// Another tab may have begun an attempt; a page that the browser had put aside did not hear of it.
for (const event of ["storage", "pageshow"]) {
  addEventListener(event, () => {
    memory = recall() ?? memory;
  });
}

/** The browser's storage; null if it refuses. */
function openStorage() {
  try {
    const { localStorage: opened } = window;
    opened.setItem(PREFIX, "");
    opened.removeItem(PREFIX);
    return opened;
  } catch {
    return null;
  }
}

function forgetOld() {
  for (const name of Object.keys(storage ?? {})) {
    const isOld =
      (name.startsWith(PREFIX) && !readMemory(name)) ||
      (name.startsWith(RECEIPTS) && !readReceipt(name));
    if (isOld) storage?.removeItem(name);
  }
}

/** @returns {Memory | null} */
function recall() {
  return storage ? readMemory(NAME) : (history.state?.attempt ?? null);
}

/**
 * @param {string} name
 * @returns {Memory | null} null for one that is too old or not readable
 */
function readMemory(name) {
  try {
    const found = JSON.parse(storage?.getItem(name) ?? "null");
    return Date.now() - found.at < KEPT_MS && typeof found.key === "string" ? found : null;
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Receipt
 * @property {string} id of the payment or the subscription
 * @property {string} [status] of the subscription
 * @property {string} [manageUrl] of the subscription
 * @param {string} name
 * @returns {Receipt | null} null for one that is too old or not readable
 */
function readReceipt(name) {
  try {
    const found = JSON.parse(storage?.getItem(name) ?? "null");
    return Date.now() - found.at < RECEIPT_KEPT_MS && typeof found.id === "string" ? found : null;
  } catch {
    return null;
  }
}

/** What the customer has paid, or subscribed to, at this link in this browser. */
export function keptReceipt() {
  return readReceipt(RECEIPTS + checkout);
}

/** @param {Receipt} receipt */
export function keepReceipt(receipt) {
  try {
    storage?.setItem(RECEIPTS + checkout, JSON.stringify({ ...receipt, at: Date.now() }));
  } catch {
    // The storage is full: the address still leads to the receipt.
  }
}

/** @param {string[]} values of the customer's fields, for the next page of this tab at this link */
export function carry(values) {
  if (storage) sessionStorage.setItem(TYPED + checkout, JSON.stringify(values));
}

/** @returns {string[] | null} the values that the page before it has carried; they are forgotten */
export function takeCarried() {
  const values = storage && sessionStorage.getItem(TYPED + checkout);
  if (values) sessionStorage.removeItem(TYPED + checkout);
  return values ? JSON.parse(values) : null;
}

/** @param {Partial<Memory>} changes */
function keep(changes) {
  memory = { ...memory, ...changes, at: Date.now() };
  if (!storage) return history.replaceState({ ...history.state, attempt: memory }, "");
  try {
    storage.setItem(NAME, JSON.stringify(memory));
  } catch {
    // The storage is full: this page still knows the key.
  }
}

/** The key of the next request, and the state of an earlier one. */
export function recalled() {
  return memory;
}

/** Whether the server has to remember the customer, because the browser does not. */
export function asksOnce() {
  return !storage && !isFurther;
}

/**
 * To be called before a request leaves.
 * @param {string} key
 */
export function noteSent(key) {
  keep({ key, isSent: true });
}

/**
 * The request with that key has made a payment or a subscription.
 * @param {string} key
 * @param {string} id
 */
export function noteMade(key, id) {
  if (memory.key === key) keep({ id });
}

/**
 * The request has made nothing, so its key may be sent again with another body.
 * @param {string} key
 */
export function noteNothingMade(key) {
  if (memory.key === key) keep({ isSent: false });
}

/**
 * Ends the attempt that has made this, because its customer sees the outcome.
 * @param {string} id
 */
export function settle(id) {
  if (memory.id !== id) return;
  storage?.removeItem(NAME);
  if (!storage) history.replaceState({ ...history.state, attempt: undefined }, "");
}

/** Begins a further attempt, under a key of its own. */
export function beginAnew() {
  memory = { key: newKey(), at: 0 };
  keep({});
}

/** The customer has seen the earlier outcome, and wants to pay once more. */
export function allowFurther() {
  isFurther = true;
}
