// The page as all parts of the script see it: what the server wrote into it, and its elements. The parts
// are modules for whoever reads and checks them, and are put together in one when they are served.

const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** What the page is for, what it pays, whom, and where it asks. */
export const { checkout = "", vault = "", total = "", merchant = "" } = main.dataset;
export const { purpose = "", button: buttonLabel = "", redirect = "" } = main.dataset;
export const isPayment = purpose === "pay";

/** What the script says of what the customer does, and of what did not happen. */
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

/** Null where the link cannot be used. */
export const form = document.querySelector("form");

/** @param {string} id */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} id */
export function inputOf(id) {
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
