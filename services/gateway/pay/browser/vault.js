// The card in a frame of the vault's own origin (docs/operate/rails-and-acquirers.md). The page
// asks for a token and learns nothing else about the card: the browser keeps the frame's content
// from this script. A message counts only if this frame's window sent it from the vault's origin
// and it has a known form.

import { ANSWER_WITHIN_MS, newKey, pause } from "./asking.js";
import { byId, form, getInput, isPayment } from "./page.js";

const VERSION = 1;
const ID = "card-frame";
const HEIGHT_AT_MOST_PX = 800;
/** The time for a confirmation with the card's issuer: as long as the payment waits for it. */
const CONFIRMED_WITHIN_MS = 15 * 60_000;
const MESSAGE_AT_MOST = 200;
/** Visible ASCII, not digits alone: a card's number is no token, even if a vault sends it. */
const TOKEN = /^(?=.*[^\d -])[\x21-\x7e]{8,256}$/;

/**
 * @typedef {{ token: string } | { message: string }} Kept the card's token, or the reason why there
 *   is none
 * @typedef {{ isConfirmed: true }} Confirmed the customer is done; only the acquirer knows the
 *   outcome
 * @typedef {{ id: string, tell: (answer: Kept | Confirmed) => void }} Question
 */

/** Whether the card is typed into a vault's frame. */
export const hasFrame = frame() !== null;
const vaultOrigin = hasFrame ? new URL(fieldUrl()).origin : "";

/** @type {Question | null} */
let question = null;
/** @type {() => void} */
let tellReady;
/** @type {Promise<void>} */
let ready;

/** @param {() => void} submit called on Enter in a field of the frame */
export function startFrame(submit) {
  if (!hasFrame) return;
  addEventListener("message", ({ source, origin, data }) => {
    if (source === null || source !== frame()?.contentWindow || origin !== vaultOrigin) return;
    if (data?.version === VERSION) hear(data, submit);
  });
  load();
}

/** Loads the field only once the page listens, so that its first message is not lost. */
function load() {
  ready = new Promise((resolve) => {
    tellReady = resolve;
  });
  const empty = frame();
  if (empty) empty.src = fieldUrl();
}

/**
 * @param {any} data from the vault, in any form
 * @param {() => void} submit
 */
function hear({ type, id, token, message, height }, submit) {
  if (type === "payrail.ready") tellReady();
  if (type === "payrail.submit") submit();
  if (type === "payrail.size" && height > 0 && height <= HEIGHT_AT_MOST_PX) {
    frame()?.style.setProperty("height", `${Number(height)}px`);
  }
  if (question === null || id !== question.id) return;
  const isText = typeof message === "string" && message.length <= MESSAGE_AT_MOST;
  if (type === "payrail.error" && isText) question.tell({ message });
  if (type === "payrail.token" && typeof token === "string" && TOKEN.test(token)) {
    question.tell({ token });
  }
  if (type === "payrail.confirmed") question.tell({ isConfirmed: true });
}

/**
 * Asks the vault for a token of the card that the customer has filled in.
 * @returns {Promise<Kept | null>} null without an answer
 */
export async function tokenize() {
  const postcode = byId("postcode") && getInput("postcode").value.trim();
  const forLater = !isPayment;
  const asks = { type: "payrail.tokenize", ...(postcode && { postcode }), forLater };
  // The card's issuer may ask about a card that is saved, in the frame.
  disableFrame(!forLater);
  const answer = await askFrame(asks, forLater ? CONFIRMED_WITHIN_MS : ANSWER_WITHIN_MS);
  disableFrame(true);
  return answer && !("isConfirmed" in answer) ? answer : null;
}

/**
 * Has the vault's field carry out an action of the card's issuer (3-D Secure), in the frame.
 * @param {string} action from the acquirer
 * @returns {Promise<void>} resolves once the customer is done, or the time is over
 */
export async function confirmInFrame(action) {
  disableFrame(false);
  await askFrame({ type: "payrail.confirm", action }, CONFIRMED_WITHIN_MS);
  disableFrame(true);
}

/**
 * Asks the field, once it is ready.
 * @param {object} asks
 * @param {number} withinMs
 * @returns {Promise<Kept | Confirmed | null>} null without an answer
 */
async function askFrame(asks, withinMs) {
  const id = newKey();
  /** @type {Promise<Kept | Confirmed>} */
  const answered = new Promise((tell) => {
    question = { id, tell };
  });
  const asked = ready.then(() => {
    frame()?.contentWindow?.postMessage({ ...asks, version: VERSION, id }, vaultOrigin);
    return answered;
  });
  const answer = await Promise.race([asked, pause(withinMs)]);
  question = null;
  return answer ?? null;
}

/** @param {boolean} disabled */
export function disableFrame(disabled) {
  frame()?.toggleAttribute("inert", disabled);
}

/** Loads a new frame, so that the card is gone and the browser's history is unchanged. */
export function emptyFrame() {
  const filled = frame();
  if (!filled || !form) return;
  const empty = /** @type {HTMLIFrameElement} */ (filled.cloneNode());
  empty.removeAttribute("src");
  filled.replaceWith(empty);
  load();
}

function frame() {
  return /** @type {HTMLIFrameElement | null} */ (document.getElementById(ID));
}

function fieldUrl() {
  return frame()?.dataset.src ?? "";
}
