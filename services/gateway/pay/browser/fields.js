// The form's fields: formats them while the customer types, checks them before they are sent, and
// shows each error beside its field.

import { readDigits, readExpiry, readPhone, tidy } from "../../../../shared/as-written.js";
import { carry, takeCarried } from "./memory.js";
import { byId, form, getInput, say } from "./page.js";

/**
 * The beginnings of the brands' numbers, as the networks publish them. checkout.css has the looks
 * of the first four.
 * @type {[RegExp, string][]}
 */
const BRANDS = [
  [/^4/, "Visa"],
  [/^(5[1-5]|2[2-7])/, "Mastercard"],
  [/^3[47]/, "Amex"],
  [/^(6011|64|65)/, "Discover"],
  [/^35/, "JCB"],
  [/^3[068]/, "Diners Club"],
  [/^62/, "UnionPay"],
  [/^(5[06-8]|6)/, "Maestro"],
];

/** The sandbox's inputs; with a real acquirer the card is typed into a vault's frame. */
const CARD_INPUTS = ["card-number", "card-expiry", "card-cvc"].filter((id) => byId(id));

/** Removes an error once the field is corrected, and formats the card's inputs during typing. */
export function startFields() {
  form?.addEventListener("input", ({ target }) => {
    const input = /** @type {HTMLInputElement} */ (target);
    if (isMarked(input)) mark(input, findError(input));
  });
  if (CARD_INPUTS.length > 0) startCardInputs();
}

function startCardInputs() {
  const number = getInput("card-number");
  const expiry = getInput("card-expiry");
  const brand = document.createElement("span");
  brand.className = "brand";
  brand.setAttribute("aria-hidden", "true");
  number.after(brand);
  number.addEventListener("input", (event) => {
    const digits = keepDigits(number.value);
    const name = BRANDS.find(([range]) => range.test(digits))?.[1] ?? "";
    brand.textContent = name;
    brand.dataset.brand = name;
    if (isTyping(event, number)) number.value = inGroups(digits, name);
  });
  expiry.addEventListener("input", (event) => {
    if (!isTyping(event, expiry)) return;
    // 20… may be the year of 2040-12, as password managers write it.
    const typed = expiry.value.replace(/^([3-9]|2(?!0|$)|1(?=\D))/, "0$1");
    const digits = keepDigits(typed);
    if (digits.length > 1 && !digits.startsWith("20"))
      expiry.value = `${digits.slice(0, 2)} / ${digits.slice(2, 6)}`;
  });
}

/**
 * A card number as it is printed on the card.
 * @param {string} digits
 * @param {string} brand
 */
function inGroups(digits, brand) {
  const parts = brand === "Amex" ? /^(\d{4})(\d{1,6})?(\d+)?/ : null;
  if (!parts) return digits.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
  return (parts.exec(digits)?.slice(1) ?? [digits]).filter(Boolean).join(" ");
}

/**
 * Whether a character was typed at the end: only then may the value be formatted under the cursor.
 * @param {Event} event
 * @param {HTMLInputElement} input
 */
function isTyping(event, { selectionEnd, value }) {
  const isDeleted = event instanceof InputEvent && event.inputType.startsWith("delete");
  return !isDeleted && selectionEnd === value.length;
}

/**
 * Checks every field, and marks the invalid ones.
 * @returns {HTMLInputElement[]} the invalid ones
 */
export function checkFields() {
  return inputs().filter((input) => {
    mark(input, findError(input));
    return isMarked(input);
  });
}

/** The card's fields, for the vault; call it after the check. */
export function cardDetails() {
  const [number, expiry, cvc] = CARD_INPUTS.map((id) => getInput(id).value);
  const { month, year } = readExpiry(expiry ?? "") ?? {};
  return {
    number: keepDigits(number ?? ""),
    expMonth: month,
    expYear: year,
    cvc: readDigits(cvc ?? ""),
  };
}

/** Keeps what the customer typed, except the card, for the same page in another language. */
export function carryFields() {
  carry(customerInputs().map(({ value }) => value));
}

/**
 * Fills in what the customer typed on the same page in another language.
 * @returns {boolean} whether the customer comes from that page
 */
export function fillCarried() {
  const values = takeCarried();
  customerInputs().forEach((input, i) => {
    input.value ||= values?.[i] ?? "";
  });
  return values !== null;
}

function customerInputs() {
  return inputs().filter(({ name, dataset }) => name || dataset.own);
}

/** The payment's fields: all except the card's. */
export function customerDetails() {
  const filled = inputs().map(({ name, dataset, value }) => {
    return { name, own: dataset.own, value: written(name, value) };
  });
  // The customer of a payment-method link is known.
  const isKnown = filled.every(({ name, own }) => !name && !own);
  if (isKnown) return {};
  const customer = filled.filter(({ name }) => name).map(({ name, value }) => [name, value]);
  /** @type {Record<string, string>} */
  const fields = {};
  for (const { own, value } of filled) {
    // An address has several inputs under one name.
    if (own && value) fields[own] = fields[own] ? `${fields[own]}, ${value}` : value;
  }
  return { customer: Object.fromEntries(customer), fields };
}

/**
 * A value as it is sent.
 * @param {string} name
 * @param {string} value
 */
function written(name, value) {
  return name === "phone" ? (readPhone(value) ?? value) : tidy(value);
}

/** @returns {HTMLInputElement[]} */
export function inputs() {
  return [...(form?.querySelectorAll("input") ?? [])];
}

/**
 * The error of a field; empty if it is valid. The link's own fields are optional, and any text is
 * valid in them.
 * @param {HTMLInputElement} input
 */
function findError({ id, value, required }) {
  const given = tidy(value);
  const key = /** @type {import("./page.js").Key} */ (given ? id : `missing-${id}`);
  if (!given) return required ? say(key) : "";
  switch (id) {
    case "email":
      return isEmail(given) ? "" : say(key);
    case "phone":
      return readPhone(given) ? "" : say(key);
    case "card-number":
      return isCardNumber(keepDigits(given)) ? "" : say(key);
    case "card-expiry":
      return expiryError(given);
    case "card-cvc":
      return /^\d{3,4}$/.test(readDigits(given) ?? "") ? "" : say(key);
    default:
      return "";
  }
}

/**
 * Asks the browser, which knows the rule of HTML. It reads a domain in Unicode only where a person
 * has typed it; a password manager sets the value.
 * @param {string} address without marks that it would refuse
 */
function isEmail(address) {
  const input = document.createElement("input");
  input.type = "email";
  input.value = address.replace(/(?<=@)[\p{L}\p{M}\p{N}.-]+$/u, toAsciiDomain);
  return !input.validity.typeMismatch;
}

/** @param {string} domain */
function toAsciiDomain(domain) {
  const url = `https://${domain}`;
  const isAscii = domain === encodeURI(domain);
  return isAscii || !URL.canParse(url) ? domain : new URL(url).hostname;
}

/** @param {string} given */
function expiryError(given) {
  const expiry = readExpiry(given);
  if (!expiry) return say("expiryForm");
  const now = new Date();
  const isPast = expiry.year * 12 + expiry.month < now.getFullYear() * 12 + now.getMonth() + 1;
  return isPast ? say("expiryPast") : "";
}

/**
 * Checks the digits by ISO/IEC 7812-1, annex B.
 * @param {string} digits
 */
function isCardNumber(digits) {
  const sum = digits
    .split("")
    .reverse()
    .reduce((all, digit, i) => {
      const value = Number(digit) * (i % 2 ? 2 : 1);
      return all + (value > 9 ? value - 9 : value);
    }, 0);
  return /^\d{12,19}$/.test(digits) && sum % 10 === 0;
}

/**
 * @param {HTMLInputElement} input
 * @param {string} error empty for a valid field
 */
export function mark(input, error) {
  if (error) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
  byId(`${input.id}-error`).textContent = error;
}

/** @param {HTMLInputElement} input */
function isMarked(input) {
  return input.hasAttribute("aria-invalid");
}

/** Empties the card's security code; a vault's frame empties its own. */
export function clearCvc() {
  if (CARD_INPUTS.length > 0) getInput("card-cvc").value = "";
}

/** Empties the page's own card inputs. */
export function clearCard() {
  for (const id of CARD_INPUTS) {
    const input = getInput(id);
    input.value = "";
    // This event removes the brand too.
    input.dispatchEvent(new Event("input"));
  }
}

/**
 * The digits of a value that is being typed.
 * @param {string} value
 */
function keepDigits(value) {
  return readDigits(value.replaceAll(/[^\p{Nd}]/gu, "")) ?? "";
}
