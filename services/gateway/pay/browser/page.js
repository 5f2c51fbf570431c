// The page's data from the server, and its elements, for all parts of the script. The parts are
// modules, so that readers and tools can check them; they are served as one script.

const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** The purpose of the page, its vault, the total and the merchant's name. */
export const { checkout = "", vault = "", total = "", merchant = "" } = main.dataset;
export const { purpose = "", button: buttonLabel = "", redirect = "" } = main.dataset;
export const isPayment = purpose === "pay";

/** The script's texts about the customer's action and about its failures. */
export const words = isPayment
  ? {
      unknown: "We do not know yet whether your payment went through.",
      again: "Try again to find out. You will not be charged twice.",
      running: "Your payment is being processed. Please wait.",
      busy: "Another payment of this link is being processed.",
      failed: "Your payment could not be made.",
      nothing: "You have not been charged.",
    }
  : {
      unknown: "We do not know yet whether your card was saved.",
      again: "Try again to find out. Nothing is done twice.",
      running: "Your card is being saved. Please wait.",
      busy: "Another card is being saved with this link.",
      failed: "Your card could not be saved.",
      nothing: "Nothing was saved or charged.",
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
