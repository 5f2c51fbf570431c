// The hosted field of Stripe's vault: takes a card in Stripe's own inputs, gives payrail's page a
// token for it, and carries out what the card's issuer wants (3-D Secure). It exchanges messages
// only with the page that it is configured with (docs/operate/rails-and-acquirers.md, A vault).

const VERSION = 1;
const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const form = /** @type {HTMLFormElement} */ (document.querySelector("form"));
const page = main.dataset.page ?? "";

// @ts-expect-error Stripe.js defines it
const stripe = globalThis.Stripe(main.dataset.key);
const elements = stripe.elements();
const names = ["cardNumber", "cardExpiry", "cardCvc"];
const inputs = names.map((name) => elements.create(name));
for (const [i, input] of inputs.entries()) {
  const name = /** @type {string} */ (names[i]);
  input.mount(`#${name}`);
  input.on("change", (/** @type {{ error?: { message: string } }} */ { error }) => {
    const place = /** @type {HTMLElement} */ (document.getElementById(`${name}-error`));
    place.textContent = error?.message ?? "";
  });
}
const [card, , code] = inputs;

/** @type {Record<string, (question: any) => Promise<object>>} */
const ANSWERS = {
  "payrail.tokenize": async ({ postcode, forLater }) => {
    const token = await (forLater ? save(postcode) : tokenize(postcode));
    // No system may keep the security code.
    code.clear();
    return { type: "payrail.token", token };
  },
  "payrail.confirm": async ({ action }) => {
    await confirming(stripe.handleNextAction({ clientSecret: action }));
    return { type: "payrail.confirmed" };
  },
};

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || origin !== page || data?.version !== VERSION) return;
  const answer = Object.hasOwn(ANSWERS, data.type) ? ANSWERS[data.type] : null;
  const { id } = data;
  if (!answer || typeof id !== "string") return;
  answer(data).then(
    (message) => say({ ...message, id }),
    (error) => say({ type: "payrail.error", id, message: error.message.slice(0, 200) }),
  );
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  say({ type: "payrail.submit" });
});
new ResizeObserver(() => {
  say({ type: "payrail.size", height: Math.ceil(document.body.getBoundingClientRect().height) });
}).observe(document.body);
await Promise.all(inputs.map((input) => new Promise((resolve) => input.on("ready", resolve))));
say({ type: "payrail.ready" });

/**
 * Sends a message to payrail's page, and to no other page.
 * @param {object} message
 */
function say(message) {
  parent.postMessage({ version: VERSION, ...message }, page);
}

/**
 * The token of a card that is charged once.
 * @param {unknown} postcode of the card's bill
 */
async function tokenize(postcode) {
  const { paymentMethod } = await succeeded(
    stripe.createPaymentMethod({ type: "card", card, billing_details: billing(postcode) }),
  );
  return paymentMethod.id;
}

/**
 * The token of a card that is charged later, without its customer. Its issuer may want to ask the
 * customer first, once for all later charges.
 * @param {unknown} postcode of the card's bill
 */
async function save(postcode) {
  const response = await fetch(location.pathname, { method: "POST", credentials: "omit" });
  if (!response.ok) throw new Error("The card could not be saved.");
  const { clientSecret, customer } = await response.json();
  const method = { card, billing_details: billing(postcode) };
  const { setupIntent } = await confirming(
    stripe.confirmCardSetup(clientSecret, { payment_method: method }),
  );
  return `${setupIntent.payment_method}.${customer}`;
}

/** @param {unknown} postcode */
function billing(postcode) {
  return typeof postcode === "string" ? { address: { postal_code: postcode } } : {};
}

/**
 * Makes room for the issuer's page while Stripe.js may show it.
 * @param {Promise<any>} work
 */
async function confirming(work) {
  main.dataset.confirming = "";
  try {
    return await succeeded(work);
  } finally {
    delete main.dataset.confirming;
  }
}

/**
 * The result of Stripe.js, which has either an object or an error for the customer.
 * @param {Promise<any>} work
 */
async function succeeded(work) {
  const result = await work;
  if (result.error) throw new Error(result.error.message ?? "The card could not be checked.");
  return result;
}
