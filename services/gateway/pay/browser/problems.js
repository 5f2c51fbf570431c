// Shows problems above the form, where a screen reader reads them and the focus goes, with links to
// the fields in question.

import { mark } from "./fields.js";
import { byId, element, getInput, say, words } from "./page.js";

/** @type {[RegExp, import("./page.js").Key][]} The field in the server's message, its input's id. */
const REFUSED = [
  [/\bcustomer\.email\b/, "email"],
  [/\bcustomer\.firstName\b/, "first-name"],
  [/\bcustomer\.lastName\b/, "last-name"],
  [/\bcustomer\.phone\b/, "phone"],
  [/\bnumber must\b/, "card-number"],
  [/\bexp(Month|Year)\b/, "card-expiry"],
  [/\bcvc\b/, "card-cvc"],
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
  byId("problem").replaceChildren(element("p", say("checkThese")), list);
  byId("problem").focus();
}

/** @param {string} message of a 400 */
export function tellRefused(message) {
  const named = REFUSED.filter(([pattern]) => pattern.test(message));
  if (named.length === 0) {
    return tell(`${words.failed} ${words.nothing}`, say("checkFilled"));
  }
  tellWrong(
    named.map(([, id]) => {
      mark(getInput(id), say(id));
      return getInput(id);
    }),
  );
}
