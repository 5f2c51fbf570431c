// The page as all parts of the script see it: what the server wrote into it, and its elements. The parts
// are modules for whoever reads and checks them, and are put together in one when they are served.

const main = /** @type {HTMLElement} */ (document.querySelector("main"));

/** What the page pays, whom, and where it asks. */
export const { checkout = "", vault = "", total = "", merchant = "" } = main.dataset;
/** Null where the link cannot be paid. */
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
