// The page's data and texts from the server, and its elements, for all parts of the script. The
// parts are modules, so that readers and tools can check them; they are served as one script.

/** @typedef {keyof typeof import("../texts/script-texts.ts").SCRIPT_TEXTS} Key of a text */

const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** The page's paths, the price, a decimal string, the merchant's name, and the page's own texts. */
export const { checkout = "", vault = "", total = "", merchant = "" } = main.dataset;
export const { purpose = "", button: buttonLabel = "", redirect = "", done = "" } = main.dataset;
/** Whether any number of payments may be made with the link. */
export const isOpenLink = main.hasAttribute("data-open");
export const isPayment = purpose === "pay";

/** @type {Record<Key, string>} */
const texts = JSON.parse(byId("texts").textContent ?? "{}");
const { currency = "" } = main.dataset;
export const { lang } = document.documentElement;

/**
 * A text in the customer's language, with its values.
 * @param {Key} key
 * @param {Record<string, string>} [values]
 */
export function say(key, values = {}) {
  return texts[key].replaceAll(/\{(\w+)\}/g, (_braces, name) => values[name] ?? "");
}

/**
 * The reason of a decline in the customer's language; a reason without a text stays as it is.
 * @param {string} reason of the API, in English
 */
export function sayReason(reason) {
  const key = /** @type {Record<string, Key>} */ (REASONS)[reason];
  return key ? say(key) : reason;
}

/** The customer-safe reasons of services/payment-links/acquirers/acquirer.ts. */
const REASONS = {
  "Your card was declined.": "declined",
  "Your card has insufficient funds.": "insufficient",
  "Your card has expired.": "cardExpired",
  "Your card could not be charged.": "notCharged",
};

/** @param {string} decimal */
export function money(decimal) {
  const format = new Intl.NumberFormat(lang, { style: "currency", currency });
  return format.format(/** @type {`${number}`} */ (decimal));
}

/** @param {string} iso */
export function dateAndTime(iso) {
  const format = new Intl.DateTimeFormat(lang, { dateStyle: "long", timeStyle: "short" });
  return format.format(new Date(iso));
}

/** The script's texts about the customer's action and about its failures. */
export const words = isPayment
  ? {
      unknown: say("paymentUnknown"),
      again: say("paymentAgain"),
      running: say("paymentRunning"),
      busy: say("paymentBusy"),
      recently: say("paidRecently"),
      failed: say("paymentFailed"),
      nothing: say("nothingCharged"),
    }
  : {
      unknown: say("savingUnknown"),
      again: say("savingAgain"),
      running: say("savingRunning"),
      busy: say("savingBusy"),
      recently: say("savedRecently"),
      failed: say("savingFailed"),
      nothing: say("nothingSaved"),
    };

/** Null if the link cannot be used. */
export const form = document.querySelector("form");

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} id */
export function getInput(id) {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}

/**
 * @param {string} tag
 * @param {string} [text]
 * @param {string} [className]
 */
export function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}
