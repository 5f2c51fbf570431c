// The checkout page's script. Card details go from the inputs to the vault and nowhere else: they are
// not stored, not logged, and no part of a payment. An attempt to pay keeps its body and its
// Idempotency-Key until its outcome is known, however often it is sent: nobody is charged twice.

/**
 * @typedef {{ status: number, message: string, retryAfterS: number, data: any }} Answer
 * @typedef {{ key: string, body: object, card: string, isUnknown: boolean }} Attempt
 */

const ANSWER_WITHIN_MS = 20_000;
/** Before each sending of an attempt, until somebody answers what became of it. */
const SEND_WAITS_MS = [0, 1_000, 2_000, 4_000, 8_000];
/** Between questions about a payment that is under way; the last one stays. */
const ASK_WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const ASKED_AT_MOST = 200;
const LEAVES_AFTER_MS = 6_000;

/** @type {[RegExp, string][]} */
const BRANDS = [
  [/^4/, "Visa"],
  [/^(5[1-5]|2[2-7])/, "Mastercard"],
  [/^3[47]/, "Amex"],
  [/^(6011|64|65)/, "Discover"],
];

const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const { checkout = "", vault = "", total = "", merchant = "" } = main.dataset;
const end = byId("end");
const form = document.querySelector("form");

/** @type {Attempt | null} */
let attempt = null;
let isRunning = false;
/** Whether the page is where the customer is left: it may go. */
let isOver = false;

if (form) startForm(form);
const known = /^#([\da-f-]{36})$/.exec(location.hash)?.[1];
if (known) void follow(known, true);

/** @param {HTMLFormElement} pay */
function startForm(pay) {
  pay.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isRunning) void run();
  });
  pay.addEventListener("input", ({ target }) => {
    const input = /** @type {HTMLInputElement} */ (target);
    if (isMarked(input)) mark(input, errorOf(input));
  });
  addEventListener("beforeunload", (event) => {
    if ((isRunning || attempt) && !isOver) event.preventDefault();
  });
  startCard();
  setRunning(false);
}

function startCard() {
  const number = inputOf("card-number");
  const expiry = inputOf("card-expiry");
  const brand = document.createElement("span");
  brand.className = "brand";
  brand.setAttribute("aria-hidden", "true");
  number.after(brand);
  number.addEventListener("input", (event) => {
    const digits = digitsOf(number.value);
    brand.textContent = BRANDS.find(([range]) => range.test(digits))?.[1] ?? "";
    if (isTyping(event, number)) number.value = digits.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
  });
  expiry.addEventListener("input", (event) => {
    if (!isTyping(event, expiry)) return;
    const typed = expiry.value.replace(/^([2-9]|1(?=\D))/, "0$1");
    const digits = digitsOf(typed);
    if (digits.length > 1) expiry.value = `${digits.slice(0, 2)} / ${digits.slice(2, 6)}`;
  });
}

/**
 * Whether something was put at the end: only there may a value be formatted under a cursor.
 * @param {Event} event
 * @param {HTMLInputElement} input
 */
function isTyping(event, { selectionEnd, value }) {
  const isDeleted = event instanceof InputEvent && event.inputType.startsWith("delete");
  return !isDeleted && selectionEnd === value.length;
}

/** One press of the button: what is filled becomes an attempt, and that is sent. */
async function run() {
  if (!attempt && !isFilled()) return;
  setRunning(true);
  attempt ??= await begin();
  if (attempt) await send(attempt);
  setRunning(false);
}

/** Whether everything can be sent; else it is said what cannot. */
function isFilled() {
  const wrong = inputs().filter((input) => {
    mark(input, errorOf(input));
    return isMarked(input);
  });
  if (wrong.length === 0) return true;
  tellWrong(wrong);
  return false;
}

/**
 * Trades the card's details for a token.
 * @returns {Promise<Attempt | null>} null where the card cannot be used, which is said
 */
async function begin() {
  const { month, year } = /** @type {{ month: number, year: number }} */ (expiryOf());
  const answer = await ask(vault, {
    number: digitsOf(inputOf("card-number").value),
    expMonth: month,
    expYear: year,
    cvc: inputOf("card-cvc").value.trim(),
  });
  if (answer?.status !== 201) {
    if (answer?.status === 400) tellRefused(answer.message);
    else tell("Your card could not be checked. You have not been charged.", "Please try again.");
    return null;
  }
  const { token, brand, last4 } = answer.data;
  const body = { customer: {}, fields: {}, paymentMethod: { type: "card", token } };
  for (const { name, value, dataset } of inputs()) {
    if (name) Object.assign(body.customer, { [name]: value.trim() });
    else if (dataset.own && value.trim())
      body.fields = { ...body.fields, [dataset.own]: value.trim() };
  }
  return { key: newKey(), body, card: `${brand} •••• ${last4}`, isUnknown: false };
}

/**
 * Sends an attempt until it is known what became of it, or for some seconds.
 * @param {Attempt} sent
 */
async function send(sent) {
  for (const waitMs of SEND_WAITS_MS) {
    await pause(waitMs);
    const answer = await ask(`${checkout}/payments`, sent.body, { "idempotency-key": sent.key });
    if (!answer || answer.status >= 500) {
      sent.isUnknown = true;
      continue;
    }
    if (answer.status === 409 && !(await isStillPayable())) return;
    // Somebody still works on what was sent before.
    if (answer.status === 409 && sent.isUnknown) continue;
    if (answer.status === 429 && sent.isUnknown) break;
    attempt = null;
    return judge(answer, sent);
  }
  tell(
    "We do not know yet whether your payment went through.",
    "Try again to find out. You will not be charged twice.",
  );
}

/**
 * @param {Answer} answer that decides the attempt
 * @param {Attempt} sent
 */
function judge({ status, data, message, retryAfterS }, sent) {
  if (status === 200) return show(data, sent.card);
  clearCvc();
  if (status === 400) return tellRefused(message);
  if (status === 409) {
    return tell(
      "Another payment of this link is being processed.",
      "You have not been charged. Please try again in a minute.",
    );
  }
  if (status === 429) {
    const minutes = Math.max(1, Math.ceil(retryAfterS / 60));
    const unit = minutes === 1 ? "minute" : "minutes";
    return tell("There were too many attempts.", `Please try again in ${minutes} ${unit}.`);
  }
  return tell("Your payment could not be made. You have not been charged.", "Please try again.");
}

/** Where the link has ended meanwhile, the page that says so is shown. */
async function isStillPayable() {
  const view = await ask(checkout);
  if (view?.status !== 404 && (view?.data?.status ?? "ACTIVE") === "ACTIVE") return true;
  isOver = true;
  location.reload();
  return false;
}

/**
 * Shows where a payment stands.
 * @param {any} payment
 * @param {string} [card]
 * @param {boolean} [isBack] whether its customer has been told before
 * @returns {void | Promise<void>}
 */
function show({ id, status, reason, redirectTo }, card, isBack = false) {
  if (status === "SUCCEEDED") return showPaid(id, redirectTo, card, isBack);
  if (status === "FAILED") return showDeclined(reason);
  return follow(id, false, card);
}

/** @param {string} [reason] */
function showDeclined(reason = "Your card could not be charged.") {
  forget();
  // Without a form the page says already that the link cannot be paid.
  if (!form) return swap(false);
  swap(false);
  clearCvc();
  tell(reason, "Check the card's details, or pay with another card.");
}

/**
 * @param {string} id
 * @param {string | null} redirectTo
 * @param {string} [card]
 * @param {boolean} [isBack]
 */
function showPaid(id, redirectTo, card, isBack) {
  remember(id);
  document.title = `Paid: ${merchant}`;
  const target = redirectTo && /^https?:/.test(redirectTo) ? new URL(redirectTo) : null;
  const link = target && element("a", `Continue to ${target.host}`, "action");
  if (link && target) link.setAttribute("href", target.href);
  const leaves = target && !isBack;
  const soon = leaves ? `You are taken to ${target.host} in a moment.` : "You may close this page.";
  const tick = element("div", "✓", "mark");
  tick.setAttribute("aria-hidden", "true");
  const facts = [
    ["Amount", total],
    ["Paid to", merchant],
    ...(card ? [["Card", card]] : []),
    ["Reference", id],
  ];
  const list = element("dl");
  for (const [name = "", value = ""] of facts) {
    const line = element("div");
    line.append(element("dt", name), element("dd", value));
    list.append(line);
  }
  finish([
    tick,
    element("h2", "Payment received"),
    element("p", soon),
    list,
    ...(link ? [link] : []),
  ]);
  if (leaves) setTimeout(() => location.assign(target.href), LEAVES_AFTER_MS);
}

/**
 * Asks on until a payment has ended.
 * @param {string} id
 * @param {boolean} isBack whether the page was opened at it
 * @param {string} [card]
 * @returns {Promise<void>}
 */
async function follow(id, isBack, card) {
  remember(id);
  const turning = element("div", "", "mark busy");
  finish([
    turning,
    element("h2", isBack ? "Looking up your payment" : "Your payment is being processed"),
    element(
      "p",
      "This can take some minutes. You may close this page: opened again at this address, it shows how it ended.",
    ),
  ]);
  for (let i = 0; i < ASKED_AT_MOST; i++) {
    if (i > 0 || !isBack) await pause(ASK_WAITS_MS[Math.min(i, ASK_WAITS_MS.length - 1)] ?? 0);
    const answer = await ask(`${checkout}/payments/${id}`);
    if (answer?.status === 404) {
      forget();
      return swap(false);
    }
    if (answer?.status === 200 && answer.data.status !== "PENDING") {
      return show(answer.data, card, isBack);
    }
  }
}

/** @param {HTMLElement[]} parts of the end, in place of the form */
function finish(parts) {
  isOver = true;
  end.replaceChildren(...parts);
  swap(true);
  end.focus();
}

/** @param {boolean} isEnd whether the end is shown, or what was there before */
function swap(isEnd) {
  isOver = isEnd;
  end.hidden = !isEnd;
  for (const each of [form, document.getElementById("notice")]) if (each) each.hidden = isEnd;
}

/** @param {string} id of a payment to which a reloaded page comes back */
function remember(id) {
  history.replaceState(null, "", `#${id}`);
}

function forget() {
  history.replaceState(null, "", location.pathname + location.search);
}

/** @param {boolean} running */
function setRunning(running) {
  isRunning = running;
  const button = /** @type {HTMLButtonElement} */ (form?.querySelector("button"));
  // What an unknown attempt was made of stays as it was sent.
  for (const each of form?.querySelectorAll("fieldset") ?? []) each.disabled = running || !!attempt;
  button.disabled = running;
  button.classList.toggle("busy", running);
  button.textContent = running ? "Processing…" : attempt ? "Try again" : `Pay ${total}`;
  byId("progress").textContent = running ? "Your payment is being processed. Please wait." : "";
  if (running) byId("problem").replaceChildren();
  else if (byId("problem").firstChild) byId("problem").focus();
}

/**
 * @param {string} what
 * @param {string} then
 */
function tell(what, then) {
  byId("problem").replaceChildren(element("p", what), document.createTextNode(then));
  byId("problem").focus();
}

/** @param {HTMLInputElement[]} wrong */
function tellWrong(wrong) {
  const list = element("ul");
  for (const input of wrong) {
    const link = element("a", byId(`${input.id}-error`).textContent ?? "");
    link.setAttribute("href", `#${input.id}`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      input.focus();
    });
    const line = element("li");
    line.append(link);
    list.append(line);
  }
  byId("problem").replaceChildren(element("p", "Please check what you have filled in:"), list);
  byId("problem").focus();
}

/** @type {[RegExp, string, string][]} What a server names, whose it is, and what to say. */
const REFUSED = [
  [/\bcustomer\.email\b/, "email", "Enter an email address, such as ada@example.com."],
  [/\bcustomer\.firstName\b/, "first-name", "Enter your first name, at most 128 characters."],
  [/\bcustomer\.lastName\b/, "last-name", "Enter your last name, at most 128 characters."],
  [/\bcustomer\.phone\b/, "phone", "Enter a phone number, such as +1 555 0100."],
  [/\bnumber must\b/, "card-number", "Enter a valid card number."],
  [/\bexp(Month|Year)\b/, "card-expiry", "Enter a date in the future, such as 12 / 30."],
  [/\bcvc\b/, "card-cvc", "Enter the 3 or 4 digits."],
];

/** @param {string} message of a 400 */
function tellRefused(message) {
  const named = REFUSED.filter(([pattern]) => pattern.test(message));
  if (named.length === 0) {
    return tell(
      "Your payment could not be made. You have not been charged.",
      "Please check what you have filled in.",
    );
  }
  tellWrong(
    named.map(([, id, says]) => {
      mark(inputOf(id), says);
      return inputOf(id);
    }),
  );
}

/** @type {Record<string, string>} */
const MISSING = {
  "card-expiry": "Enter the card's expiry date.",
  "card-cvc": "Enter the card's security code.",
};

/**
 * What is wrong with a field; empty where nothing is.
 * @param {HTMLInputElement} input
 */
function errorOf({ id, value, required, validity }) {
  const given = value.trim();
  const label = document.querySelector(`label[for="${id}"]`)?.textContent?.toLowerCase();
  if (!given) return required ? (MISSING[id] ?? `Enter your ${label}.`) : "";
  switch (id) {
    case "email":
      return validity.typeMismatch ? "Enter an email address, such as ada@example.com." : "";
    case "phone":
      return /^\+?[\d ().-]{4,32}$/.test(given) ? "" : "Enter a phone number, such as +1 555 0100.";
    case "card-number":
      return isCardNumber(digitsOf(given)) ? "" : "Enter a valid card number.";
    case "card-expiry":
      return expiryError();
    case "card-cvc":
      return /^\d{3,4}$/.test(given) ? "" : "Enter the 3 or 4 digits of the security code.";
    default:
      return "";
  }
}

function expiryError() {
  const expiry = expiryOf();
  if (!expiry) return "Enter the expiry date as month and year, such as 12 / 30.";
  const now = new Date();
  const isPast = expiry.year * 12 + expiry.month < now.getFullYear() * 12 + now.getMonth() + 1;
  return isPast ? "This card has expired." : "";
}

function expiryOf() {
  const parts = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(
    inputOf("card-expiry").value.trim(),
  );
  return parts && { month: Number(parts[1]), year: 2000 + Number(parts[2]) };
}

/**
 * ISO/IEC 7812-1, annex B.
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
 * @param {string} error empty where it is right
 */
function mark(input, error) {
  if (error) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
  byId(`${input.id}-error`).textContent = error;
}

/** @param {HTMLInputElement} input */
function isMarked(input) {
  return input.hasAttribute("aria-invalid");
}

function clearCvc() {
  inputOf("card-cvc").value = "";
}

/**
 * Asks the server.
 * @param {string} path
 * @param {object} [body] sent where there is one
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer | null>} null where no answer of ours came
 */
async function ask(path, body, headers = {}) {
  try {
    const response = await fetch(path, {
      ...(body && { method: "POST", body: JSON.stringify(body) }),
      headers: body ? { "content-type": "application/json", ...headers } : headers,
      credentials: "omit",
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const { data = null, message = "" } = await response.json();
    const retryAfterS = Number(response.headers.get("retry-after"));
    return { status: response.status, data, message, retryAfterS };
  } catch {
    return null;
  }
}

/** Not randomUUID, which is not there without https. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @returns {HTMLInputElement[]} */
function inputs() {
  return [...(form?.querySelectorAll("input") ?? [])];
}

/** @param {string} id */
function inputOf(id) {
  return /** @type {HTMLInputElement} */ (document.getElementById(id));
}

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {string} tag
 * @param {string} [text]
 * @param {string} [className]
 */
function element(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** @param {string} value */
function digitsOf(value) {
  return value.replaceAll(/\D/g, "");
}
