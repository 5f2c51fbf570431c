// The checkout page's script. The card becomes a token of a vault: in the vault's own frame, or in
// the sandbox from inputs of this page. Card details are not stored, not logged, and not part of a
// payment. An attempt to pay or to save a card keeps its body and its Idempotency-Key until its
// outcome is known, however often it is sent, so no customer is charged or subscribed twice. The
// key outlives the page (memory.js): opened again, the page asks the server what the attempt has
// made.

import { ask, pause } from "./asking.js";
import {
  isEnded,
  remember,
  savedBefore,
  showForm,
  showNoEnd,
  showPaid,
  showSaved,
  showUnderWay,
} from "./ends.js";
import {
  cardDetails,
  carryFields,
  checkFields,
  clearCvc,
  customerDetails,
  fillCarried,
  startFields,
} from "./fields.js";
import {
  allowFurther,
  asksOnce,
  beginAnew,
  keptReceipt,
  noteMade,
  noteNothingMade,
  noteSent,
  recalled,
} from "./memory.js";
import {
  buttonLabel,
  byId,
  checkout,
  form,
  isPayment,
  purpose,
  say,
  sayReason,
  vault,
  words,
} from "./page.js";
import { tell, tellFrame, tellRefused, tellWrong } from "./problems.js";
import { confirmInFrame, disableFrame, hasFrame, startFrame, tokenize } from "./vault.js";

/**
 * @typedef {import("./asking.js").Answer} Answer
 * @typedef {{ key: string, body: object, card?: string, isUnknown: boolean }} Attempt
 */

const PATH = `${checkout}/${isPayment ? "payments" : "setup"}`;
/** Pauses before each sending of an attempt; together longer than a server works on one. */
const SEND_WAITS_MS = [0, 1_000, 2_000, 4_000, 8_000, 10_000];
/** The message of shared/errors.ts: only the message tells this 409 from the others. */
const STILL_RUNNING = "A request with this Idempotency-Key is under way";
const USED_RECENTLY = "payment_link_used_recently";
/** Pauses between questions about a payment that is under way; the last one repeats. */
const ASK_WAITS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
const ASKED_AT_MOST = 200;
/** A request that has left and has made nothing when it is asked for so often has not arrived. */
const ASKED_IN_VAIN_AT_MOST = 3;

/** @type {Attempt | null} */
let attempt = null;
let isRunning = false;
/** Whether the script itself leaves the page. */
let isLeaving = false;

foldCosts();
removeBroken();
startLanguages();
if (form) startForm(form);
const isCarried = fillCarried();
const known = /^#([\da-f-]{36})$/.exec(location.hash)?.[1];
const saved = savedBefore();
const kept = isCarried ? null : keptReceipt();
if (known && isPayment) void follow(known, true);
else if (saved) showSaved(saved, true);
else if (recalled().isSent) void findAttempt(recalled().key);
else if (kept && isPayment) void follow(kept.id, true);
else if (kept && purpose === "subscribe") showSaved({ status: "", ...kept }, true);

/** Removes the merchant's images that do not load. */
function removeBroken() {
  for (const image of document.images) image.decode().catch(() => image.remove());
}

/** The page in another language shows the same payment, or the form as it is filled. */
function startLanguages() {
  document.querySelector(".languages")?.addEventListener("click", ({ target }) => {
    if (!(target instanceof HTMLAnchorElement)) return;
    target.hash = location.hash;
    if (form && !form.hidden) carryFields();
  });
}

/** Folds the items and sums on a narrow screen, so that the form begins on the first screen. */
function foldCosts() {
  const costs = document.querySelector(".costs");
  const wide = matchMedia("(min-width: 52rem)");
  const fold = () => costs?.toggleAttribute("open", wide.matches);
  wide.addEventListener("change", fold);
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
  addEventListener("afterprint", fold);
  fold();
}

/** @param {HTMLFormElement} pay */
function startForm(pay) {
  pay.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isRunning) void run();
  });
  addEventListener("beforeunload", (event) => {
    if ((isRunning || attempt) && !isLeaving && !isEnded()) event.preventDefault();
  });
  startFields();
  startFrame(() => pay.requestSubmit());
  setRunning(false);
}

/** Handles a press of the button: makes an attempt from the filled fields and sends it. */
async function run() {
  const wrong = attempt ? [] : checkFields();
  if (wrong.length > 0) return tellWrong(wrong);
  setRunning(true);
  attempt ??= await (hasFrame ? beginInFrame() : beginInSandbox());
  if (attempt) await send(attempt);
  setRunning(false);
}

/**
 * Trades the card's details for a token.
 * @returns {Promise<Attempt | null>} null for an unusable card; the page shows the reason
 */
async function beginInFrame() {
  const answer = await tokenize();
  if (answer === null) tellUnchecked();
  else if ("message" in answer) tellFrame(answer.message);
  else return attemptWith(answer.token);
  return null;
}

/** The same for the page's own inputs. */
async function beginInSandbox() {
  const answer = await ask(vault, cardDetails());
  if (answer?.status === 201) {
    const { token, brand, last4 } = answer.data;
    return attemptWith(token, `${brand} •••• ${last4}`);
  }
  if (answer?.status === 400) tellRefused(answer.errors);
  else tellUnchecked();
  return null;
}

function tellUnchecked() {
  tell(`${say("unchecked")} ${words.nothing}`, say("pleaseTryAgain"));
}

/**
 * @param {string} token
 * @param {string} [card] the card's text on the receipt
 * @returns {Attempt}
 */
function attemptWith(token, card) {
  const asked = asksOnce() && { once: true };
  const body = { ...customerDetails(), ...asked, paymentMethod: { type: "card", token } };
  return { key: recalled().key, body, card, isUnknown: false };
}

/**
 * Sends an attempt until its outcome is known, for some seconds at most.
 * @param {Attempt} sent
 */
async function send(sent) {
  /** @type {Answer | null} */
  let answer = null;
  // Before the request, because the page may be gone before its answer.
  noteSent(sent.key);
  for (const waitMs of SEND_WAITS_MS) {
    await pause(waitMs);
    answer = await ask(PATH, sent.body, { "idempotency-key": sent.key });
    if (!isKnown(answer)) sent.isUnknown = true;
    else if (!sent.isUnknown || ![409, 429].includes(answer.status)) return decide(answer, sent);
    // Otherwise the server may still be at work on an earlier sending.
  }
  // By now it is not, so a 409 other than STILL_RUNNING means that the server never accepted the
  // attempt.
  if (isKnown(answer) && answer.status === 409) return decide(answer, sent);
  tell(words.unknown, words.again);
}

/**
 * Whether the answer shows the outcome of the attempt; without one the card may still be charged.
 * @param {Answer | null} answer
 * @returns {answer is Answer}
 */
function isKnown(answer) {
  return answer !== null && answer.status < 500 && answer.message !== STILL_RUNNING;
}

/**
 * @param {Answer} answer
 * @param {Attempt} sent the attempt, which ends with this answer
 */
async function decide(answer, sent) {
  attempt = null;
  const { status, data } = answer;
  // Another tab has sent the key with another card: its payment counts.
  if (status === 422) return findAttempt(sent.key);
  if (status !== 200) noteNothingMade(sent.key);
  // The customer's earlier payment, made by a page that could not keep its key.
  if (status === 409 && data?.id) return follow(data.id, true);
  if (status === 409 && !(await isStillPayable())) return;
  await judge(answer, sent);
}

/**
 * Shows what an attempt has made that this page has not seen: another tab has sent it, or this page
 * before it was reloaded.
 * @param {string} key
 */
async function findAttempt(key) {
  showUnderWay(true);
  let inVain = 0;
  for (let i = 0; i < ASKED_AT_MOST && inVain < ASKED_IN_VAIN_AT_MOST; i++) {
    if (i > 0) await pause(ASK_WAITS_MS[Math.min(i - 1, ASK_WAITS_MS.length - 1)] ?? 0);
    const answer = await ask(`${checkout}/attempts/${key}`);
    if (answer?.status === 200) return showMade(key, answer.data);
    if (answer?.status === 404) inVain += 1;
  }
  // The request may still arrive: under its key the form makes no second payment.
  showNoEnd();
}

/**
 * @param {string} key
 * @param {any} made as the server knows it by the key
 * @returns {void | Promise<void>}
 */
function showMade(key, { payment, setup }) {
  noteMade(key, payment?.id ?? setup.subscriptionId);
  if (setup) return showSaved({ ...setup, id: setup.subscriptionId }, true);
  return payment.status === "PENDING" ? follow(payment.id, true) : show(payment, undefined, true);
}

/**
 * Shows the outcome of an attempt.
 * @param {Answer} answer
 * @param {Attempt} sent
 */
function judge({ status, data, code, errors, retryAfterS }, sent) {
  if (status === 200 && isPayment) {
    noteMade(sent.key, data.id);
    return show(data, sent.card);
  }
  if (status === 200) {
    const { subscriptionId: id } = data;
    noteMade(sent.key, id);
    return showSaved({ ...data, id, card: sent.card }, false);
  }
  clearCvc();
  if (status === 400) return tellRefused(errors);
  if (code === USED_RECENTLY) {
    allowFurther();
    return tell(words.recently, say("pressAgain"));
  }
  if (status === 409) {
    return tell(words.busy, `${words.nothing} ${say("tryInAMinute")}`);
  }
  if (status === 429) {
    const minutes = Math.ceil(retryAfterS / 60);
    const again =
      minutes > 1 ? say("tryInMinutes", { minutes: String(minutes) }) : say("tryInAMinute");
    return tell(say("tooMany"), again);
  }
  return tell(`${words.failed} ${words.nothing}`, say("pleaseTryAgain"));
}

/** Reloads the page if the link has ended meanwhile, so that the customer reads why. */
async function isStillPayable() {
  const view = await ask(checkout);
  if (view?.status !== 404 && (view?.data?.status ?? "ACTIVE") === "ACTIVE") return true;
  isLeaving = true;
  location.reload();
  return false;
}

/**
 * Shows the status of a payment.
 * @param {any} payment
 * @param {string} [card]
 * @param {boolean} [isBack] whether its customer has seen the outcome before
 * @returns {void | Promise<void>}
 */
function show(payment, card, isBack = false) {
  const { id, status, reason, action } = payment;
  if (status === "SUCCEEDED") return showPaid(payment, card, isBack);
  if (status === "FAILED") {
    if (id === recalled().id) beginAnew();
    return showDeclined(reason);
  }
  if (action && hasFrame) return confirm(id, action, card);
  return follow(id, false, card);
}

/**
 * Has the customer confirm a payment with the card's issuer, in the vault's frame, and shows its
 * outcome.
 * @param {string} id
 * @param {string} action
 * @param {string} [card]
 */
async function confirm(id, action, card) {
  // A page that is reloaded meanwhile finds the payment by its address.
  remember(id);
  byId("progress").textContent = say("confirmWithBank");
  await confirmInFrame(action);
  byId("progress").textContent = words.running;
  const answer = await ask(`${checkout}/payments/${id}/continue`, {});
  if (answer?.status !== 200 || answer.data.status === "PENDING") return follow(id, false, card);
  return show(answer.data, card);
}

/**
 * Goes on with a confirmation that the customer left, on a page that was reloaded.
 * @param {string} id
 * @returns {Promise<boolean>} whether it went on
 */
async function confirmLater(id) {
  const answer = await ask(`${checkout}/payments/${id}/continue`, {});
  if (!answer?.data?.action) return false;
  showForm();
  setRunning(true);
  await show(answer.data);
  setRunning(false);
  return true;
}

/** @param {string} [reason] */
function showDeclined(reason = "") {
  showNoEnd();
  // Without a form the page already shows that the link cannot be paid.
  if (!form) return;
  clearCvc();
  tell(reason ? sayReason(reason) : say("notCharged"), say("otherCard"));
}

/**
 * Polls a payment until it has ended.
 * @param {string} id
 * @param {boolean} isBack whether the page was opened with this payment
 * @param {string} [card]
 * @returns {Promise<void>}
 */
async function follow(id, isBack, card) {
  remember(id);
  showUnderWay(isBack);
  for (let i = 0; i < ASKED_AT_MOST; i++) {
    if (i > 0 || !isBack) await pause(ASK_WAITS_MS[Math.min(i, ASK_WAITS_MS.length - 1)] ?? 0);
    const answer = await ask(`${checkout}/payments/${id}`);
    if (answer?.status === 404) return showNoEnd();
    const isConfirmable = isBack && form && hasFrame && answer?.data?.confirmUntil;
    if (isConfirmable && (await confirmLater(id))) return;
    if (answer?.status === 200 && answer.data.status !== "PENDING") {
      return show(answer.data, card, isBack);
    }
  }
}

/** @param {boolean} running */
function setRunning(running) {
  isRunning = running;
  const button = /** @type {HTMLButtonElement} */ (form?.querySelector("button"));
  // The fields of an attempt with an unknown outcome stay locked, so that it is repeated unchanged.
  for (const each of form?.querySelectorAll("fieldset") ?? []) each.disabled = running || !!attempt;
  disableFrame(running || !!attempt);
  button.disabled = running;
  button.classList.toggle("busy", running);
  button.textContent = running ? say("processing") : attempt ? say("tryAgain") : buttonLabel;
  byId("progress").textContent = running ? words.running : "";
  if (running) byId("problem").replaceChildren();
  else if (byId("problem").firstChild) byId("problem").focus();
}
