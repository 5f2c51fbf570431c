// Shows problems above the form, where a screen reader reads them and the focus goes, with links to
// the fields in question.

import { mark } from "./fields.js";
import { byId, element, getInput, words } from "./page.js";

/**
 * @type {[RegExp, string, string][]} The field in the server's message, the id of its input, and
 *   the text to show.
 */
const REFUSED = [
  [/\bcustomer\.email\b/, "email", "Enter an email address, such as ada@example.com."],
  [/\bcustomer\.firstName\b/, "first-name", "Enter your first name, at most 128 characters."],
  [/\bcustomer\.lastName\b/, "last-name", "Enter your last name, at most 128 characters."],
  [/\bcustomer\.phone\b/, "phone", "Enter a phone number, such as +1 555 0100."],
  [/\bnumber must\b/, "card-number", "Enter a valid card number."],
  [/\bexp(Month|Year)\b/, "card-expiry", "Enter a date in the future, such as 12 / 30."],
  [/\bcvc\b/, "card-cvc", "Enter the 3 or 4 digits."],
];

/**
 * @param {string} problem
 * @param {string} advice
 */
export function tell(problem, advice) {
  byId("problem").replaceChildren(element("p", problem), document.createTextNode(advice));
  byId("problem").focus();
}

/** @param {HTMLInputElement[]} wrong */
export function tellWrong(wrong) {
  tellLinks(wrong.map((input) => [input, byId(`${input.id}-error`).textContent ?? ""]));
}

/** @param {string} message from the vault; the page shows it as text, never as markup */
export function tellFrame(message) {
  tellLinks([[byId("card-frame"), message]]);
}

/** @param {[HTMLElement, string][]} wrong */
function tellLinks(wrong) {
  const list = element("ul");
  for (const [field, says] of wrong) {
    const link = element("a", says);
    link.setAttribute("href", `#${field.id}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      field.focus();
    });
    const line = element("li");
    line.append(link);
    list.append(line);
  }
  byId("problem").replaceChildren(element("p", "Please check what you have filled in:"), list);
  byId("problem").focus();
}

/** @param {string} message of a 400 */
export function tellRefused(message) {
  const named = REFUSED.filter(([pattern]) => pattern.test(message));
  if (named.length === 0) {
    return tell(`${words.failed} ${words.nothing}`, "Please check what you have filled in.");
  }
  tellWrong(
    named.map(([, id, says]) => {
      mark(getInput(id), says);
      return getInput(id);
    }),
  );
}
