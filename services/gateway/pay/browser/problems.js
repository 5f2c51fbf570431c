// Shows problems above the form, where a screen reader reads them and the focus goes, with links to
// the fields in question.

import { isolate } from "./direction.js";
import { inputs, mark } from "./fields.js";
import { byId, element, say, words } from "./page.js";
import { hasFrame } from "./vault.js";

/** @type {Record<string, string>} The ids of the card's inputs, by the server's names. */
const OF_CARD = {
  number: "card-number",
  expMonth: "card-expiry",
  expYear: "card-expiry",
  cvc: "card-cvc",
  "paymentMethod.token": "card-number",
};

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

/** @param {{ field: string }[]} errors of a 400: each marks its inputs */
export function tellRefused(errors) {
  const named = new Set(errors.flatMap(({ field }) => inputsOf(field)));
  if (named.size > 0) return tellWrong([...named].map(markRefused));
  if (hasFrame && errors.some(({ field }) => field in OF_CARD)) return tellFrame(say("otherCard"));
  tell(`${words.failed} ${words.nothing}`, say("checkFilled"));
}

/**
 * The inputs whose values the server knows by this path: `customer.email`, `fields.<name>`, a name
 * of the vault. An error of a whole object is one of all its filled inputs.
 * @param {string} path
 */
function inputsOf(path) {
  const ofForm = inputs();
  const exact = ofForm.filter((input) => pathOf(input) === path || OF_CARD[path] === input.id);
  const [object] = path.split(/\W/, 1);
  const within = ofForm.filter((input) => input.value && pathOf(input)?.startsWith(`${object}.`));
  return exact.length > 0 ? exact : within;
}

/**
 * The path that the server's errors have for an input; they show names in short, and in ASCII.
 * @param {HTMLInputElement} input
 */
function pathOf({ name, dataset: { own } }) {
  if (own) {
    const short = own.length > 64 ? `${own.slice(0, 64)}…` : own;
    return `fields.${short.replaceAll(/[^\x20-\x7e…]/g, "?")}`;
  }
  return name ? `customer.${name}` : null;
}

/** @param {HTMLInputElement} input */
function markRefused(input) {
  const { id, dataset } = input;
  const key = /** @type {import("./page.js").Key} */ (id);
  mark(input, dataset.own ? say("ownField", { name: isolate(dataset.own) }) : say(key));
  return input;
}
