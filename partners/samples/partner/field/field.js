// The hosted field: takes a card in the vault's own origin and gives payrail's page a token for it.
// It exchanges messages only with the page that the vault is configured with.

const VERSION = 1;
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const form = /** @type {HTMLFormElement} */ (document.querySelector("form"));
const page = main.dataset.page ?? "";

/** @type {Record<string, [isRight: (value: string) => boolean, says: string]>} */
const RULES = {
  number: [(value) => isCardNumber(extractDigits(value)), "Enter a valid card number."],
  expiry: [(value) => isToCome(value), "Enter a date to come, such as 12 / 30."],
  code: [(value) => /^\d{3,4}$/.test(value), "Enter the 3 or 4 digits of the security code."],
};

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || origin !== page || data?.version !== VERSION) return;
  const { type, id, postcode, action } = data;
  if (typeof id !== "string") return;
  if (type === "payrail.tokenize") void tokenize(id, postcode);
  if (type === "payrail.confirm") startConfirmation(id, action);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  say({ type: "payrail.submit" });
});
form.addEventListener("input", ({ target }) => {
  const input = /** @type {HTMLInputElement} */ (target);
  if (input.selectionEnd === input.value.length) formatted(input);
  if (input.hasAttribute("aria-invalid")) check(input);
});
new ResizeObserver(() => {
  say({ type: "payrail.size", height: Math.ceil(document.body.getBoundingClientRect().height) });
}).observe(document.body);
say({ type: "payrail.ready" });

/**
 * Sends a message to payrail's page, and to no other page.
 * @param {object} message
 */
function say(message) {
  parent.postMessage({ version: VERSION, ...message }, page);
}

/**
 * @param {string} id of the page's question
 * @param {unknown} postcode of the card's bill, as the page asked for it
 */
async function tokenize(id, postcode) {
  const wrong = inputs().filter((input) => !check(input));
  const problems = wrong.map(({ id: name }) => RULES[name]?.[1]);
  if (!isPostcode(postcode)) problems.push("Check the postcode of the card's bill.");
  if (problems.length > 0) return say({ type: "payrail.error", id, message: problems.join(" ") });
  const token = await keep(postcode).catch(() => null);
  if (token === null) {
    return say({ type: "payrail.error", id, message: "The card could not be checked." });
  }
  getInput("code").value = "";
  say({ type: "payrail.token", id, token });
}

/**
 * Stands for the page of the card's issuer (3-D Secure): the customer confirms or refuses.
 * @param {string} id of the page's question
 * @param {unknown} action of the acquirer
 */
function startConfirmation(id, action) {
  const question = /** @type {HTMLElement} */ (document.querySelector("section"));
  /** @param {boolean} isAllowed */
  const end = async (isAllowed) => {
    show(question, false);
    await fetch("/confirmations", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action, isAllowed }),
      credentials: "omit",
    }).catch(() => {});
    say({ type: "payrail.confirmed", id });
  };
  getButton("allow").onclick = () => end(true);
  getButton("refuse").onclick = () => end(false);
  show(question, true);
  getButton("allow").focus();
}

/**
 * @param {HTMLElement} question
 * @param {boolean} isShown in place of the inputs
 */
function show(question, isShown) {
  question.hidden = !isShown;
  form.hidden = isShown;
}

/** @param {string} id */
function getButton(id) {
  return /** @type {HTMLButtonElement} */ (document.getElementById(id));
}

/** @param {unknown} postcode */
function isPostcode(postcode) {
  return typeof postcode === "string" && /^[\p{L}\d -]{2,16}$/u.test(postcode);
}

/**
 * @param {unknown} postcode
 * @returns {Promise<string | null>} null if the vault does not accept the card
 */
async function keep(postcode) {
  const [month, year] = parseExpiry(getInput("expiry").value);
  const response = await fetch("/cards", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      number: extractDigits(getInput("number").value),
      expMonth: month,
      expYear: year,
      cvc: getInput("code").value,
      postcode,
    }),
    credentials: "omit",
  });
  const { token } = await response.json();
  return token;
}

/** @param {HTMLInputElement} input */
function check(input) {
  const [isRight, says] = RULES[input.id] ?? [() => true, ""];
  const right = isRight(input.value.trim());
  if (right) input.removeAttribute("aria-invalid");
  else input.setAttribute("aria-invalid", "true");
  const error = /** @type {HTMLElement} */ (document.getElementById(`${input.id}-error`));
  error.textContent = right ? "" : says;
  return right;
}

/** @param {HTMLInputElement} input with the cursor at the end of its value */
function formatted(input) {
  const digits = extractDigits(input.value);
  if (input.id === "number") input.value = digits.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
  if (input.id === "expiry" && digits.length > 2) {
    input.value = `${digits.slice(0, 2)} / ${digits.slice(2, 6)}`;
  }
}

function inputs() {
  return [...form.querySelectorAll("input")];
}

/** @param {string} id */
function getInput(id) {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}

/** @param {string} value */
function extractDigits(value) {
  return value.replaceAll(/\D/g, "");
}

/** @param {string} value @returns {[month: number, year: number]} */
function parseExpiry(value) {
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(value.trim()) ?? [];
  return [Number(month), 2000 + Number(year)];
}

/** @param {string} value */
function isToCome(value) {
  const [month, year] = parseExpiry(value);
  return new Date(year, month, 1).getTime() > Date.now();
}

/**
 * ISO/IEC 7812-1, annex B.
 * @param {string} digits
 */
function isCardNumber(digits) {
  const sum = digits
    .split("")
    .toReversed()
    .reduce((all, digit, i) => {
      const value = Number(digit) * (i % 2 ? 2 : 1);
      return all + (value > 9 ? value - 9 : value);
    }, 0);
  return /^\d{12,19}$/.test(digits) && sum % 10 === 0;
}
